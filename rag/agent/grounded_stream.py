"""The answer of a language model while it is written: each sentence is judged before the next one is shown."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing

from ingestion.errors import ChatModelError
from rag.agent.events import Searched, Token
from rag.agent.response import best_of, may_become_refusal
from rag.agent.tool_loop import REPEATS, ToolLoop
from rag.chat_model.repetition import Monotony
from rag.grounding.answer_text import AnswerText, Sentence
from rag.grounding.citations import CiteStyle
from rag.grounding.support import SupportCheck, Verdict
from rag.quoting.search_gate import GatedResult

_THREAD = ThreadPoolExecutor(1, thread_name_prefix="check")
"""For all answers: checks must not keep all cores from a reader who waits for a search."""


class GroundedStream:
    """Runs a tool loop and turns what the model writes into what the reader gets; `told` is what was shown of it.

    The beginning is held back as long as it may become a refusal. With `keeps_half` a model that fails ends the
    answer where it is, and `failure` says why.
    """

    def __init__(self, loop: ToolLoop, check: SupportCheck, style: CiteStyle, *, keeps_half: bool = False) -> None:
        self.answer = AnswerText(loop.shown, style)
        self.told = ""
        self.failure: ChatModelError | None = None
        self._keeps_half = keeps_half
        self._loop = loop
        self._check = check
        self._held = ""
        self._monotony = Monotony()

    async def run(self, gated: GatedResult) -> AsyncGenerator[Searched | Token]:
        """Yield each search and each piece of the answer; what is held back at the end, `text` has."""
        try:
            async with aclosing(self._loop.run(gated)) as parts:
                async for part in parts:
                    if isinstance(part, Searched):
                        yield part
                        continue
                    self.answer.add(part)
                    async for token in self._tokens(gated):
                        yield token
        except ChatModelError as error:
            if not self._keeps_half:
                raise
            self.failure = error
        self.answer.end()
        async for token in self._tokens(gated):
            yield token

    def text(self, gated: GatedResult) -> str:
        """Return the whole answer as it was written, with what is held back."""
        return self.told + self._held if self.told else best_of(gated, self._loop.results).disclaimer + self._held

    async def _tokens(self, gated: GatedResult) -> AsyncGenerator[Token]:
        async for piece in self._ready():
            if token := self._shown(piece, gated):
                yield token

    async def _ready(self) -> AsyncGenerator[str]:
        while sentence := self.answer.next_sentence():
            verdict = await self._verdict(sentence)
            yield self.answer.close(sentence, verdict)
            if verdict and self._monotony.add(sentence.text, held=verdict.held):
                self._loop.stop(REPEATS)
        yield self.answer.settled()

    async def _verdict(self, sentence: Sentence) -> Verdict | None:
        if sentence.kind not in ("statement", "code"):
            return None
        running = asyncio.get_running_loop()
        if sentence.kind == "code":
            return await running.run_in_executor(_THREAD, self._check.judge_code, sentence.text)
        return await running.run_in_executor(_THREAD, self._check.judge, sentence.text, sentence.cited)

    def _shown(self, piece: str, gated: GatedResult) -> Token | None:
        self._held += piece
        if not self._held or (not self.told and may_become_refusal(self._held)):
            return None
        told, self.told, self._held = self.told, self.text(gated), ""
        return Token(self.told[len(told) :])
