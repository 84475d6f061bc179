"""Routes of the book: search it, read a lesson, bring the index up to date."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Path, Query, Response
from pydantic import UUID5

from ingestion.errors import AlreadyRunning, UsageError
from rag.api.dependencies import Asker, Parts
from rag.api.schemas import IngestJob, IngestRequest, Lesson, SearchRequest, Word
from rag.models import SearchResponse
from rag.retrieval.lessons import LessonText, read_lesson

router = APIRouter()
MOST_JOBS = 2**31 - 1
"""As far as the ledger counts."""


@router.post("/search", response_model=SearchResponse)
async def search(body: SearchRequest, caller: Asker, parts: Parts) -> SearchResponse:
    """The passages nearest to a question, inside the filters."""
    filters = caller.filters(body)
    async with parts.index.retriever(caller.book(body.book_id)) as retriever:
        return await asyncio.to_thread(
            retriever.search, body.query, limit=body.limit, filters=filters, mode=body.ranking
        )


@router.get("/lessons/{parent_doc_id}", response_model=Lesson)
async def lesson(
    parent_doc_id: UUID5, caller: Asker, parts: Parts, book_id: Annotated[Word | None, Query()] = None
) -> Any:
    """A whole lesson as indexed; a lesson above the key's tier does not exist for it."""
    async with parts.index.retriever(caller.book(book_id)) as retriever:
        try:
            read = await asyncio.to_thread(read_lesson, retriever.store, retriever.book_id, str(parent_doc_id))
        except UsageError:
            read = LessonText(())
    allowed = tuple(chunk for chunk in read.chunks if chunk["hardware_tier"] <= caller.highest_tier)
    if not allowed:
        raise HTTPException(404, f"no lesson {parent_doc_id}")
    shown = LessonText(allowed)
    return {"title": shown.title, "parent_doc_id": parent_doc_id, "text": shown.text(), "chunks": allowed}


@router.post("/ingest", status_code=202, response_model=IngestJob, response_model_exclude_none=True)
async def start_ingest(body: IngestRequest, caller: Asker, parts: Parts, response: Response) -> IngestJob:
    """Begin a run of the configured book in the background; 409 while one of it has not ended."""
    if caller.is_restricted:
        raise HTTPException(403, "a key with restricted access may not write")
    try:
        job = await parts.jobs.start(body)
    except AlreadyRunning as running:
        raise HTTPException(409, str(running), {"Location": f"/ingest/{running.job_id}"}) from running
    response.headers["Location"] = f"/ingest/{job.job_id}"
    return job


@router.get("/ingest/{job_id}", response_model=IngestJob, response_model_exclude_none=True)
async def get_ingest(job_id: Annotated[int, Path(ge=1, le=MOST_JOBS)], caller: Asker, parts: Parts) -> IngestJob:
    """Where a run stands, of this server or of the command line; `failed` where its process died."""
    try:
        if not caller.is_restricted:
            return await parts.jobs.get(job_id)
    except UsageError:
        pass
    raise HTTPException(404, f"no run {job_id}")
