"""A language model's answer as it is written: each sentence is checked before the next one is shown."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from dataclasses import dataclass

from rag.agent.events import Searched, Token
from rag.agent.tool_loop import REPEATS, LoopOutcome, ToolLoop
from rag.chat_model.repetition import Monotony
from rag.grounding.answer_text import AnswerText, CheckedAnswer, Sentence
from rag.grounding.citations import CiteStyle
from rag.grounding.shown_passages import ShownPassages
from rag.grounding.support import SupportCheck, Verdict
from rag.quoting.phrases import REFUSALS
from rag.quoting.search_gate import GatedResult

_THREAD = ThreadPoolExecutor(1, thread_name_prefix="check")
"""One for all answers: checks must not take every core from a reader who waits for a search."""


@dataclass(frozen=True, slots=True)
class Written:
    """What a model wrote, checked: `text` is all of it as the reader gets it, `sent` the part that was shown.

    Half a sentence, where the model was cut off, was shown and is no part of the text.
    """

    outcome: LoopOutcome
    answer: CheckedAnswer
    text: str
    sent: str


class GroundedStream:
    """Runs a tool loop and turns the model's text into the reader's.

    The beginning waits while it may still become a refusal.
    """

    def __init__(self, loop: ToolLoop, shown: ShownPassages, check: SupportCheck, style: CiteStyle) -> None:
        self._loop = loop
        self._check = check
        self._answer = AnswerText(shown, style)
        self._results: list[GatedResult] = []
        self._sent = ""
        self._waiting = ""
        self._monotony = Monotony()

    async def run(self, gated: GatedResult) -> AsyncGenerator[Searched | Token | Written]:
        """Yield each search and each piece of the answer, then the whole text."""
        async with aclosing(self._loop.run(gated)) as parts:
            async for part in parts:
                if isinstance(part, LoopOutcome):
                    outcome = part
                elif isinstance(part, GatedResult):
                    self._results.append(part)
                    yield Searched(part.response.query, part.response.results)
                else:
                    self._answer.add(part)
                    async for token in self._tokens(gated):
                        yield token
        self._answer.end(is_cut_off=bool(outcome.cut_off or outcome.error))
        async for token in self._tokens(gated):
            yield token
        text = self._text(gated)
        if remark := self._answer.remark(self._check.language):
            yield self._shown(remark, gated) or Token("")
            text += remark
        elif half := self._answer.drop_half():
            text = text[: len(text) - half].rstrip()
        yield Written(outcome, self._answer.finish(), text, self._sent)

    def _text(self, gated: GatedResult) -> str:
        """Return the whole answer as written, with the part that still waits."""
        return self._sent + self._waiting if self._sent else best_of(gated, self._results).disclaimer + self._waiting

    async def _tokens(self, gated: GatedResult) -> AsyncGenerator[Token]:
        async for piece in self._ready():
            if token := self._shown(piece, gated):
                yield token

    async def _ready(self) -> AsyncGenerator[str]:
        while sentence := self._answer.next_sentence():
            verdict = await self._verdict(sentence)
            yield self._answer.close(sentence, verdict)
            if verdict and self._monotony.add(sentence.text, held=verdict.held):
                self._loop.stop(REPEATS)
        yield self._answer.settled()

    async def _verdict(self, sentence: Sentence) -> Verdict | None:
        if sentence.kind not in ("statement", "code"):
            return None
        running = asyncio.get_running_loop()
        if sentence.kind == "code":
            return await running.run_in_executor(_THREAD, self._check.judge_code, sentence.text)
        return await running.run_in_executor(_THREAD, self._check.judge, sentence.text, sentence.cited)

    def _shown(self, piece: str, gated: GatedResult) -> Token | None:
        self._waiting += piece
        if not self._waiting or (not self._sent and _may_become_refusal(self._waiting)):
            return None
        before, self._sent, self._waiting = self._sent, self._text(gated), ""
        return Token(self._sent[len(before) :])


def best_of(gated: GatedResult, results: Sequence[GatedResult]) -> GatedResult:
    """Return the result that the answer is based on: the question's own, else the first that answers."""
    return next((found for found in (gated, *results) if found.metrics.should_answer), gated)


def _may_become_refusal(text: str) -> bool:
    """Return whether the text so far may still turn out to be a refusal."""
    return any(refusal.startswith(text.strip()) for refusal in REFUSALS)
