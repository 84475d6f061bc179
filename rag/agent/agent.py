"""Answer a question from one book, as a stream of events, with a language model or without one.

    agent = build_agent(retriever)
    async for event in agent.run("How do nodes talk?", history, Filters(hardware_tier=2)):
        match event:
            case Searched(query, passages): ...    # once for each search, at least once
            case Token(text): ...                  # the answer as it comes
            case Replaced(text): ...               # the answer in place of all Tokens, none of which the book holds
            case Done(response): ...               # last: the whole answer, its sources, times and confidence

A refusal comes as Token and Done too, with state `no_results`. Failures are raised as BookwiseErrors, also after
Tokens: UsageError for a question or filter that cannot be used, ChatModelError, EmbeddingError, VectorStoreError.
To stop early, close the iterator (`aclose`) or cancel the task: the call to the model ends with it.
`history` are messages with `role` and `content`, oldest first, without the question.
"""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING

from ingestion.errors import UsageError
from ingestion.tokens import count_tokens
from rag.agent.events import Done, Event, Replaced, Searched, Token
from rag.agent.extractive import PastAnswers, quote
from rag.agent.follow_ups import asks_for_more, topic_of
from rag.agent.grounded_stream import GroundedStream
from rag.agent.history import CHAT_ENCODING, PastMessage
from rag.agent.response import generated_answer
from rag.agent.search_gate import GatedResult, RetrievalGate
from rag.agent.tool_loop import ToolLoop
from rag.filters import NO_FILTERS, Filters, SearchMode
from rag.grounding.citations import CiteStyle
from rag.grounding.shown_passages import ShownPassages
from rag.grounding.support import SupportCheck, embedder_for_checks
from rag.models import AgentResponse
from rag.retrieval.abandonment import in_thread
from rag.retrieval.retriever import Retriever

if TYPE_CHECKING:
    from ingestion.settings import Settings
    from rag.agent.chat_model import ChatModel

MAX_QUESTION_TOKENS = 1000
"""A question that is longer is a mistake, and would only cost."""


class Agent:
    """Answers from one book; one agent may run any number of questions at once, all in one event loop.

    `model` is None where answers are to be quoted from the book.
    """

    def __init__(self, retriever: Retriever, model: ChatModel | None) -> None:
        self._retriever = retriever
        self._model = model

    async def aclose(self) -> None:
        """Close the connections to the language model."""
        if self._model:
            await self._model.close()

    async def run(
        self,
        question: str,
        history: Sequence[PastMessage] = (),
        filters: Filters = NO_FILTERS,
        *,
        mode: SearchMode = "hybrid",
        top_k: int | None = None,
        min_score: float | None = None,
        cite_style: CiteStyle = "number",
        style: str = "",
    ) -> AsyncGenerator[Event]:
        """Answer `question`. The model neither sees the filters nor can widen them.

        `top_k` (1–20) and `min_score` (0–1) are the caller's instead of the settings'. `style` is what the caller
        says of tone and form; it changes no rule.
        """
        started = time.perf_counter()
        _check_length(question)
        gate = self._gate(filters, mode, top_k, min_score)
        topic = topic_of(history)
        gated = await in_thread(gate.find_for, question, topic)
        wants_more = topic is not None and asks_for_more(question, topic)
        if wants_more and not self._model:
            gated = await in_thread(gate.widen, gated)
        yield Searched(gated.response.query, gated.response.results)
        # A follow-up may be one that only the model can word as a search, so that it is asked for one.
        if self._model and (not gated.is_off_subject or history):
            loop = ToolLoop(self._model, gate, question, history, shown=ShownPassages(), style=style)
            answering = self._generate(loop, gated, cite_style, started)
        else:
            goes_on = gated.response.query != question
            told = [message.content for message in history if message.role == "assistant"] if goes_on else []
            answering = self._quote(question, gated, started, PastAnswers("\n\n".join(told), wants_more))
        async with aclosing(answering):
            async for event in answering:
                yield event

    def _gate(self, filters: Filters, mode: SearchMode, top_k: int | None, min_score: float | None) -> RetrievalGate:
        settings = self._retriever.settings
        return RetrievalGate(
            self._retriever,
            filters,
            settings.agent.top_k if top_k is None else top_k,
            settings.agent.score_threshold if min_score is None else min_score,
            mode,
            reads_blocks=self._model is None,
        )

    async def _quote(
        self, question: str, gated: GatedResult, started: float, told: PastAnswers
    ) -> AsyncGenerator[Event]:
        response = await in_thread(quote, question, gated, self._retriever, started=started, told=told)
        if self._model:
            response = response.model_copy(update={"model": self._model.name})
        yield Token(response.answer)
        yield Done(response)

    async def _generate(
        self, loop: ToolLoop, gated: GatedResult, cite_style: CiteStyle, started: float
    ) -> AsyncGenerator[Event]:
        gate_seconds = time.perf_counter() - started
        check = SupportCheck(loop.shown, embedder_for_checks(self._retriever.embedder))
        stream = GroundedStream(loop, check, cite_style)
        async with aclosing(stream.run(gated)) as events:
            async for event in events:
                yield event
        retriever = self._retriever
        response = await in_thread(
            generated_answer, gated, loop, stream.answer, retriever, text=stream.text(gated), told=stream.told
        )
        if not response.answer.startswith(stream.told):
            yield Replaced(response.answer)
        elif rest := response.answer[len(stream.told) :]:
            yield Token(rest)
        yield Done(_timed(response, started, gate_seconds + loop.search_seconds))


def build_agent(retriever: Retriever, *, with_model: bool = True) -> Agent:
    """Return an agent with the settings' language model, if there is one and `with_model` is set."""
    return Agent(retriever, model_of(retriever.settings) if with_model else None)


def model_of(settings: Settings, *, many: bool = False) -> ChatModel | None:
    """Return the settings' language model, None without a key or service for it; one may serve any number of agents.

    `many` for a server, see ChatModel.
    """
    if not has_model(settings):
        return None
    from rag.agent.chat_model import ChatModel

    key = settings.openai.api_key
    return ChatModel(
        settings.agent.model,
        api_key=key.reveal() if key else None,
        base_url=settings.openai.base_url,
        temperature=settings.agent.temperature,
        max_answer_tokens=settings.agent.answer_tokens,
        timeout=settings.agent.timeout,
        many=many,
    )


def has_model(settings: Settings) -> bool:
    """Return whether the settings name a language model: by a key, or by a service that may need none."""
    return bool(settings.openai.api_key or settings.openai.base_url)


def _check_length(question: str) -> None:
    if len(question.encode("utf-8", "replace")) <= MAX_QUESTION_TOKENS:
        return  # no token is shorter than a byte; to count them exactly costs half a second at the first time
    tokens = count_tokens([question], CHAT_ENCODING)[0]
    if tokens > MAX_QUESTION_TOKENS:
        raise UsageError(f"the question has {tokens} tokens; at most {MAX_QUESTION_TOKENS} are taken, so shorten it")


def _timed(response: AgentResponse, started: float, search_seconds: float) -> AgentResponse:
    total = time.perf_counter() - started
    times = {
        "retrieval_time_ms": search_seconds * 1000,
        "generation_time_ms": (total - search_seconds) * 1000,
        "total_time_ms": total * 1000,
    }
    return response.model_copy(update=times)
