"""A question with the conversation before it: how it is searched for, and how the book is quoted in answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from rag.models import AgentResponse, PastMessage
from rag.quoting.extractive import PastAnswers, quote
from rag.quoting.follow_ups import asks_for_more, topic_of
from rag.quoting.search_gate import GatedResult, RetrievalGate


@dataclass(frozen=True, slots=True)
class QuestionInContext:
    """A question; `history` is what was said before, `started` the moment of `time.perf_counter` at which it came."""

    text: str
    history: Sequence[PastMessage]
    gate: RetrievalGate
    started: float

    @property
    def wants_more(self) -> bool:
        """Return whether it asks for more of what was answered before."""
        topic = topic_of(self.history)
        return topic is not None and asks_for_more(self.text, topic)

    def search(self) -> GatedResult:
        """Return what a language model is given, which reads the passages itself."""
        return self.gate.find_for(self.text, topic_of(self.history))

    def search_to_quote(self) -> GatedResult:
        """Return what can be quoted, every block of the passages looked at."""
        gate = replace(self.gate, reads_blocks=True)
        result = gate.find_for(self.text, topic_of(self.history))
        return gate.widen(result) if self.wants_more else result

    def quote(self, result: GatedResult) -> AgentResponse:
        """Return the book's answer from what was found, or the refusal."""
        goes_on = result.response.query != self.text
        told = [message.content for message in self.history if message.role == "assistant"] if goes_on else []
        past = PastAnswers("\n\n".join(told), self.wants_more)
        return quote(self.text, result, self.gate.retriever, started=self.started, told=past)
