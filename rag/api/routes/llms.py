"""Routes that give a book as language models read it, as far as the key and the filter allow."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Query, Response

from ingestion.models import TIERS
from rag.api.dependencies import CurrentCaller, Services
from rag.api.http.auth import Caller
from rag.api.schemas import Word
from rag.filters import Filters
from rag.retrieval.abandonment import in_thread
from rag.retrieval.catalogue import list_lessons
from rag.retrieval.filters import where_of
from rag.retrieval.llms_txt import full_text, index_text
from rag.retrieval.retriever import Retriever

router = APIRouter(tags=["books"])

LOWEST = min(TIERS)
MEDIA_TYPE = "text/markdown; charset=utf-8"
RESPONSES: dict[int | str, dict[str, Any]] = {200: {"content": {"text/markdown": {"schema": {"type": "string"}}}}}
Tier = Annotated[
    int,
    Query(ge=min(TIERS), le=max(TIERS), description="Hardware tier of the reader: lessons for this tier or lower."),
]


@router.get("/books/{book_id}/llms.txt", response_class=Response, responses=RESPONSES, operation_id="get_llms_txt")
async def llms_txt(
    book_id: Word, caller: CurrentCaller, services: Services, hardware_tier: Tier = LOWEST
) -> Response:
    """List the lessons of a book with their addresses, as `llms.txt` does."""
    return await _text(book_id, caller, services, hardware_tier, is_full=False)


@router.get(
    "/books/{book_id}/llms-full.txt", response_class=Response, responses=RESPONSES, operation_id="get_llms_full_txt"
)
async def llms_full_txt(
    book_id: Word, caller: CurrentCaller, services: Services, hardware_tier: Tier = LOWEST
) -> Response:
    """Return the lessons of a book as Markdown with their addresses, as `llms-full.txt` does."""
    return await _text(book_id, caller, services, hardware_tier, is_full=True)


async def _text(book_id: str, caller: Caller, services: Services, hardware_tier: int, *, is_full: bool) -> Response:
    if hardware_tier > caller.highest_tier:
        raise HTTPException(403, f"this key reads hardware tier {caller.highest_tier} or lower")
    filters = Filters(hardware_tier=hardware_tier)
    async with services.index.retriever(caller.book(book_id), caller.scope) as retriever:
        text = await in_thread(
            _written, retriever, book_id, services.title_of(book_id) or book_id, filters, is_full=is_full
        )
    if text is None:
        raise HTTPException(404, f"no lesson of {book_id!r} for hardware tier {hardware_tier} or lower")
    return Response(text, media_type=MEDIA_TYPE)


def _written(retriever: Retriever, book_id: str, title: str, filters: Filters, *, is_full: bool) -> str | None:
    modules = retriever.settings.modules
    where = where_of(book_id, filters, modules)
    entries = list_lessons(retriever.store, where, modules)
    if not entries:
        return None
    if is_full:
        return "".join(full_text(title, entries, retriever.store, book_id, where))
    return index_text(title, entries, modules)
