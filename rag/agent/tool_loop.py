"""The exchange with a language model about one question: it searches, is shown passages, and answers from them."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any

from ingestion.errors import ChatModelError, InvalidToolCall, UsageError
from rag.agent.history import recent_turns, tokens_of
from rag.agent.prompts import system_prompt
from rag.agent.tools import TOOL, SearchCall, error_json, parse_call, results_json
from rag.chat_model.client import ChatModel, Message, ToolChoice
from rag.chat_model.reply import Reply, ToolCall
from rag.chat_model.reply_reader import Read, ReplyReader
from rag.chat_model.text_calls import TextCall
from rag.chat_model.tool_names import TOOL_NAME
from rag.grounding.shown_passages import ShownPassages
from rag.models import PastMessage
from rag.quoting.search_gate import GatedResult, RetrievalGate
from rag.retrieval.abandonment import in_thread
from rag.tracing import span

MAX_MISTAKES = 3
"""How many invalid calls are answered with their error; one more ends the loop."""

MAX_CALLS = 8
"""How many calls of one reply are answered; a model that makes more repeats itself."""

TOOL_TOKENS = 250
"""Context tokens for the tool's schema, with some room for the calls."""

PARAGRAPH = "\n\n"
"""Separates the model's text before another search from its text after it."""

CUT_OFF = "the answer reached the limit AGENT_ANSWER_TOKENS and was cut off"
REPEATS = "the language model began to repeat itself, so the answer was stopped there"
UNFINISHED = (CUT_OFF, REPEATS)
"""Why an answer is incomplete although the service works."""

NO_ANSWER = "the language model returned no answer"
WRONG_CALLS = "the language model made too many invalid search calls"
NO_SEARCH_LEFT = "no more searches for this question; answer from the passages you have"
NO_ROOM = "no room for more passages; answer from those you have"


@dataclass(frozen=True, slots=True)
class LoopOutcome:
    """The outcome of a question to a model.

    `text` is the answer as the model wrote it, empty if it gave none; then `failure` says why, or is None if no
    result answers the question. `cut_off` says why the answer is incomplete. `error` is the service's failure,
    whatever came before. `results` are the model's searches, which took `search_seconds`; `shown` are the passages it
    was given.
    """

    question: str
    model: str
    text: str
    failure: str | None
    cut_off: str | None
    error: ChatModelError | None
    tokens: int
    completion_tokens: int
    results: tuple[GatedResult, ...]
    search_seconds: float
    shown: ShownPassages


class ToolLoop:
    """One question to a model."""

    def __init__(
        self,
        model: ChatModel,
        gate: RetrievalGate,
        question: str,
        history: Sequence[PastMessage],
        *,
        shown: ShownPassages,
        style: str = "",
    ) -> None:
        settings = gate.retriever.settings
        self._model = model
        self._question = question
        self._text = ""
        self._failure: str | None = None
        self._cut_off: str | None = None
        self._tokens = 0
        self._completion_tokens = 0
        self._search_seconds = 0.0
        self._results: list[GatedResult] = []
        self._shown = shown
        self._gate = gate
        self._max_searches = settings.agent.max_searches
        self._is_answered = False
        self._own_query = question
        self._searches = 0
        self._mistakes = 0
        self._reply = Reply("", (), is_cut_off=False, refusal=None)
        rules = system_prompt(style)
        system: Message = {"role": "system", "content": rules}
        asked: Message = {"role": "user", "content": question}
        self._left = settings.agent.context_tokens - settings.agent.answer_tokens - TOOL_TOKENS
        self._left -= tokens_of(rules) + tokens_of(question)
        past = recent_turns(history, max_tokens=min(settings.agent.context_tokens // 4, self._left // 2))
        self._messages = [system, *({"role": turn.role, "content": turn.content} for turn in past), asked]
        self._left -= sum(tokens_of(turn.content) for turn in past)
        if self._left <= 0:
            raise UsageError("the question leaves no room for passages; shorten it or raise AGENT_CONTEXT_TOKENS")

    async def run(self, gated: GatedResult) -> AsyncGenerator[GatedResult | str | LoopOutcome]:
        """Yield each search and each piece of the answer as it comes, then the outcome.

        `gated` is the result of searching for the question itself. If neither it nor the model's searches answer the
        question, no answer is requested.
        """
        error: ChatModelError | None = None
        try:
            async with aclosing(self._exchange(gated)) as parts:
                async for part in parts:
                    yield part
        except ChatModelError as failed:
            error = failed
        yield LoopOutcome(
            question=self._question,
            model=self._model.name,
            text=self._text,
            failure=self._failure,
            cut_off=self._cut_off,
            error=error,
            tokens=self._tokens,
            completion_tokens=self._completion_tokens,
            results=tuple(self._results),
            search_seconds=self._search_seconds,
            shown=self._shown,
        )

    async def _exchange(self, gated: GatedResult) -> AsyncGenerator[GatedResult | str]:
        self._is_answered = gated.metrics.should_answer
        self._own_query = gated.response.query
        while True:
            async with aclosing(self._replying()) as pieces:
                async for piece in pieces:
                    yield piece
            if self._is_over():
                return
            for result in await self._serve(self._reply):
                yield result
            if self._mistakes > MAX_MISTAKES:
                self._failure = WRONG_CALLS
            answerable = any(not result.is_off_subject for result in (gated, *self._results))
            if self._failure or (self._searches and not answerable):
                return

    async def _replying(self) -> AsyncGenerator[str]:
        """Ask the model for its next reply; yields the answer's text, which begins after the last search."""
        reading, is_left = ReplyReader(is_answer=self._searches > 0), False
        stream = self._model.reply(self._messages, tools=[TOOL], tool_choice=self._choice())
        request = {"gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai"}
        with span(f"chat {self._model.name}", request | {"gen_ai.request.model": self._model.name}) as opened:
            async with aclosing(stream):
                async for part in stream:
                    if isinstance(part, Reply):
                        self._reply = part
                        _trace_tokens(opened, part)
                        continue
                    if text := self._recorded(reading.feed(part)):
                        yield text
                    if is_left := reading.is_enough or self._cut_off is not None:
                        break
        for text in self._ended(reading.end(), is_left=is_left):
            yield text

    def _ended(self, read: Read, *, is_left: bool) -> Iterator[str]:
        """Process the complete reply, with calls written as text; yields the rest of the answer's text."""
        if is_left:
            self._reply = Reply(read.text, (), is_cut_off=False, refusal=None)
        if text := self._recorded(read.rest):
            yield text
        self._count_tokens()
        if read.calls and not self._reply.tool_calls:
            self._reply = replace(self._reply, tool_calls=_as_tool_calls(read.calls))
        if self._text and self._reply.tool_calls:
            yield self._recorded(PARAGRAPH)
        elif read.repeats and self._searches:
            self._cut_off = REPEATS

    def _count_tokens(self) -> None:
        """Add the tokens of the last reply; estimated if the service does not report them."""
        written = self._reply.completion_tokens or tokens_of(self._reply.text)
        total = self._reply.tokens or written + sum(tokens_of(each.get("content") or "") for each in self._messages)
        self._tokens += total
        self._completion_tokens += min(written, total)

    def stop(self, reason: str) -> None:
        """End the running reply: the text so far is the answer, and `reason` says why it is incomplete."""
        self._cut_off = reason

    def _recorded(self, text: str) -> str:
        self._text += text
        return text

    def _is_over(self) -> bool:
        """Return whether the last reply is the answer or a refusal."""
        if self._reply.refusal:
            self._failure = f"the language model refused: {self._reply.refusal}"
            return True
        if not self._searches or self._reply.tool_calls:
            return False
        self._cut_off = self._cut_off or (CUT_OFF if self._reply.is_cut_off else None)
        self._failure = None if self._text.strip() else NO_ANSWER
        return True

    def _choice(self) -> ToolChoice:
        if not self._searches:
            return "required"
        return "auto" if self._searches < self._max_searches else "none"

    async def _serve(self, reply: Reply) -> list[GatedResult]:
        """Answer every call of a reply; a model that failed to search gets the results for the question."""
        calls = reply.tool_calls[:MAX_CALLS] or (
            ToolCall("call_0", TOOL_NAME, json.dumps({"query": self._own_query})),
        )
        asked = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in calls
        ]
        self._messages.append({"role": "assistant", "content": "", "tool_calls": asked})
        before = len(self._results)
        for call in calls:
            content = await self._answer(call)
            self._messages.append({"role": "tool", "tool_call_id": call.id, "content": content})
        return self._results[before:]

    async def _answer(self, call: ToolCall) -> str:
        try:
            wanted = parse_call(call.name, call.arguments)
        except InvalidToolCall as mistake:
            self._mistakes += 1
            return error_json(str(mistake), mistake.query)
        if self._searches >= self._max_searches:
            self._mistakes += 1
            return error_json(NO_SEARCH_LEFT, wanted.query)
        self._searches += 1
        try:
            return self._show(await self._find(wanted))
        except UsageError as error:
            return error_json(str(error), wanted.query)

    async def _find(self, call: SearchCall) -> GatedResult:
        began = time.perf_counter()
        result = await in_thread(
            self._gate.find,
            call.query,
            top_k=call.top_k,
            min_score=call.similarity_threshold,
            is_answered=self._is_answered,
        )
        self._search_seconds += time.perf_counter() - began
        self._results.append(result)
        return result

    def _show(self, result: GatedResult) -> str:
        """Return the passages for the model: the best that fit, each complete and with its id."""
        query = result.response.query
        chosen = []
        for passage in result.response.results:
            cost = tokens_of(results_json([("p-000000", passage)], ""))
            if cost > self._left:
                break
            self._left -= cost
            chosen.append((self._shown.show(passage), passage))
        if result.response.results and not chosen:
            return error_json(NO_ROOM, query)
        return results_json(chosen, query)


def _trace_tokens(opened: Any, reply: Reply) -> None:
    """Record the reply's tokens in the request's span, if it is traced."""
    if opened:
        opened.set_attribute("gen_ai.usage.input_tokens", reply.tokens - reply.completion_tokens)
        opened.set_attribute("gen_ai.usage.output_tokens", reply.completion_tokens)


def _as_tool_calls(calls: Sequence[TextCall]) -> tuple[ToolCall, ...]:
    return tuple(ToolCall(f"text_{at}", call.name, call.arguments) for at, call in enumerate(calls))
