"""Routes for the owner of the book: what readers ask, what was not answered, and what it costs."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Query
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field

from ingestion.errors import UnknownThread
from rag.api.dependencies import AppServices, Owner, Services
from rag.api.http.auth import Caller
from rag.api.routes.threads import MAX_NUMBER, HowMany, OlderThan, messages_of, thread_of
from rag.api.schemas import SESSION, MessageList, ShownConversation, Word
from rag.conversations.models import now
from rag.conversations.question_csv import questions_as_csv
from rag.conversations.question_groups import group_questions
from rag.conversations.questions import DELETED, AskedQuestion, NearestPage, QuestionKind, Rating, parse_since
from rag.conversations.store import LOCAL
from rag.models import ConfidenceLevel, ThreadId

router = APIRouter(prefix="/owner", tags=["owner"])

Since = Annotated[str, Query(description="Time span such as 36h, 7d or 4w.", max_length=8)]
Book = Annotated[Word | None, Query(description="Only questions to this book.")]

CSV = "text/csv"
WITHOUT_A_KEY = {LOCAL: "without a key", DELETED: "deleted"}
"""What stands for the name of a key where there is none."""


class WantedQuestions(BaseModel):
    """Which questions."""

    since: Since = "7d"
    kind: QuestionKind = Field("all", description="Which questions.")
    book_id: Book = None
    open: bool = Field(False, description="Leave out what is marked as done.")


Wanted = Annotated[WantedQuestions, Query()]


class OwnedAnswer(BaseModel):
    """One question of a group; `number` is that of its answer in the thread, 0 where the client keeps the thread."""

    thread_id: ThreadId
    number: int
    asked_at: str
    question: str
    answered: bool
    confidence_level: ConfidenceLevel
    rating: Rating | None
    comment: str | None
    done: bool


class OwnedGroup(BaseModel):
    """Questions that mean the same, with the pages that should answer them; `done` counts those dealt with."""

    question: str
    count: int
    unanswered: int
    weak: int
    liked: int
    disliked: int
    done: int
    last_asked: str
    wordings: tuple[str, ...]
    comments: tuple[str, ...]
    pages: tuple[NearestPage, ...]
    answers: tuple[OwnedAnswer, ...] = Field(description="Its questions, the newest first.")


class QuestionReport(BaseModel):
    """The questions of a time span in groups, the largest first."""

    total: int
    groups: tuple[OwnedGroup, ...]


class MarkedAnswer(BaseModel):
    """A question, named as a report names it."""

    model_config = ConfigDict(extra="forbid")

    thread_id: ThreadId
    number: int = Field(strict=True, ge=0, le=MAX_NUMBER)


class DoneMarks(BaseModel):
    """Questions that the owner has dealt with, or, with `done` false, has not."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"answers": [{"thread_id": SESSION, "number": 2}], "done": True}]},
    )

    answers: tuple[MarkedAnswer, ...] = Field(min_length=1, max_length=500)
    done: bool = Field(True, strict=True)


class Counts(BaseModel):
    """How questions went; `cost` in US dollars, null without `api.token_price`."""

    questions: int
    answered: int
    liked: int
    disliked: int
    tokens: int
    cost: float | None


class Figures(Counts):
    """How questions went, and how many answers were weak."""

    weak: int


class DayOfFigures(Figures):
    """How the questions of one day (UTC) went."""

    day: str


class Trend(BaseModel):
    """Figures by day, the oldest first, without days on which nothing was asked; and their sums."""

    days: tuple[DayOfFigures, ...]
    totals: Figures


class KeyUsage(Counts):
    """How the questions of one key went on one day (UTC)."""

    day: str
    key_id: str
    name: str


class UsageReport(BaseModel):
    """Questions, tokens and cost by day and key, the newest day first."""

    usage: tuple[KeyUsage, ...]


@router.get("/questions", response_model=QuestionReport, operation_id="report_questions")
async def questions(wanted: Wanted, caller: Owner, services: Services) -> Any:
    """Group what readers asked by meaning."""
    book = caller.book(wanted.book_id)
    found = await _find(wanted, book, services)
    async with services.index.retriever(book, caller.scope) as retriever:
        groups = await asyncio.to_thread(group_questions, found, retriever.embedder.embed_documents)
    return {"total": len(found), "groups": [group.as_json() for group in groups]}


async def _find(wanted: WantedQuestions, book: str | None, services: AppServices) -> list[AskedQuestion]:
    find, moment = services.questions.find, now() - parse_since(wanted.since)
    return await services.database.run(find, wanted.kind, since=moment, book_id=book, is_open=wanted.open)


@router.get(
    "/questions.csv",
    response_class=Response,
    operation_id="export_questions",
    responses={200: {"content": {CSV: {"schema": {"type": "string"}}}, "description": "One line per question."}},
)
async def questions_csv(wanted: Wanted, caller: Owner, services: Services) -> Response:
    """Return what readers asked as CSV, the newest first."""
    found = await _find(wanted, caller.book(wanted.book_id), services)
    headers = {"Content-Disposition": 'attachment; filename="questions.csv"'}
    return Response(questions_as_csv(found), media_type=CSV, headers=headers)


@router.post("/questions/done", status_code=204, response_class=Response, operation_id="mark_questions")
async def mark_done(body: DoneMarks, caller: Owner, services: Services) -> Response:
    """Mark questions as dealt with, or not; those that are not there any more are passed over."""
    named = [(answer.thread_id, answer.number) for answer in body.answers]
    await services.database.run(services.questions.mark, named, done=body.done, books=caller.books)
    return Response(status_code=204)


@router.get("/trend", response_model=Trend, operation_id="report_trend")
async def trend(caller: Owner, services: Services, since: Since = "30d", book_id: Book = None) -> Any:
    """Count by day how the questions went."""
    call, moment = services.questions.trend, now() - parse_since(since)
    days = [asdict(day) for day in await services.database.run(call, since=moment, book_id=caller.book(book_id))]
    costs = [day["cost"] for day in days if day["cost"] is not None]
    totals = {name: sum(day[name] for day in days) for name in Figures.model_fields if name != "cost"}
    return {"days": days, "totals": totals | {"cost": sum(costs) if costs else None}}


@router.get(
    "/threads/{thread_id}",
    response_model=ShownConversation,
    response_model_exclude_none=True,
    operation_id="read_thread",
)
async def thread(thread_id: ThreadId, caller: Owner, services: Services) -> Any:
    """Return a reader's thread with its last 50 messages, archived or not."""
    await _require_access(thread_id, caller, services)
    return await thread_of(thread_id, None, services)


@router.get(
    "/threads/{thread_id}/messages",
    response_model=MessageList,
    response_model_exclude_none=True,
    operation_id="read_messages",
)
async def messages(
    thread_id: ThreadId,
    caller: Owner,
    services: Services,
    before: OlderThan = None,
    limit: HowMany = 50,
) -> Any:
    """Return messages of a reader's thread, oldest first; `before` an answer's number + 1 and 2 show that answer."""
    await _require_access(thread_id, caller, services)
    return await messages_of(thread_id, None, services, before=before, limit=limit)


async def _require_access(thread_id: UUID, caller: Caller, services: AppServices) -> None:
    """Raise UnknownThread where a thread reaches beyond the books and the tier of the owner's key."""
    if caller.sees_everything:
        return
    asked = await services.database.run(services.questions.asked_in, thread_id)
    books = set(caller.books) or {each.book_id for each in asked}
    within = (each.book_id in books and each.hardware_tier <= caller.highest_tier for each in asked)
    if not asked or not all(within):
        raise UnknownThread(thread_id)


@router.get("/usage", response_model=UsageReport, operation_id="report_usage")
async def usage(caller: Owner, services: Services, since: Since = "30d") -> Any:
    """Count questions, tokens and cost by day and key."""
    found = await services.database.run(services.questions.usage, since=now() - parse_since(since))
    names = WITHOUT_A_KEY | {key.key_id: key.name for key in await services.database.run(services.keys.list)}
    return {"usage": [asdict(day) | {"key_id": day.owner, "name": names.get(day.owner, "unknown")} for day in found]}
