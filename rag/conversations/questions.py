"""Record what readers ask and how it went, for the owner of the book: figures, weak answers, ratings.

A question lives as long as its thread: deleting the thread deletes it, and so does `conversations.keep_days`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal
from uuid import UUID

from sqlalchemy import ColumnElement, Connection, Row, case, delete, func, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite

from ingestion.errors import UnknownAnswer, UsageError
from rag.conversations.database import ConversationDatabase
from rag.conversations.models import now
from rag.conversations.tables import QUESTIONS, SPENDING

Rating = Literal["up", "down"]
QuestionKind = Literal["all", "unanswered", "weak", "disliked"]

MAX_COMMENT_CHARS = 1000
MAX_QUESTIONS = 20_000
"""As many questions as one report reads."""


@dataclass(frozen=True, slots=True)
class NearestPage:
    """A page that the search found for a question: what answered it, or what should have."""

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

    def as_json(self) -> dict[str, Any]:
        """Return one JSON object."""
        return asdict(self) | {"thread_id": str(self.thread_id), "asked_at": self.asked_at.isoformat()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What one key asked on one day (UTC); `cost` is None where no price is set."""

    day: str
    owner: str
    questions: int
    answered: int
    disliked: int
    tokens: int
    cost: float | None


class QuestionLog:
    """Read and rate the questions. Raises StateError where the database fails."""

    def __init__(self, database: ConversationDatabase) -> None:
        self._database = database

    def rate(
        self, thread_id: UUID, number: int, rating: Rating | None, comment: str | None = None, *, owner: str
    ) -> None:
        """Replace the rating of an answer, None removes it; raises UnknownAnswer."""
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
        """Store a question that belongs to no thread of ours."""
        with self._database.write() as connection:
            record_question(connection, asked)

    def find(
        self, kind: QuestionKind = "all", *, since: datetime, book_id: str | None = None, limit: int = MAX_QUESTIONS
    ) -> list[AskedQuestion]:
        """Return the questions of a kind since a moment, the newest first."""
        chosen = QUESTIONS.c.asked_at >= since
        if (condition := _KINDS[kind]) is not None:
            chosen &= condition
        if book_id is not None:
            chosen &= QUESTIONS.c.book_id == book_id
        query = select(QUESTIONS).where(chosen).order_by(QUESTIONS.c.asked_at.desc()).limit(limit)
        with self._database.read() as connection:
            return [_question(row) for row in connection.execute(query)]

    def usage(self, *, since: datetime) -> list[Usage]:
        """Return what each key asked on each day, from the day of that moment on, the newest first.

        What was spent stays when conversations are deleted; answers and ratings go with them.
        """
        columns, spent = QUESTIONS.c, SPENDING.c
        judged = (
            select(
                columns.day,
                columns.owner,
                func.sum(case((columns.answered, 1), else_=0)).label("answered"),
                func.sum(case((columns.rating == "down", 1), else_=0)).label("disliked"),
            )
            .where(columns.asked_at >= since)
            .group_by(columns.day, columns.owner)
            .subquery()
        )
        query = (
            select(
                *(spent.day, spent.owner, spent.questions, spent.tokens, spent.cost),
                func.coalesce(judged.c.answered, 0).label("answered"),
                func.coalesce(judged.c.disliked, 0).label("disliked"),
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
        """Delete the questions asked before that; returns how many."""
        with self._database.write() as connection:
            return connection.execute(delete(QUESTIONS).where(QUESTIONS.c.asked_at < now() - older_than)).rowcount


_KINDS: dict[QuestionKind, ColumnElement[bool] | None] = {
    "all": None,
    "unanswered": ~QUESTIONS.c.answered,
    "weak": QUESTIONS.c.answered & ((QUESTIONS.c.confidence_level == "low") | ~QUESTIONS.c.supported),
    "disliked": QUESTIONS.c.rating == "down",
}


def record_question(connection: Connection, asked: AskedQuestion) -> None:
    """Store a question within the transaction that stores its exchange, and what it cost, which nothing deletes."""
    day = day_of(asked.asked_at)
    connection.execute(insert(QUESTIONS).values(asdict(asked) | {"day": day}))
    spent, mine = SPENDING.c, {"owner": asked.owner, "day": day}
    upsert = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
    first = upsert(SPENDING).values(mine | {"questions": 1, "tokens": asked.tokens, "cost": asked.cost})
    more = {
        "questions": spent.questions + 1,
        "tokens": spent.tokens + asked.tokens,
        "cost": spent.cost if asked.cost is None else func.coalesce(spent.cost, 0.0) + asked.cost,
    }
    connection.execute(first.on_conflict_do_update(index_elements=list(mine), set_=more))


def forget_thread(connection: Connection, thread_ids: Sequence[UUID]) -> None:
    """Delete the questions of threads that are deleted."""
    connection.execute(delete(QUESTIONS).where(QUESTIONS.c.thread_id.in_(thread_ids)))


def day_of(moment: datetime) -> str:
    """Return the day in UTC, such as `2026-11-29`."""
    return moment.astimezone(UTC).date().isoformat()


def parse_since(text: str) -> timedelta:
    """Return the time span of `36h`, `7d` or `4w`; raises UsageError."""
    unit = {"h": "hours", "d": "days", "w": "weeks"}.get(text[-1:])
    if unit is None or not text[:-1].isdigit() or not 0 < int(text[:-1]) <= 10_000:
        raise UsageError(f"invalid --since {text!r}: write hours, days or weeks, such as 36h, 7d or 4w")
    return timedelta(**{unit: int(text[:-1])})


def _question(row: Row[Any]) -> AskedQuestion:
    values = {name: value for name, value in row._mapping.items() if name != "day"}
    return AskedQuestion(**values | {"pages": tuple(NearestPage(**page) for page in values["pages"])})
