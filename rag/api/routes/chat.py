"""Routes that answer a question: as one document, or as a stream of events."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterable, Iterator
from contextlib import aclosing
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response, StreamingResponse

from rag.agent.events import Replaced, Searched, Token
from rag.api.dependencies import AppServices, Questioner, Services
from rag.api.http.auth import Caller
from rag.api.http.deadlines import CLIENT_LEFT, until_disconnect
from rag.api.http.problems import problem
from rag.api.http.sse import event, with_heartbeat
from rag.api.schemas import ChatRequest, ChatResponse
from rag.api.serializers import retrieval_of
from rag.api.services.chat_turns import OwnConversation, TurnEvent, TurnFinished

router = APIRouter(tags=["chat"])
STREAM: dict[int | str, dict[str, Any]] = {200: {"content": {"text/event-stream": {}}}}
STREAM_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


@router.post(
    "/chat/run",
    response_model=ChatResponse,
    response_model_exclude_none=True,
    responses=STREAM,
    operation_id="ask",
)
async def run(body: ChatRequest, caller: Questioner, services: Services, request: Request) -> Any:
    """Answer a question from the book, as one document, or as `/chat/stream` does where `stream` is true.

    Cancel the answer by disconnecting.
    """
    if body.stream:
        return await stream(body, caller, services, request)
    response = await until_disconnect(request, answer_of(body, caller, services))
    return Response(status_code=CLIENT_LEFT) if response is None else response


async def answer_of(
    body: ChatRequest, caller: Caller, services: AppServices, own: OwnConversation | None = None
) -> ChatResponse:
    """Return the whole answer of a turn."""
    async with aclosing(services.turns.answer(body, caller, own)) as events:
        async for turn_event in events:
            if isinstance(turn_event, TurnFinished):
                return turn_event.response
    raise AssertionError("a turn ends with TurnFinished")


@router.post("/chat/stream", responses=STREAM, response_class=StreamingResponse, operation_id="ask_stream")
async def stream(body: ChatRequest, caller: Questioner, services: Services, request: Request) -> StreamingResponse:
    """Answer as Server-Sent Events.

    `retrieval` for each search, `token` for each piece of the answer, `sources`, then `done` with the whole
    ChatResponse, or `error` with a problem document. A comment comes every 15 seconds. Cancel the answer by
    disconnecting.
    """
    caller.book(body.book_id)
    caller.filters(body)

    def fail(status: int, detail: str) -> str:
        return event("error", problem(request.url.path, status, detail))

    return streamed(stream_of(services.turns.answer(body, caller), services, _texts, fail))


async def stream_of(
    turn: AsyncGenerator[TurnEvent],
    services: AppServices,
    tell: Callable[[TurnEvent], Iterable[str]],
    fail: Callable[[int, str], str],
    begin: Iterable[str] = (),
) -> AsyncGenerator[str]:
    """Yield `begin`, then what `tell` writes of each event of a turn; where it fails, what `fail` writes of that."""
    try:
        with services.metrics.streams.track_inprogress():
            async with services.deadlines.limit(), aclosing(turn):
                for text in begin:
                    yield text
                async for turn_event in turn:
                    for text in tell(turn_event):
                        yield text
    except Exception as error:
        reported = services.failures.report(error)
        yield fail(reported.status, reported.detail)


def streamed(texts: AsyncGenerator[str]) -> StreamingResponse:
    """Return a stream of events, with a comment where none comes for long."""
    return StreamingResponse(with_heartbeat(texts), media_type="text/event-stream", headers=STREAM_HEADERS)


def _texts(turn_event: TurnEvent) -> Iterator[str]:
    if isinstance(turn_event, Searched):
        yield event("retrieval", retrieval_of(turn_event))
    elif isinstance(turn_event, Token):
        yield event("token", {"text": turn_event.text})
    elif isinstance(turn_event, Replaced):
        yield event("replaced", {"text": turn_event.text})
    else:
        document = turn_event.response.model_dump(mode="json", exclude_none=True)
        yield event("sources", {"sources": document["sources"]})
        yield event("done", document)
