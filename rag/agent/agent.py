"""Answer a question from one book, as a stream of events, with a language model or without one.

    agent = build_agent(retriever)
    async for event in agent.run("How do nodes talk?", history, Filters(hardware_tier=2)):
        match event:
            case Searched(query, passages): ...    # once for each search, at least once
            case Token(text): ...                  # the answer as it comes
            case Replaced(text): ...               # the answer in place of all Tokens
            case Done(response): ...               # last: the whole answer, its sources, times and confidence

A refusal comes as Token and Done too, with state `no_results`. Failures are raised as BookwiseErrors, also after
Tokens: UsageError for a question or filter that cannot be used, ChatModelError, EmbeddingError, VectorStoreError.
With `tell_failure` the book is quoted if the model fails, see Agent.
To stop early, close the iterator (`aclose`) or cancel the task: the call to the model ends with it.
`history` are messages with `role` and `content`, oldest first, without the question.
"""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING

from ingestion.errors import ChatModelError, UsageError
from ingestion.tokens import count_tokens
from rag.agent.events import Done, Event, Replaced, Searched, Token
from rag.agent.grounded_stream import GroundedStream, Written
from rag.agent.history import CHAT_ENCODING
from rag.agent.response import generated_answer
from rag.agent.tool_loop import ToolLoop
from rag.filters import NO_FILTERS, Filters, SearchMode
from rag.grounding.citations import CiteStyle
from rag.grounding.shown_passages import ShownPassages
from rag.grounding.support import SupportCheck, embedder_for_checks, entailment_model
from rag.models import AgentResponse, PastMessage
from rag.quoting.question_in_context import QuestionInContext
from rag.quoting.search_gate import GatedResult, RetrievalGate
from rag.retrieval.abandonment import in_thread
from rag.retrieval.retriever import Retriever

if TYPE_CHECKING:
    from ingestion.settings import Settings
    from rag.chat_model.client import ChatModel

MAX_QUESTION_TOKENS = 1000
"""A longer question is a mistake and would only cost money."""

INCOMPLETE = "the answer is incomplete: {}"

FailureTeller = Callable[[ChatModelError], str]
"""Records a failure and returns the message for the reader."""


class Agent:
    """Answers from one book; one agent may run any number of questions at once, all in one event loop.

    With `model` None, answers are quoted from the book. With `tell_failure` a failing model does not end the answer:
    what it wrote stands if the book supports enough of it, else the book is quoted as without a model, and the
    response's `error` is what `tell_failure` returns. Without it, or with nothing to quote, the failure is raised.
    """

    def __init__(
        self, retriever: Retriever, model: ChatModel | None, *, tell_failure: FailureTeller | None = None
    ) -> None:
        self._retriever = retriever
        self._model = model
        self._tell_failure = tell_failure
        self._entailment = entailment_model(retriever.settings.agent.entailment)

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

        `top_k` (1–100) and `min_score` (0–1) override the settings. `style` asks for a tone and form; it changes no
        rule.
        """
        started = time.perf_counter()
        _check_length(question)
        gate = self._gate(filters, mode, top_k, min_score)
        asked = QuestionInContext(question, history, gate, started)
        gated = await in_thread(asked.search if self._model else asked.search_to_quote)
        yield Searched(gated.response.query, gated.response.results)
        # Only the model may be able to word a follow-up as a search, so it is asked to.
        if self._model and (not gated.is_off_subject or history):
            shown = ShownPassages()
            # In every interface alike: the user's settings first, then the caller's style.
            style = "\n".join(filter(None, (self._retriever.settings.agent.system_prompt, style)))
            loop = ToolLoop(self._model, gate, question, history, shown=shown, style=style)
            check = SupportCheck(shown, embedder_for_checks(self._retriever.embedder), self._entailment)
            answering = self._generate(GroundedStream(loop, shown, check, cite_style), asked, gated)
        else:
            answering = self._quote(asked, gated)
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
        )

    async def _quote(self, asked: QuestionInContext, gated: GatedResult) -> AsyncGenerator[Event]:
        response = await in_thread(asked.quote, gated)
        if self._model:
            response = response.model_copy(update={"model": self._model.name})
        yield Token(response.answer)
        yield Done(response)

    async def _generate(
        self, stream: GroundedStream, asked: QuestionInContext, gated: GatedResult
    ) -> AsyncGenerator[Event]:
        gate_seconds = time.perf_counter() - asked.started
        async with aclosing(stream.run(gated)) as parts:
            async for part in parts:
                if isinstance(part, Written):
                    written = part
                else:
                    yield part
        failure = written.outcome.error
        if failure and (self._tell_failure is None or not written.answer.may_stand):
            async for event in self._quote_instead(asked, failure, written):
                yield event
            return
        response = await in_thread(generated_answer, gated, written, self._retriever)
        if not response.answer.startswith(written.sent):
            yield Replaced(response.answer)
        elif rest := response.answer[len(written.sent) :]:
            yield Token(rest)
        if failure:
            response = self._incomplete(response, failure)
        yield Done(_timed(response, asked.started, gate_seconds + written.outcome.search_seconds))

    async def _quote_instead(
        self, asked: QuestionInContext, failure: ChatModelError, written: Written
    ) -> AsyncGenerator[Event]:
        """Answer as without a language model; raises the model's failure if there is no `tell_failure` or no
        quote."""
        if self._tell_failure is None:
            raise failure
        gated = await in_thread(asked.search_to_quote)
        response = await in_thread(asked.quote, gated)
        if not response.citations:
            raise failure
        yield Searched(gated.response.query, gated.response.results)
        yield Replaced(response.answer) if written.sent else Token(response.answer)
        changes = {
            "error": self._tell_failure(failure),
            "replaced": bool(written.sent),
            "tokens_used": written.outcome.tokens,
        }
        yield Done(response.model_copy(update=changes))

    def _incomplete(self, response: AgentResponse, failure: ChatModelError) -> AgentResponse:
        assert self._tell_failure
        error = INCOMPLETE.format(self._tell_failure(failure))
        return response.model_copy(update={"state": "low_confidence", "error": error})


def build_agent(retriever: Retriever, *, with_model: bool = True, tell_failure: FailureTeller | None = None) -> Agent:
    """Return an agent with the configured language model, if there is one and `with_model` is set."""
    return Agent(retriever, model_of(retriever.settings) if with_model else None, tell_failure=tell_failure)


def model_of(settings: Settings, *, many: bool = False) -> ChatModel | None:
    """Return the configured language model, None without a key or service for it; it may serve any number of agents.

    `many` for a server, see ChatModel.
    """
    if not has_model(settings):
        return None
    from rag.chat_model.client import ChatModel

    key = settings.openai.api_key
    return ChatModel(
        settings.agent.model,
        api_key=key.reveal() if key else None,
        base_url=settings.openai.base_url,
        temperature=settings.agent.temperature,
        max_answer_tokens=settings.agent.answer_tokens,
        # A server needs the rest of an answer's time to quote the book if the model does not answer.
        timeout=min(settings.agent.timeout, settings.api.timeout / 2) if many else settings.agent.timeout,
        many=many,
    )


def has_model(settings: Settings) -> bool:
    """Return whether a language model is configured: by a key, or by a service that may need none."""
    return bool(settings.openai.api_key or settings.openai.base_url)


def _check_length(question: str) -> None:
    if len(question.encode("utf-8", "replace")) <= MAX_QUESTION_TOKENS:
        return  # no token is shorter than a byte; the first exact count takes half a second
    tokens = count_tokens([question], CHAT_ENCODING)[0]
    if tokens > MAX_QUESTION_TOKENS:
        raise UsageError(f"the question has {tokens} tokens; the maximum is {MAX_QUESTION_TOKENS}, so shorten it")


def _timed(response: AgentResponse, started: float, search_seconds: float) -> AgentResponse:
    total = time.perf_counter() - started
    times = {
        "retrieval_time_ms": search_seconds * 1000,
        "generation_time_ms": (total - search_seconds) * 1000,
        "total_time_ms": total * 1000,
    }
    return response.model_copy(update=times)
