"""Routes for the data of one reader: the owner exports it, or deletes it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Query
from fastapi.responses import Response, StreamingResponse
from pydantic import BaseModel

from rag.api.dependencies import Owner, Services
from rag.api.http.auth import Caller
from rag.api.schemas import NO_NUL, ShownMessage, TimeText
from rag.conversations.personal_data import Deleted, Reader
from rag.models import ThreadId

router = APIRouter(prefix="/owner/reader", tags=["owner"])

KeyId = Annotated[
    str | None, Query(max_length=16, pattern=NO_NUL, description="Id of the reader's key; empty: without a key.")
]
UserId = Annotated[
    str | None,
    Query(
        min_length=1,
        max_length=200,
        pattern=NO_NUL,
        description="`user_id` in the metadata of the reader's threads; with `key_id` too, of that key alone.",
    ),
]


class ExportedMessage(ShownMessage):
    """A message of a reader's thread."""

    number: int = 0


class ExportedThread(BaseModel):
    """A reader's thread with all its messages, the oldest first."""

    thread_id: ThreadId
    created_at: TimeText
    updated_at: TimeText
    topic_summary: str | None
    metadata: dict[str, Any]
    messages: tuple[ExportedMessage, ...]


class ReaderData(BaseModel):
    """All that is stored of what a reader said: threads, and what is recorded of each question."""

    key_id: str | None
    user_id: str | None
    exported_at: TimeText
    threads: tuple[ExportedThread, ...]
    questions: tuple[dict[str, Any], ...]


@router.get("", response_class=Response, operation_id="export_reader", responses={200: {"model": ReaderData}})
async def export_reader(
    caller: Owner, services: Services, key_id: KeyId = None, user_id: UserId = None
) -> StreamingResponse:
    """Return the threads and questions of one reader as a file."""
    pieces = services.personal_data.export(_reader(caller, key_id, user_id))
    first = await services.database.run(next, pieces, "")

    async def body() -> AsyncIterator[str]:
        yield first
        while (piece := await services.database.run(next, pieces, None)) is not None:
            yield piece

    headers = {"Content-Disposition": 'attachment; filename="reader.json"'}
    return StreamingResponse(body(), media_type="application/json", headers=headers)


@router.delete("", response_model=Deleted, operation_id="delete_reader")
async def delete_reader(caller: Owner, services: Services, key_id: KeyId = None, user_id: UserId = None) -> Any:
    """Delete the threads and questions of one reader for good; what they cost stays in the sums, without the key."""
    return await services.database.run(services.personal_data.delete, _reader(caller, key_id, user_id))


def _reader(caller: Caller, key_id: str | None, user_id: str | None) -> Reader:
    if not caller.sees_everything:
        raise HTTPException(403, "a reader's data covers all books: use an owner's key without --book")
    return Reader(key_id, user_id)
