"""The routes that OpenAI's newer clients ask: `/v1/responses`, and `/v1/embeddings` of the book's embedder."""

from __future__ import annotations

import base64
from collections.abc import AsyncGenerator, Iterator
from typing import Annotated, Any, Literal

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import JSONResponse, Response
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from ingestion.tokens import count_tokens
from rag.api.dependencies import AppServices, Questioner, Services
from rag.api.http.auth import Caller
from rag.api.http.deadlines import CLIENT_LEFT, until_disconnect
from rag.api.http.problems import openai_error
from rag.api.routes.chat import answer_of, stream_of, streamed
from rag.api.routes.openai import require_book, task_reply
from rag.api.schemas import ChatRequest
from rag.api.services.chat_turns import OwnConversation, TurnEvent, TurnFinished
from rag.api.services.client_tasks import task_in
from rag.api.services.completions import last_text
from rag.api.services.responses import Reply, ResponseRequest
from rag.api.services.sent_text import Sent
from rag.retrieval.abandonment import in_thread

router = APIRouter(prefix="/v1", tags=["openai"])
_ANSWERS: dict[int | str, dict[str, Any]] = {200: {"content": {"application/json": {}, "text/event-stream": {}}}}

MAX_TEXTS = 256
MAX_TEXT_CHARS = 8000


@router.post("/responses", responses=_ANSWERS, response_class=Response, operation_id="create_response")
async def responses(body: ResponseRequest, caller: Questioner, services: Services, request: Request) -> Any:
    """Answer the input from the book that `model` names, as a response or a stream of its events.

    Sources are annotations of the text. A conversation is kept unless `store` is false, and goes on with
    `previous_response_id`.
    """
    await require_book(body.model, caller, services)
    await _require_previous(body, caller, services)
    if task := task_in(last_text(body.messages())):
        return JSONResponse(
            Reply.begin(body, None).plain_document(await task_reply(task, body.model, caller, services))
        )
    question, own = body.question(request.headers)
    caller.filters(question)
    reply = Reply.begin(body, question.session_id if own.is_kept_here else None)
    if body.stream:
        return streamed(_events(reply, question, own, caller, services))
    response = await until_disconnect(request, answer_of(question, caller, services, own))
    if response is None:
        return Response(status_code=CLIENT_LEFT)
    reply.limit.take(response.response)
    reply.limit.rest()
    return JSONResponse(reply.document(response))


async def _require_previous(body: ResponseRequest, caller: Caller, services: AppServices) -> None:
    """Raise 404 unless the response before is one that the server keeps for the caller."""
    try:
        thread = body.previous_thread()
    except LookupError:
        raise HTTPException(404, f"no response {str(body.previous_response_id)[:60]!r}") from None
    if thread and await services.database.run(services.turns.threads.find, thread, owner=caller.owner) is None:
        raise HTTPException(404, f"no response {str(body.previous_response_id)[:60]!r} is kept")


def _events(
    reply: Reply, question: ChatRequest, own: OwnConversation, caller: Caller, services: AppServices
) -> AsyncGenerator[str]:
    sent = Sent(reply.limit)

    def tell(event: TurnEvent) -> Iterator[str]:
        if isinstance(event, TurnFinished):
            yield "".join(reply.ends(event.response, sent.begins_at))
        elif piece := sent.piece(event):
            yield reply.delta(piece)

    def fail(status: int, detail: str) -> str:
        return reply.fails(openai_error(status, detail)["error"])

    return stream_of(services.turns.answer(question, caller, own), services, tell, fail, reply.begins())


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("a text to embed must not be blank")
    return text


EmbeddedText = Annotated[str, StringConstraints(min_length=1, max_length=MAX_TEXT_CHARS), AfterValidator(_not_blank)]


class EmbeddingRequest(BaseModel):
    """Texts to embed with the model that the index was made with; send text, not numbers of tokens."""

    model_config = ConfigDict(
        extra="allow", json_schema_extra={"examples": [{"model": "physical-ai-robotics", "input": "What is a node?"}]}
    )

    model: str = Field(min_length=1, max_length=200, description="Id of a book, or the name of its embedding model.")
    input: EmbeddedText | Annotated[list[EmbeddedText], Field(min_length=1, max_length=MAX_TEXTS)]
    encoding_format: Literal["float", "base64"] = "float"
    dimensions: int | None = Field(None, strict=True, ge=1, description="Those of the model; no others can be had.")


@router.post("/embeddings", response_class=JSONResponse, operation_id="create_embedding")
async def embeddings(body: EmbeddingRequest, caller: Questioner, services: Services) -> Any:
    """Return the vectors of texts, made as those of the index are."""
    if caller.is_public:
        raise HTTPException(403, "a public key cannot embed texts, only ask questions")
    async with services.index.embedder() as embedder:
        if body.model != embedder.model:
            await require_book(body.model, caller, services)
        if body.dimensions not in (None, embedder.dimensions):
            raise HTTPException(422, f"dimensions: the book's model has {embedder.dimensions}")
        texts = [body.input] if isinstance(body.input, str) else body.input
        vectors = await in_thread(embedder.embed_documents, texts)
    tokens = sum(count_tokens(texts))
    data = [
        {"object": "embedding", "index": index, "embedding": _encoded(vector, body.encoding_format)}
        for index, vector in enumerate(vectors)
    ]
    usage = {"prompt_tokens": tokens, "total_tokens": tokens}
    return {"object": "list", "data": data, "model": body.model, "usage": usage}


def _encoded(vector: Any, form: str) -> str | list[float]:
    if form == "float":
        numbers: list[float] = vector.tolist()
        return numbers
    return base64.b64encode(vector.astype("<f4").tobytes()).decode()
