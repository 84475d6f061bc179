"""The answer of a language model while it is written: each sentence is judged before the next one is shown."""

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
"""For all answers: checks must not keep all cores from a reader who waits for a search."""


@dataclass(frozen=True, slots=True)
class Written:
    """What a model wrote, checked: `text` is all of it as the reader gets it, `told` what was shown of it.

    Half a sentence, where the model was cut off, was shown and is no part of the text.
    """

    outcome: LoopOutcome
    answer: CheckedAnswer
    text: str
    told: str


class GroundedStream:
    """Runs a tool loop and turns what the model writes into what the reader gets.

    The beginning is held back as long as it may become a refusal.
    """

    def __init__(self, loop: ToolLoop, shown: ShownPassages, check: SupportCheck, style: CiteStyle) -> None:
        self._loop = loop
        self._check = check
        self._answer = AnswerText(shown, style)
        self._results: list[GatedResult] = []
        self._told = ""
        self._held = ""
        self._monotony = Monotony()

    async def run(self, gated: GatedResult) -> AsyncGenerator[Searched | Token | Written]:
        """Yield each search and each piece of the answer, last all that was written."""
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
        yield Written(outcome, self._answer.finish(), text, self._told)

    def _text(self, gated: GatedResult) -> str:
        """Return the whole answer as it was written, with what is held back."""
        return self._told + self._held if self._told else best_of(gated, self._results).disclaimer + self._held

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
        self._held += piece
        if not self._held or (not self._told and _may_become_refusal(self._held)):
            return None
        told, self._told, self._held = self._told, self._text(gated), ""
        return Token(self._told[len(told) :])


def best_of(gated: GatedResult, results: Sequence[GatedResult]) -> GatedResult:
    """Return the finding that the answer rests on: the question's own, or the first that answers where that does
    not.
    """
    return next((found for found in (gated, *results) if found.metrics.should_answer), gated)


def _may_become_refusal(text: str) -> bool:
    """Return whether what has come so far may still turn out to be a refusal."""
    return any(refusal.startswith(text.strip()) for refusal in REFUSALS)
