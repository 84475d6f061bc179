"""What an agent tells while it answers: typed events, in the order in which they happen."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, ClassVar

from rag.quoting.phrases import REPLACED

if TYPE_CHECKING:
    from rag.models import AgentResponse, SearchResult


@dataclass(frozen=True, slots=True)
class Searched:
    """The book was searched; `passages` are what was found, best first, before any was left out."""

    query: str
    passages: tuple[SearchResult, ...]

    @property
    def average_score(self) -> float:
        """The mean cosine of what was found, 0 for nothing."""
        return fmean(passage.score for passage in self.passages) if self.passages else 0.0


@dataclass(frozen=True, slots=True)
class Token:
    """The next piece of the answer, never empty; its references are numbered already, as in `[1]`."""

    text: str


@dataclass(frozen=True, slots=True)
class Replaced:
    """All Tokens so far are void: next to nothing of them is held by the book, or they end in half a sentence.

    `text` is the answer in their place.
    """

    text: str

    preamble: ClassVar[str] = f"\n\n{REPLACED}\n\n"
    """What goes before the text where the Tokens cannot be taken back."""

    def behind(self, told: str) -> str:
        """Return what goes behind Tokens that cannot be taken back: nothing if they only end in half a sentence."""
        return "" if told.startswith(self.text) else self.preamble + self.text


@dataclass(frozen=True, slots=True)
class Done:
    """The end. `response.answer` is the text of all Tokens in a row, or of `Replaced` if there was one."""

    response: AgentResponse


Event = Searched | Token | Replaced | Done
