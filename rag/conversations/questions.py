"""Record what readers ask and how it went, for the owner of the book: figures, weak answers, ratings.

A question lives as long as its thread: deleting the thread deletes it, and so does `conversations.keep_days`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal
from uuid import UUID

from sqlalchemy import ColumnElement, Connection, Row, bindparam, case, delete, func, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite

from ingestion.errors import UnknownAnswer, UsageError
from rag.conversations.database import ConversationDatabase
from rag.conversations.models import now
from rag.conversations.tables import QUESTIONS, SPENDING

Rating = Literal["up", "down"]
QuestionKind = Literal["all", "unanswered", "weak", "disliked", "liked"]

MAX_COMMENT_CHARS = 1000
MAX_QUESTIONS = 20_000
"""Maximum number of questions per report."""

DELETED = "deleted"
"""Id for the spending of keys whose data was deleted; no key has it."""


@dataclass(frozen=True, slots=True)
class NearestPage:
    """A page found for a question: the one that answered it, or should have."""

    title: str
    url: str
    source_file: str
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedQuestion:
    """One question with the outcome of its answer; `message_number` counts the messages of the thread from 1."""

    thread_id: UUID
    message_number: int
    owner: str
    asked_at: datetime
    book_id: str
    question: str
    hardware_tier: int
    answered: bool
    confidence_level: str
    supported: bool
    model: str
    tokens: int
    cost: float | None
    pages: tuple[NearestPage, ...]
    rating: Rating | None = None
    comment: str | None = None
    is_done: bool = False

    def as_json(self) -> dict[str, Any]:
        """Return one JSON object."""
        return asdict(self) | {"thread_id": str(self.thread_id), "asked_at": self.asked_at.isoformat()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How the questions of one day (UTC) went; `cost` is None where no price is set."""

    day: str
    questions: int
    answered: int
    liked: int
    disliked: int
    tokens: int
    cost: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage(Counts):
    """How one key's questions of one day (UTC) went."""

    owner: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DayFigures(Counts):
    """How all questions of one day went, and how many answers were weak."""

    weak: int


class QuestionLog:
    """Read and rate the questions. Raises StateError where the database fails."""

    def __init__(self, database: ConversationDatabase) -> None:
        self._database = database

    def rate(
        self, thread_id: UUID, number: int, rating: Rating | None, comment: str | None = None, *, owner: str
    ) -> None:
        """Replace the rating of an answer, or remove it for None; raises UnknownAnswer."""
        rated = (
            (QUESTIONS.c.thread_id == thread_id)
            & (QUESTIONS.c.message_number == number)
            & (QUESTIONS.c.owner == owner)
        )
        values = {"rating": rating, "comment": comment[:MAX_COMMENT_CHARS] if comment and rating else None}
        with self._database.write() as connection:
            if not connection.execute(update(QUESTIONS).where(rated).values(values)).rowcount:
                raise UnknownAnswer(thread_id, number)

    def record(self, asked: AskedQuestion) -> None:
        """Store a question that belongs to none of our threads."""
        with self._database.write() as connection:
            record_question(connection, asked)

    def mark(self, answers: Collection[tuple[UUID, int]], *, done: bool, books: Sequence[str] = ()) -> int:
        """Mark questions, by thread and number, as done or not; returns how many exist.

        With `books`, marks only questions to these.
        """
        if not answers:
            return 0
        chosen = (QUESTIONS.c.thread_id == bindparam("thread")) & (QUESTIONS.c.message_number == bindparam("number"))
        chosen &= QUESTIONS.c.book_id.in_(books) if books else True
        named = [{"thread": thread_id, "number": number} for thread_id, number in answers]
        with self._database.write() as connection:
            return connection.execute(update(QUESTIONS).where(chosen).values(is_done=done), named).rowcount

    def asked_in(self, thread_id: UUID) -> list[AskedQuestion]:
        """Return the questions of a thread, in their order."""
        query = select(QUESTIONS).where(QUESTIONS.c.thread_id == thread_id).order_by(QUESTIONS.c.message_number)
        with self._database.read() as connection:
            return [question_of(row) for row in connection.execute(query)]

    def find(
        self,
        kind: QuestionKind = "all",
        *,
        since: datetime,
        book_id: str | None = None,
        is_open: bool = False,
        limit: int = MAX_QUESTIONS,
    ) -> list[AskedQuestion]:
        """Return the questions of a kind since a moment, newest first; `is_open` leaves out those marked as done."""
        chosen = _since(since, book_id)
        if (condition := _KINDS[kind]) is not None:
            chosen &= condition
        if is_open:
            chosen &= ~QUESTIONS.c.is_done
        query = select(QUESTIONS).where(chosen).order_by(QUESTIONS.c.asked_at.desc()).limit(limit)
        with self._database.read() as connection:
            return [question_of(row) for row in connection.execute(query)]

    def trend(self, *, since: datetime, book_id: str | None = None) -> list[DayFigures]:
        """Return how each day's questions went, oldest first, without days that have none."""
        columns = QUESTIONS.c
        query = (
            select(
                columns.day,
                func.count().label("questions"),
                *(_count(_KINDS[kind]).label(kind) for kind in ("weak", "liked", "disliked")),
                _count(columns.answered).label("answered"),
                *(func.sum(columns[name]).label(name) for name in ("tokens", "cost")),
            )
            .where(_since(since, book_id))
            .group_by(columns.day)
            .order_by(columns.day)
        )
        with self._database.read() as connection:
            return [DayFigures(**row._mapping) for row in connection.execute(query)]

    def usage(self, *, since: datetime) -> list[Usage]:
        """Return each key's usage per day, from the day of that moment on, newest first.

        Deleting conversations keeps the cost and removes answers and ratings.
        """
        columns, spent = QUESTIONS.c, SPENDING.c
        judged = (
            select(
                columns.day,
                columns.owner,
                _count(columns.answered).label("answered"),
                *(_count(_KINDS[kind]).label(kind) for kind in ("liked", "disliked")),
            )
            .where(columns.asked_at >= since)
            .group_by(columns.day, columns.owner)
            .subquery()
        )
        query = (
            select(
                *(spent.day, spent.owner, spent.questions, spent.tokens, spent.cost),
                *(func.coalesce(judged.c[name], 0).label(name) for name in ("answered", "liked", "disliked")),
            )
            .join_from(SPENDING, judged, (judged.c.day == spent.day) & (judged.c.owner == spent.owner), isouter=True)
            .where(spent.day >= day_of(since))
            .order_by(spent.day.desc(), spent.owner)
        )
        with self._database.read() as connection:
            return [Usage(**row._mapping) for row in connection.execute(query)]

    def spent_today(self, owner: str) -> tuple[int, float]:
        """Return how many questions a key asked today (UTC), and their cost in US dollars."""
        spent = SPENDING.c
        query = select(spent.questions, spent.cost).where(spent.owner == owner, spent.day == day_of(now()))
        with self._database.read() as connection:
            count, cost = connection.execute(query).one_or_none() or (0, None)
        return count, float(cost or 0.0)

    def forget(self, *, older_than: timedelta) -> int:
        """Delete the questions asked before a moment; returns how many."""
        with self._database.write() as connection:
            return connection.execute(delete(QUESTIONS).where(QUESTIONS.c.asked_at < now() - older_than)).rowcount


_KINDS: dict[str, ColumnElement[bool] | None] = {
    "all": None,
    "unanswered": ~QUESTIONS.c.answered,
    "weak": QUESTIONS.c.answered & ((QUESTIONS.c.confidence_level == "low") | ~QUESTIONS.c.supported),
    "disliked": QUESTIONS.c.rating == "down",
    "liked": QUESTIONS.c.rating == "up",
}


def _since(moment: datetime, book_id: str | None) -> ColumnElement[bool]:
    chosen = QUESTIONS.c.asked_at >= moment
    return chosen if book_id is None else chosen & (QUESTIONS.c.book_id == book_id)


def _count(condition: Any) -> ColumnElement[int]:
    return func.sum(case((condition, 1), else_=0))


def record_question(connection: Connection, asked: AskedQuestion) -> None:
    """Store a question and its cost in the transaction that stores its exchange; the cost is never deleted."""
    day = day_of(asked.asked_at)
    connection.execute(insert(QUESTIONS).values(asdict(asked) | {"day": day}))
    _add_spending(connection, asked.owner, day, questions=1, tokens=asked.tokens, cost=asked.cost)


def _add_spending(
    connection: Connection, owner: str, day: str, *, questions: int, tokens: int, cost: float | None
) -> None:
    spent, mine = SPENDING.c, {"owner": owner, "day": day}
    upsert = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
    first = upsert(SPENDING).values(mine | {"questions": questions, "tokens": tokens, "cost": cost})
    more = {
        "questions": spent.questions + questions,
        "tokens": spent.tokens + tokens,
        "cost": spent.cost if cost is None else func.coalesce(spent.cost, 0.0) + cost,
    }
    connection.execute(first.on_conflict_do_update(index_elements=list(mine), set_=more))


def forget_spender(connection: Connection, owner: str) -> None:
    """Move a key's cost to the total of all deleted ones: the cost stays, the key does not."""
    columns = SPENDING.c
    query = select(columns.day, columns.questions, columns.tokens, columns.cost).where(columns.owner == owner)
    for row in connection.execute(query).all():
        _add_spending(connection, DELETED, **row._mapping)
    connection.execute(delete(SPENDING).where(columns.owner == owner))


def forget_threads(connection: Connection, thread_ids: Sequence[UUID]) -> int:
    """Delete the questions of deleted threads; returns how many there were."""
    return connection.execute(delete(QUESTIONS).where(QUESTIONS.c.thread_id.in_(thread_ids))).rowcount


def day_of(moment: datetime) -> str:
    """Return the day in UTC, such as `2026-11-29`."""
    return moment.astimezone(UTC).date().isoformat()


def parse_since(text: str) -> timedelta:
    """Return the time span of `36h`, `7d` or `4w`; raises UsageError."""
    unit = {"h": "hours", "d": "days", "w": "weeks"}.get(text[-1:])
    if unit is None or not text[:-1].isdigit() or not 0 < int(text[:-1]) <= 10_000:
        raise UsageError(f"invalid --since {text!r}: write hours, days or weeks, such as 36h, 7d or 4w")
    return timedelta(**{unit: int(text[:-1])})


def question_of(row: Row[Any]) -> AskedQuestion:
    """Return the question in a row."""
    values = {name: value for name, value in row._mapping.items() if name != "day"}
    return AskedQuestion(**values | {"pages": tuple(NearestPage(**page) for page in values["pages"])})
