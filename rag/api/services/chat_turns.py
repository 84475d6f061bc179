"""Run one turn of a conversation: load the thread, let the agent answer, store the exchange, yield what happens."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, AsyncIterator, Collection
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID
from weakref import WeakValueDictionary

from fastapi import HTTPException

from ingestion.errors import BookwiseError, ChatModelError
from ingestion.tokens import count_tokens
from rag.agent.agent import Agent, model_of
from rag.agent.events import Done, Replaced, Searched, Token
from rag.agent.history import CHAT_ENCODING
from rag.agent.rehearsal import rehearse
from rag.agent.tool_loop import NO_ANSWER, UNFINISHED
from rag.api.http.auth import Caller
from rag.api.http.context import current_request
from rag.api.http.failures import FailureReporter
from rag.api.http.metrics import Metrics
from rag.api.http.threadpool import DatabaseThreads
from rag.api.schemas import ChatRequest, ChatResponse, ShownAnswer
from rag.api.serializers import chat_response, tool_call_of
from rag.conversations.models import ConversationThread, Message, ToolCall, new_thread_id, now
from rag.conversations.questions import AskedQuestion, NearestPage, QuestionLog
from rag.conversations.store import ThreadStore
from rag.conversations.titles import topic_by_model, topic_summary
from rag.filters import NO_FILTERS
from rag.models import EXTRACTIVE, AgentResponse, SearchResult
from rag.query_text import is_long_enough
from rag.quoting.next_sections import next_sections
from rag.retrieval.abandonment import in_thread
from rag.serving.failures import MODEL
from rag.serving.shared_index import SharedIndex

logger = logging.getLogger("bookwise.api")

SPEC_THRESHOLD = 0.7
SEARCHED_FOR_NEXT = 10
"""Number of passages in which a client's suggestions are found."""

NEAREST_PAGES = 3
"""Number of pages recorded with a question."""


@dataclass(frozen=True, slots=True)
class TurnFinished:
    """The end of a turn; its exchange is stored."""

    response: ChatResponse


TurnEvent = Searched | Token | Replaced | TurnFinished


@dataclass(frozen=True, slots=True)
class OwnConversation:
    """A conversation that the client keeps itself: its messages so far, and the style that it asks for.

    With `is_kept_here` the messages are also in a thread of the server. A question is recorded only once.
    """

    history: tuple[Message, ...] = ()
    style: str = ""
    is_recorded: bool = True
    is_kept_here: bool = False


@dataclass(frozen=True, slots=True)
class Turn:
    """A running question: its caller, thread and start time."""

    request: ChatRequest
    caller: Caller
    thread_id: UUID
    asked_at: datetime
    book_id: str
    own: OwnConversation | None = None


@dataclass(slots=True)
class Seen:
    """The searches of one answer and their results."""

    passages: dict[str, SearchResult] = field(default_factory=dict)
    searches: list[ToolCall] = field(default_factory=list)
    _last: Searched | None = None

    def add(self, event: Searched) -> bool:
        """Add a search; returns whether it adds anything to the one before."""
        self.passages |= {passage.id: passage for passage in event.passages}
        is_new, self._last = event != self._last, event
        if is_new:
            self.searches.append(tool_call_of(event))
        return is_new


class ChatTurns:
    """Answers questions in threads; two questions of one thread are answered one after the other."""

    def __init__(
        self,
        index: SharedIndex,
        threads: ThreadStore,
        questions: QuestionLog,
        metrics: Metrics,
        failures: FailureReporter,
        database: DatabaseThreads,
    ) -> None:
        self.threads = threads
        self._questions = questions
        self._index = index
        self._metrics = metrics
        self._failures = failures
        self._database = database
        self._locks: WeakValueDictionary[tuple[str, UUID], asyncio.Lock] = WeakValueDictionary()
        self._model = model_of(index.settings, many=True)
        self._naming: set[asyncio.Task[None]] = set()

    @property
    def model_name(self) -> str | None:
        """The language model that writes the answers, None where they are quoted."""
        return self._model.name if self._model else None

    async def answer(
        self, request: ChatRequest, caller: Caller, own: OwnConversation | None = None
    ) -> AsyncGenerator[TurnEvent]:
        """Yield the events of one turn, TurnFinished last; a turn that fails or is left early changes nothing.

        For a conversation that the client keeps, only the question is recorded, in no thread. Raises BookwiseErrors.
        Closing the iterator ends the call to the model.
        """
        thread_id = request.session_id or new_thread_id()
        filters = caller.filters(request)
        asked_at = now()
        book_id = caller.book(request.book_id)
        async with self._lock_of(caller, thread_id), self._index.retriever(book_id, caller.scope) as retriever:
            turn = Turn(request, caller, thread_id, asked_at, retriever.book_id, own)
            history = await self._history(turn)
            running = Agent(retriever, self._model, tell_failure=self._failures.degraded).run(
                _question(request.message),
                history,
                filters,
                mode=request.ranking,
                top_k=request.top_k,
                min_score=self._threshold(request),
                style=own.style if own else "",
            )
            seen, began, is_first = Seen(), time.perf_counter(), True
            async with aclosing(running) as events:
                async for event in events:
                    if isinstance(event, Done):
                        yield TurnFinished(await self._finish(turn, event.response, seen))
                        continue
                    if isinstance(event, Searched):
                        current_request().awaits = MODEL if self._model else ""
                        if not seen.add(event):
                            continue
                    elif is_first:
                        is_first = False
                        self._metrics.waited(first_token=time.perf_counter() - began)
                    yield event

    async def follow_ups(self, book_id: str, asked: str, cited: Collection[str], caller: Caller) -> list[str]:
        """Return follow-up questions for an answer that cites pages of these titles; nothing is recorded."""
        async with self._index.retriever(book_id, caller.scope) as retriever:
            search = partial(retriever.search, limit=SEARCHED_FOR_NEXT, filters=NO_FILTERS)
            found = (await in_thread(search, _question(asked))).results
        pages = [passage for passage in found if passage.page_title in cited] or list(found[:1])
        return [each.question for each in next_sections(found, pages[:1], question=asked)]

    async def prepare(self) -> None:
        """Load what the first answer needs, and answer once without keeping it; raises BookwiseErrors."""
        if self._model:
            await asyncio.to_thread(self._model.prepare)
        await asyncio.to_thread(count_tokens, ["a question"], CHAT_ENCODING)
        await rehearse(self._index)

    async def aclose(self) -> None:
        """Close the connections to the language model; topics that are being written can be written later."""
        for naming in self._naming:
            naming.cancel()
        if self._model:
            await self._model.close()

    def _threshold(self, request: ChatRequest) -> float | None:
        if request.similarity_threshold is None and self._index.settings.confidence.policy == "spec":
            return SPEC_THRESHOLD
        return request.similarity_threshold

    @asynccontextmanager
    async def _lock_of(self, caller: Caller, thread_id: UUID) -> AsyncIterator[None]:
        lock = self._locks.setdefault((caller.owner, thread_id), asyncio.Lock())
        async with lock:
            yield

    async def _history(self, turn: Turn) -> tuple[Message, ...]:
        """Return the messages so far; a thread is created with its first exchange, so that a failure leaves none."""
        if turn.own and not turn.own.is_kept_here:
            self._check_turns(sum(message.role == "user" for message in turn.own.history))
            return turn.own.history
        if turn.request.session_id is None:
            return ()
        thread = await self._database.run(self.threads.find, turn.thread_id, owner=turn.caller.owner)
        self._check_turns(thread.message_count // 2 if thread else 0)
        return thread.messages if thread else ()

    def _check_turns(self, asked: int) -> None:
        """Raise 409 if a conversation has reached its limit of questions."""
        most = self._index.settings.agent.max_turns
        if asked >= most:
            raise HTTPException(
                409, f"this conversation has reached its limit of {most} questions (AGENT_MAX_TURNS); start a new one"
            )

    async def _finish(self, turn: Turn, response: AgentResponse, seen: Seen) -> ChatResponse:
        response = self._degraded(response) if response.state == "error" else response
        found = seen.passages
        shown = chat_response(response, found, turn.thread_id, seen.searches)
        self._metrics.answered(shown.confidence_level, shown.tokens_used)
        self._metrics.waited(retrieval=response.retrieval_time_ms / 1000)
        if response.tokens_used:
            self._metrics.waited(model=response.generation_time_ms / 1000)
        self._log(turn, shown, response)
        has_failed = response.error not in (None, *UNFINISHED)
        is_written = response.model != EXTRACTIVE and response.tokens_used > 0 and not has_failed
        if turn.own and not turn.own.is_kept_here:
            if turn.own.is_recorded:
                await self._database.run(self._questions.record, self._asked(turn, shown, found))
            self._failures.answered(by_model=is_written)
            return shown
        thread = await self._store(turn, shown, found)
        self._failures.answered(by_model=is_written)
        if thread.needs_topic:
            self._naming.add(naming := asyncio.create_task(self._name(thread, turn.caller)))
            naming.add_done_callback(self._naming.discard)
        return shown.model_copy(update={"message_number": thread.message_count})

    def _degraded(self, response: AgentResponse) -> AgentResponse:
        """Return a failed answer as far as it got, without the service's error text, which is for the log."""
        failure = ChatModelError(response.error or NO_ANSWER)
        if not response.answer:
            raise failure
        self._failures.degraded(failure)
        return response.model_copy(update={"error": NO_ANSWER})

    async def _store(self, turn: Turn, shown: ChatResponse, found: dict[str, SearchResult]) -> ConversationThread:
        question = Message("user", turn.request.message, turn.asked_at)
        answer = Message("assistant", shown.response, confidence=shown.confidence, answer=_beside_the_text(shown))
        write = self.threads.begin if turn.request.session_id is None else partial(self.threads.append, create=True)
        messages, asked = [question, answer], self._asked(turn, shown, found)
        metadata = turn.request.metadata
        call = partial(write, turn.thread_id, messages, owner=turn.caller.owner, asked=asked, metadata=metadata)
        return await self._database.run(call)

    def _asked(self, turn: Turn, shown: ChatResponse, found: dict[str, SearchResult]) -> AskedQuestion:
        price = self._index.settings.api.token_price
        return AskedQuestion(
            thread_id=turn.thread_id,
            message_number=0,
            owner=turn.caller.owner,
            asked_at=turn.asked_at,
            book_id=turn.book_id,
            question=turn.request.message,
            hardware_tier=turn.request.as_filters().hardware_tier,
            answered=shown.should_answer,
            confidence_level=shown.confidence_level,
            supported=shown.supported,
            model=shown.model,
            tokens=shown.tokens_used,
            cost=shown.tokens_used * price / 1_000_000 if price else None,
            pages=_nearest_pages(found),
        )

    def _log(self, turn: Turn, shown: ChatResponse, response: AgentResponse) -> None:
        texts = {"question": turn.request.message, "answer": shown.response}
        facts = {
            "thread_id": str(turn.thread_id),
            "model": shown.model,
            "tokens": shown.tokens_used,
            "confidence_level": shown.confidence_level,
            "retrieval_ms": round(response.retrieval_time_ms, 1),
            "generation_ms": round(response.generation_time_ms, 1),
        }
        logger.info("answer", extra=(texts if self._index.settings.api.log_texts else {}) | facts)

    async def _name(self, thread: ConversationThread, caller: Caller) -> None:
        """Set the topic of a thread while it is answered; if that fails, the next answer tries again."""
        questions = [message.content for message in thread.messages if message.role == "user"]
        with suppress(BookwiseError):
            topic = await topic_by_model(self._model, questions) if self._model else None
            await self._database.run(
                self.threads.set_topic, thread.thread_id, topic or topic_summary(questions), owner=caller.owner
            )


def _question(message: str) -> str:
    """Return the message as it is asked: a search takes more characters than a message."""
    return message if is_long_enough(message) else f'"{message}"'


def _beside_the_text(shown: ChatResponse) -> dict[str, Any]:
    """Return what is stored of an answer, so that a reader who comes back can open its sources."""
    return ShownAnswer.model_validate(shown, from_attributes=True).model_dump(mode="json")


def _nearest_pages(found: dict[str, SearchResult]) -> tuple[NearestPage, ...]:
    """Return the pages of the best passages, one entry per page."""
    best: dict[str, NearestPage] = {}
    for passage in sorted(found.values(), key=lambda passage: -passage.relevance):
        page = NearestPage(passage.page_title, passage.page_url, passage.source_file, round(passage.score, 3))
        best.setdefault(passage.source_file, page)
    return tuple(best.values())[:NEAREST_PAGES]
