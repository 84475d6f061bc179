"""Routes for the owner of the book: what readers ask, what was not answered, and what it costs."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel

from rag.api.dependencies import Owner, Services
from rag.api.schemas import Word
from rag.conversations.models import now
from rag.conversations.question_groups import group_questions
from rag.conversations.questions import QuestionKind, parse_since

router = APIRouter(prefix="/owner", tags=["owner"])

Since = Annotated[str, Query(description="Time span such as 36h, 7d or 4w.", max_length=8)]


class OwnedPage(BaseModel):
    """A page of the book near a question."""

    title: str
    url: str
    source_file: str
    score: float


class OwnedGroup(BaseModel):
    """Questions that mean the same, with the pages that should answer them."""

    question: str
    count: int
    unanswered: int
    weak: int
    disliked: int
    last_asked: str
    wordings: tuple[str, ...]
    comments: tuple[str, ...]
    pages: tuple[OwnedPage, ...]


class QuestionReport(BaseModel):
    """The questions of a time span in groups, the largest first."""

    total: int
    groups: tuple[OwnedGroup, ...]


class KeyUsage(BaseModel):
    """What one key asked on one day (UTC); `cost` in US dollars, null without `api.token_price`."""

    day: str
    key_id: str
    name: str
    questions: int
    answered: int
    disliked: int
    tokens: int
    cost: float | None


class UsageReport(BaseModel):
    """Questions, tokens and cost by day and key, the newest day first."""

    usage: tuple[KeyUsage, ...]


@router.get("/questions", response_model=QuestionReport, operation_id="report_questions")
async def questions(
    caller: Owner,
    services: Services,
    since: Since = "7d",
    kind: Annotated[QuestionKind, Query(description="Which questions.")] = "all",
    book_id: Annotated[Word | None, Query(description="Only questions to this book.")] = None,
) -> Any:
    """Group what readers asked by meaning."""
    book = caller.book(book_id)
    find = services.questions.find
    found = await services.database.run(find, kind, since=now() - parse_since(since), book_id=book)
    async with services.index.retriever(book, caller.scope) as retriever:
        groups = await asyncio.to_thread(group_questions, found, retriever.embedder.embed_documents)
    return {"total": len(found), "groups": [group.as_json() for group in groups]}


@router.get("/usage", response_model=UsageReport, operation_id="report_usage")
async def usage(caller: Owner, services: Services, since: Since = "30d") -> Any:
    """Count questions, tokens and cost by day and key."""
    found = await services.database.run(services.questions.usage, since=now() - parse_since(since))
    keys = {key.key_id: key.name for key in await services.database.run(services.keys.list)}
    return {
        "usage": [
            {
                "day": day.day,
                "key_id": day.owner,
                "name": keys.get(day.owner, "without a key" if not day.owner else "unknown"),
                "questions": day.questions,
                "answered": day.answered,
                "disliked": day.disliked,
                "tokens": day.tokens,
                "cost": day.cost,
            }
            for day in found
        ]
    }
