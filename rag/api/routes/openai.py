"""Routes that OpenAI's clients know: the books as models, and answers as chat completions."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Iterator
from typing import Any

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel

from rag.api.dependencies import AppServices, CurrentCaller, Questioner, Services
from rag.api.http.auth import Caller
from rag.api.http.deadlines import CLIENT_LEFT, until_disconnect
from rag.api.http.problems import openai_error
from rag.api.routes.chat import STREAM_HEADERS, answer_of, stream_of, streamed
from rag.api.schemas import ChatRequest, ChatResponse
from rag.api.services.chat_turns import OwnConversation, TurnEvent, TurnFinished
from rag.api.services.client_tasks import Task, task_in
from rag.api.services.completions import (
    Completion,
    CompletionRequest,
    about,
    asked_in,
    finish,
    last_text,
    url_citations,
)
from rag.api.services.sent_text import Sent

router = APIRouter(prefix="/v1", tags=["openai"])
CREATED = 1_735_689_600
"""Clients require a date of a model; a book has none."""
DONE = "data: [DONE]\n\n"

_ANSWERS: dict[int | str, dict[str, Any]] = {200: {"content": {"application/json": {}, "text/event-stream": {}}}}


class BookModel(BaseModel):
    """A book as a model; `name` is its title, which Open WebUI shows in place of the id."""

    id: str
    name: str | None = None
    object: str = "model"
    created: int = CREATED
    owned_by: str = "bookwise"


class BookModels(BaseModel):
    """The books that the key may ask, as models."""

    object: str = "list"
    data: tuple[BookModel, ...]


@router.get("/models", response_model=BookModels, response_model_exclude_none=True, operation_id="list_models")
async def models(caller: CurrentCaller, services: Services) -> BookModels:
    """List the books that the key may ask."""
    return BookModels(data=tuple(_model(book, services) for book in await _books(caller, services)))


@router.get(
    "/models/{model:path}", response_model=BookModel, response_model_exclude_none=True, operation_id="get_model"
)
async def model(model: str, caller: CurrentCaller, services: Services) -> BookModel:
    """Return a book as a model."""
    await require_book(model, caller, services)
    return _model(model, services)


@router.post("/chat/completions", responses=_ANSWERS, response_class=Response, operation_id="create_completion")
async def completions(body: CompletionRequest, caller: Questioner, services: Services, request: Request) -> Any:
    """Answer the last message from the book that `model` names, as a chat completion or a stream of chunks.

    Sources are annotations, and a list at the end of the text. A system message changes the tone, never the filters
    or the duty to cite.
    """
    await require_book(body.model, caller, services)
    completion = Completion.begin(body)
    has_usage = bool(body.stream_options and body.stream_options.include_usage)
    if task := task_in(last_text(body.messages)):
        reply = await task_reply(task, body.model, caller, services)
        if not body.stream:
            return JSONResponse(completion.plain_document(reply) | {"bookwise": {"recorded": False}})
        stream = "".join(_plain_stream(completion, reply, has_usage=has_usage))
        return Response(stream, media_type="text/event-stream", headers=STREAM_HEADERS)
    question, own = asked_in(body.model, body.messages, body.model_extra or {}, request.headers)
    caller.filters(question)
    if body.stream:
        return streamed(_pieces(completion, question, own, caller, services, has_usage=has_usage))
    response = await until_disconnect(request, answer_of(question, caller, services, own))
    if response is None:
        return Response(status_code=CLIENT_LEFT)
    return JSONResponse(completion.document(response))


def _pieces(
    completion: Completion,
    question: ChatRequest,
    own: OwnConversation,
    caller: Caller,
    services: AppServices,
    *,
    has_usage: bool,
) -> AsyncGenerator[str]:
    sent = Sent(completion.request.limit())

    def tell(event: TurnEvent) -> Iterator[str]:
        if isinstance(event, TurnFinished):
            yield _end(completion, event.response, sent, has_usage=has_usage)
        elif text := sent.piece(event):
            yield _data(completion.chunk({"content": text}))

    def fail(status: int, detail: str) -> str:
        return _data(openai_error(status, detail))

    begin = [_data(completion.chunk({"role": "assistant", "content": ""}))]
    return stream_of(services.turns.answer(question, caller, own), services, tell, fail, begin)


def _plain_stream(completion: Completion, text: str, *, has_usage: bool) -> Iterator[str]:
    """Yield the stream of a text that is whole from the start."""
    yield _data(completion.chunk({"role": "assistant", "content": text}))
    yield _data(completion.chunk({}, finish="stop"))
    if has_usage:
        yield _data(completion.usage_chunk(completion.counted_usage(text)))
    yield DONE


def _end(completion: Completion, response: ChatResponse, sent: Sent, *, has_usage: bool) -> str:
    """Return the last pieces: the sources, the end, and the usage where it is asked for."""
    rest, answer = sent.limit.rest(), sent.answer()
    footer = completion.footer(response, sent.limit)
    sources = {"content": rest + footer, "annotations": url_citations(response, answer, begins_at=sent.begins_at)}
    pieces = [
        _data(completion.chunk(sources)),
        _data(completion.chunk({}, finish=finish(response, sent.limit), bookwise=about(response))),
    ]
    if has_usage:
        pieces.append(_data(completion.usage_chunk(completion.usage(response, sent.limit))))
    return "".join([*pieces, DONE])


def _data(document: dict[str, Any]) -> str:
    return f"data: {json.dumps(document, ensure_ascii=False, separators=(',', ':'))}\n\n"


def _model(book_id: str, services: AppServices) -> BookModel:
    return BookModel(id=book_id, name=services.title_of(book_id))


async def _books(caller: Caller, services: AppServices) -> list[str]:
    indexed = set(await services.index.books())
    return sorted(indexed & set(caller.books or indexed))


async def task_reply(task: Task, book_id: str, caller: Caller, services: AppServices) -> str:
    """Return the reply to what a client asks for itself; nothing of it is recorded."""
    wants_more = task.key == "follow_ups" and task.asked
    found = await services.turns.follow_ups(book_id, task.asked[-1], task.cited, caller) if wants_more else []
    return task.reply(found)


async def require_book(model: str, caller: Caller, services: AppServices) -> None:
    """Raise 404 unless the key may ask a book of that name; a book of others is like one that does not exist."""
    if model not in await _books(caller, services):
        raise HTTPException(404, f"the model {model[:100]!r} does not exist; /v1/models lists the books")
