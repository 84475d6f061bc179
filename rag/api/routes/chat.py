"""Routes of a conversation: ask, as one answer or as a stream; list, read and delete threads."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Query, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse
from pydantic import UUID4, AwareDatetime

from ingestion.errors import BookwiseError
from rag.agent.events import Searched, Token
from rag.api.dependencies import Asker, Parts, Server
from rag.api.http.auth import Caller
from rag.api.http.deadlines import unless_left
from rag.api.http.problems import problem, status_of
from rag.api.http.sse import event, with_heartbeat
from rag.api.http.threadpool import in_database
from rag.api.schemas import ChatRequest, ChatResponse, ShownConversation, ThreadList
from rag.api.serializers import retrieval_of
from rag.api.services.chat_turns import Answered, TurnEvent
from rag.conversations.models import ConversationThread, ThreadSummary, iso

logger = logging.getLogger("bookwise.api")

router = APIRouter()
STREAM: dict[int | str, dict[str, Any]] = {200: {"content": {"text/event-stream": {}}}}
CLIENT_LEFT = 499
"""Which nobody gets any more; it is for the log."""

STREAM_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


@router.post("/chat/run", response_model=ChatResponse, response_model_exclude_none=True, responses=STREAM)
async def run(body: ChatRequest, caller: Asker, parts: Parts, request: Request) -> Any:
    """Answer a question from the book, as one document, or as `/chat/stream` does where `stream` is true.

    Leaving ends the answer.
    """
    if body.stream:
        return await stream(body, caller, parts, request)
    response = await unless_left(request, _answered(body, caller, parts))
    return Response(status_code=CLIENT_LEFT) if response is None else response


async def _answered(body: ChatRequest, caller: Caller, parts: Server) -> ChatResponse:
    async with aclosing(parts.conversations.answer(body, caller)) as events:
        async for each in events:
            if isinstance(each, Answered):
                return each.response
    raise AssertionError("a turn ends with Answered")


@router.post("/chat/stream", responses=STREAM, response_class=StreamingResponse)
async def stream(body: ChatRequest, caller: Asker, parts: Parts, request: Request) -> StreamingResponse:
    """Answer as Server-Sent Events.

    `retrieval` for each search, `token` for each piece of the answer, `sources`, then `done` with the whole
    ChatResponse, or `error` with a problem document. A comment comes every 15 seconds. Leaving ends the answer.
    """
    caller.book(body.book_id)
    caller.filters(body)
    events = _events(body, caller, parts, request.url.path)
    return StreamingResponse(with_heartbeat(events), media_type="text/event-stream", headers=STREAM_HEADERS)


async def _events(body: ChatRequest, caller: Caller, parts: Server, path: str) -> AsyncGenerator[str]:
    turn = parts.conversations.answer(body, caller)
    try:
        with parts.metrics.streams.track_inprogress():
            async with parts.time_bound.bounded(), aclosing(turn):
                async for each in turn:
                    for told in _told(each):
                        yield told
    except BookwiseError as error:
        yield event("error", problem(path, status_of(error), str(error)))
    except HTTPException as error:
        yield event("error", problem(path, error.status_code, error.detail))
    except Exception:
        logger.exception("a bug in a stream")
        yield event("error", problem(path, 500, "an error that was not foreseen; the log has more"))


def _told(each: TurnEvent) -> Iterator[str]:
    if isinstance(each, Searched):
        yield event("retrieval", retrieval_of(each.query, each.passages))
    elif isinstance(each, Token):
        yield event("token", {"text": each.text})
    else:
        document = each.response.model_dump(mode="json", exclude_none=True)
        yield event("sources", {"sources": document["sources"]})
        yield event("done", document)


@router.get("/threads", response_model=ThreadList)
async def list_threads(
    caller: Asker,
    parts: Parts,
    limit: Annotated[int, Query(ge=1, le=1000)] = 50,
    before: Annotated[AwareDatetime | None, Query(description="Go on after this `updated_at`.")] = None,
    archived: bool = False,
) -> Any:
    """The caller's threads without messages, the last used first; none for a key that the public shares."""
    if caller.is_public:
        return {"threads": []}
    threads = parts.conversations.threads
    found = await in_database(threads.list, owner=caller.owner, limit=limit, before=before, archived=archived)
    more = found[-1].updated_at.isoformat() if len(found) == limit else None
    # Already in shape: to check a thousand threads against the model would take longer than to read them.
    return JSONResponse({"threads": [_summary(each) for each in found], "next_before": more})


@router.get("/threads/{thread_id}", response_model=ShownConversation, response_model_exclude_none=True)
async def get_thread(thread_id: UUID4, caller: Asker, parts: Parts) -> Any:
    """A thread with its last 50 messages, archived or not."""
    thread = await in_database(parts.conversations.threads.get, thread_id, owner=caller.owner)
    return _conversation(thread)


@router.delete("/threads/{thread_id}", status_code=204, response_class=Response)
async def delete_thread(thread_id: UUID4, caller: Asker, parts: Parts) -> Response:
    """Delete a thread with all its messages, for good."""
    await in_database(parts.conversations.threads.delete, thread_id, owner=caller.owner)
    return Response(status_code=204)


def _summary(thread: ThreadSummary) -> dict[str, Any]:
    return {
        "thread_id": str(thread.thread_id),
        "created_at": iso(thread.created_at),
        "updated_at": iso(thread.updated_at),
        "topic_summary": thread.topic_summary,
        "metadata": dict(thread.metadata),
        "message_count": thread.message_count,
        "archived": thread.archived,
    }


def _conversation(thread: ConversationThread) -> dict[str, Any]:
    return _summary(thread) | {"messages": [message.as_json() for message in thread.messages]}
