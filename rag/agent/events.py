"""The typed events of an answer, in the order in which they happen."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, ClassVar

from rag.quoting.phrases import REPLACED

if TYPE_CHECKING:
    from rag.models import AgentResponse, SearchResult


@dataclass(frozen=True, slots=True)
class Searched:
    """The book was searched; `passages` are all results, best first, before any is left out."""

    query: str
    passages: tuple[SearchResult, ...]

    @property
    def average_score(self) -> float:
        """The mean cosine of what was found, 0 for nothing."""
        return fmean(passage.score for passage in self.passages) if self.passages else 0.0


@dataclass(frozen=True, slots=True)
class Token:
    """The next piece of the answer, never empty; its references are already numbered, as in `[1]`."""

    text: str


@dataclass(frozen=True, slots=True)
class Replaced:
    """All Tokens so far are void: the book supports next to nothing of them, or they end in half a sentence.

    `text` replaces them.
    """

    text: str

    preamble: ClassVar[str] = f"\n\n{REPLACED}\n\n"
    """Goes before the text if the Tokens cannot be taken back."""

    def behind(self, sent: str) -> str:
        """Return what follows Tokens that cannot be taken back: nothing if they only end in half a sentence."""
        return "" if sent.startswith(self.text) else self.preamble + self.text


@dataclass(frozen=True, slots=True)
class Done:
    """The end. `response.answer` is the text of all Tokens in a row, or of `Replaced` if there was one."""

    response: AgentResponse


Event = Searched | Token | Replaced | Done
