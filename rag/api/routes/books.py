"""Routes of the book: search it, read a lesson, bring the index up to date."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Path, Query, Request, Response

from ingestion.errors import AlreadyRunning, UsageError
from rag.api.dependencies import AppServices, CurrentCaller, Ingester, Services
from rag.api.http.auth import Caller
from rag.api.http.context import current_request
from rag.api.http.deadlines import CLIENT_LEFT, until_disconnect
from rag.api.schemas import IngestJob, IngestRequest, LessonDocument, SearchRequest, Word
from rag.models import LessonId, SearchResponse
from rag.retrieval.abandonment import in_thread
from rag.retrieval.lessons import LessonText, read_lesson

router = APIRouter()
MAX_JOB_ID = 2**31 - 1
"""The highest number of the job ledger."""


@router.post("/search", response_model=SearchResponse, tags=["books"], operation_id="search")
async def search(body: SearchRequest, services: Services, request: Request) -> Any:
    """Return the passages nearest to a question, within the filters.

    Ranked by keywords alone, nothing is embedded, `score` is 0 and a last word that is only begun is completed: it
    can be asked while one types, and counts as a read, not as a question.

    Cancel the search by disconnecting.
    """
    caller = await services.auth.caller(request, "read" if body.ranking == "keyword" else "question")
    response = await until_disconnect(request, _found(body, caller, services))
    return Response(status_code=CLIENT_LEFT) if response is None else response


async def _found(body: SearchRequest, caller: Caller, services: AppServices) -> SearchResponse:
    filters = caller.filters(body)
    async with services.index.retriever(caller.book(body.book_id), caller.scope) as retriever:
        if body.ranking == "keyword":
            return await in_thread(retriever.search_typed, body.query, limit=body.limit, filters=filters)
        return await in_thread(retriever.search, body.query, limit=body.limit, filters=filters, mode=body.ranking)


@router.get("/lessons/{parent_doc_id}", response_model=LessonDocument, tags=["books"], operation_id="get_lesson")
async def lesson(
    parent_doc_id: LessonId,
    caller: CurrentCaller,
    services: Services,
    book_id: Annotated[Word | None, Query(description="The book; not needed where there is only one.")] = None,
) -> Any:
    """Return a whole lesson as indexed; a lesson above the key's tier does not exist for it."""
    async with services.index.retriever(caller.book(book_id), caller.scope) as retriever:
        try:
            read = await in_thread(read_lesson, retriever.store, retriever.book_id, str(parent_doc_id))
        except UsageError:
            read = LessonText(())
    allowed = tuple(chunk for chunk in read.chunks if chunk["hardware_tier"] <= caller.highest_tier)
    if not allowed:
        raise HTTPException(404, f"no lesson {parent_doc_id}")
    shown = LessonText(allowed)
    return {"title": shown.title, "parent_doc_id": parent_doc_id, "text": shown.text(), "chunks": allowed}


@router.post(
    "/ingest",
    status_code=202,
    response_model=IngestJob,
    response_model_exclude_none=True,
    tags=["ingestion"],
    operation_id="start_ingest",
)
async def start_ingest(body: IngestRequest, caller: Ingester, services: Services, response: Response) -> IngestJob:
    """Start a run of the configured book in the background; 409 while another one has not ended."""
    prefix = current_request().prefix
    try:
        job = await services.jobs.start(body)
    except AlreadyRunning as running:
        raise HTTPException(409, str(running), {"Location": f"{prefix}/ingest/{running.job_id}"}) from running
    response.headers["Location"] = f"{prefix}/ingest/{job.job_id}"
    return job


@router.get(
    "/ingest/{job_id}",
    response_model=IngestJob,
    response_model_exclude_none=True,
    tags=["ingestion"],
    operation_id="get_ingest",
)
async def get_ingest(
    job_id: Annotated[int, Path(ge=1, le=MAX_JOB_ID, description="Number of the run.")],
    caller: CurrentCaller,
    services: Services,
) -> IngestJob:
    """Return the state of a run, of this server or of the command line; `failed` where its process died."""
    try:
        if caller.may_ingest:
            return await services.jobs.get(job_id)
    except UsageError:
        pass
    raise HTTPException(404, f"no run {job_id}")
