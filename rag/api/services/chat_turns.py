"""One turn of a conversation: load the thread, let the agent answer, keep the exchange, tell what happens."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID
from weakref import WeakValueDictionary

from ingestion.errors import BookwiseError, ChatModelError, UnknownThread
from ingestion.tokens import count_tokens
from rag.agent.agent import Agent, model_of
from rag.agent.events import Done, Searched, Token
from rag.agent.history import CHAT_ENCODING
from rag.agent.tools import MIN_QUERY_CHARS
from rag.api.http.auth import Caller
from rag.api.http.metrics import Metrics
from rag.api.http.threadpool import in_database
from rag.api.schemas import ChatRequest, ChatResponse, ShownAnswer
from rag.api.serializers import chat_response
from rag.conversations.models import ConversationThread, Message, first_question, new_thread_id, now
from rag.conversations.store import ThreadStore
from rag.conversations.titles import topic_by_model, topic_summary
from rag.models import AgentResponse, SearchResult
from rag.serving.shared_index import SharedIndex

logger = logging.getLogger("bookwise.api")

SPEC_THRESHOLD = 0.7


@dataclass(frozen=True, slots=True)
class Answered:
    """The end of a turn; its exchange is kept."""

    response: ChatResponse


TurnEvent = Searched | Token | Answered


class Conversations:
    """Answers questions in threads; two questions of one thread are answered one after the other."""

    def __init__(self, index: SharedIndex, threads: ThreadStore, metrics: Metrics) -> None:
        self.threads = threads
        self._index = index
        self._metrics = metrics
        self._turns: WeakValueDictionary[tuple[str, UUID], asyncio.Lock] = WeakValueDictionary()
        self._model = model_of(index.settings, many=True)
        self._naming: set[asyncio.Task[None]] = set()

    async def answer(self, request: ChatRequest, caller: Caller) -> AsyncGenerator[TurnEvent]:
        """Tell the events of one turn, Answered last; a turn that fails or is left early changes nothing.

        Raises BookwiseErrors. Closing the iterator ends the call to the model.
        """
        session_id = request.session_id or new_thread_id()
        filters = caller.filters(request)
        asked = now()
        found: dict[str, SearchResult] = {}
        async with (
            self._turn_of(caller, session_id),
            self._index.retriever(caller.book(request.book_id)) as retriever,
        ):
            session = request.session_id
            thread = await in_database(self._thread, session, request.message, caller) if session else None
            history = thread.messages if thread else ()
            running = Agent(retriever, self._model).run(
                _question(request.message),
                history,
                filters,
                mode=request.ranking,
                top_k=request.top_k,
                min_score=self._threshold(request),
            )
            async with aclosing(running) as events:
                async for event in events:
                    if isinstance(event, Searched):
                        found |= {passage.id: passage for passage in event.passages}
                    if isinstance(event, Done):
                        response = event.response
                        if response.state == "error" and not response.answer:
                            raise ChatModelError(response.error or "the language model gave no answer")
                        yield Answered(await self._keep(request, response, found, session_id, caller, asked))
                    else:
                        yield event

    def prepare(self) -> None:
        """Load what the first answer needs, so that it takes no longer than the others; raises BookwiseErrors."""
        if self._model:
            self._model.prepare()
        count_tokens(["a question"], CHAT_ENCODING)
        self._index.prepare()

    async def aclose(self) -> None:
        """Close the connections to the language model; what a thread is about can be said later."""
        for naming in self._naming:
            naming.cancel()
        if self._model:
            await self._model.close()

    def _threshold(self, request: ChatRequest) -> float | None:
        if request.similarity_threshold is None and self._index.settings.confidence.policy == "spec":
            return SPEC_THRESHOLD
        return request.similarity_threshold

    @asynccontextmanager
    async def _turn_of(self, caller: Caller, thread_id: UUID) -> AsyncIterator[None]:
        lock = self._turns.setdefault((caller.owner, thread_id), asyncio.Lock())
        async with lock:
            yield

    def _thread(self, session_id: UUID, message: str, caller: Caller) -> ConversationThread:
        try:
            return self.threads.get(session_id, owner=caller.owner)
        except UnknownThread:
            # An id that nobody used yet begins a thread at once, so that it has an owner before it has an answer.
            return self.threads.create(session_id, owner=caller.owner, metadata=first_question(message))

    async def _keep(
        self,
        request: ChatRequest,
        response: AgentResponse,
        found: dict[str, SearchResult],
        session_id: UUID,
        caller: Caller,
        asked: datetime,
    ) -> ChatResponse:
        shown = chat_response(response, found, session_id)
        question = Message("user", request.message, asked)
        reply = Message("assistant", shown.response, confidence=shown.confidence, answer=_beside_the_text(shown))
        messages = [question, reply]
        if request.session_id is None:
            keep = partial(self.threads.begin, session_id, messages, owner=caller.owner)
        else:
            keep = partial(self.threads.append, session_id, messages, owner=caller.owner, create=True)
        thread = await in_database(keep)
        if thread.needs_topic:
            self._naming.add(naming := asyncio.create_task(self._name(thread, caller)))
            naming.add_done_callback(self._naming.discard)
        self._metrics.answered(shown.confidence_level, shown.tokens_used)
        texts = {"question": request.message, "answer": shown.response} if self._index.settings.api.log_texts else {}
        logger.info(
            "answer",
            extra=texts
            | {
                "thread_id": str(session_id),
                "model": shown.model,
                "tokens": shown.tokens_used,
                "confidence_level": shown.confidence_level,
                "retrieval_ms": round(response.retrieval_time_ms, 1),
                "generation_ms": round(response.generation_time_ms, 1),
            },
        )
        return shown

    async def _name(self, thread: ConversationThread, caller: Caller) -> None:
        """Say what a thread is about, beside its answer; where that fails, the next answer tries again."""
        questions = [each.content for each in thread.messages if each.role == "user"]
        with suppress(BookwiseError):
            topic = await topic_by_model(self._model, questions) if self._model else None
            await in_database(
                self.threads.set_topic, thread.thread_id, topic or topic_summary(questions), owner=caller.owner
            )


def _question(message: str) -> str:
    """The message as it is asked: a search takes three characters (spec 003), a message may have one (spec 004)."""
    return message if len(message) >= MIN_QUERY_CHARS else f'"{message}"'


def _beside_the_text(shown: ChatResponse) -> dict[str, Any]:
    """What is kept of an answer, so that a reader who comes back can open its sources."""
    return ShownAnswer.model_validate(shown, from_attributes=True).model_dump(mode="json")
