"""The places of passages that hold most of a sentence, and their clauses that come nearest to each of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from rag.grounding.code_names import stands_in
from rag.grounding.places import Place, terms_of
from rag.grounding.quantities import Quantity, is_among, quantities_in, units_in
from rag.grounding.statements import Statement, read_statement

if TYPE_CHECKING:
    from rag.models import SearchResult

WINDOW = 3
"""Of how many places one sentence may be put together."""


@dataclass(frozen=True, slots=True)
class NearClause:
    """A clause of a place, and how near it is to a clause of the sentence."""

    text: str
    place: Place
    score: float


@dataclass(frozen=True)
class Evidence:
    """A sentence and the places that hold it best; `ranks` are of all places, by their index.

    The first of `chosen` holds most, the others add to it.
    """

    statement: Statement
    places: Sequence[Place]
    ranks: Sequence[float]
    chosen: tuple[int, ...]

    @property
    def best(self) -> Place:
        """The place that holds most of the sentence."""
        return self.places[self.chosen[0]]

    @cached_property
    def text(self) -> str:
        """All that the chosen places say, with the block of the best and the headings above them."""
        block = self.best.block.text if self.best.block.kind != "table" else ""
        headings = dict.fromkeys(title for place in self.places for title in _headings(place.block.passage))
        return "\n".join([*(self.places[at].text for at in self.chosen), block, *headings])

    @cached_property
    def coverage(self) -> float:
        """The share of the sentence that the chosen places hold: each number as one word."""
        words, numbers = self.statement.words, self.statement.quantities
        quantities, units = quantities_in(self.text), units_in(self.text)
        found = sum(is_among(number, quantities, units) for number in numbers)
        whole = len(words) + len(numbers)
        return (len(words & terms_of(self.text)) + found) / whole if whole else 1.0

    def nearest(self, clause: Statement) -> list[NearClause]:
        """Return the clauses of the chosen places that share most with this one."""
        found = [
            NearClause(text, self.places[at], _score(clause, text, self.places[at]))
            for at in self.chosen
            for text in self.places[at].clauses
        ]
        best = max(match.score for match in found)
        return [match for match in found if match.score == best]


def find_evidence(sentence: str, places: Sequence[Place], nearness: Sequence[float]) -> Evidence | None:
    """Return the evidence for a sentence, or None where there is no place; `nearness` is each place's cosine."""
    if not places:
        return None
    statement = read_statement(sentence)
    words = statement.words
    shares = [_share_in(place, statement) for place in places]
    ranks = [(share + max(0.0, near)) / 2 for share, near in zip(shares, nearness, strict=True)]
    chosen = [max(range(len(places)), key=ranks.__getitem__)]
    left = words - places[chosen[0]].terms
    while left and len(chosen) < min(WINDOW, len(places)):
        others = [at for at in range(len(places)) if at not in chosen]
        best = max(others, key=lambda at: len(left & places[at].terms) + max(0.0, nearness[at]) / 2)
        if not left & places[best].terms:
            break
        chosen.append(best)
        left -= places[best].terms
    return Evidence(statement, places, ranks, tuple(chosen))


def _counted(statement: Statement) -> list[Quantity]:
    """Return the numbers that a source must have."""
    return [quantity for quantity in statement.quantities if not quantity.is_small_word]


def _score(clause: Statement, text: str, place: Place) -> float:
    facts = sum(stands_in(name, text) for name in clause.code)
    facts += sum(is_among(number, quantities_in(text), units_in(place.block.text)) for number in _counted(clause))
    whole = len(clause.code) + len(_counted(clause)) + len(clause.words)
    return (facts + len(clause.words & terms_of(text))) / (whole or 1.0)


def _share_in(place: Place, statement: Statement) -> float:
    """Return the share of a sentence's words and numbers that a place has."""
    numbers = quantities_in(place.text)
    held = len(statement.words & place.terms) + sum(is_among(number, numbers) for number in _counted(statement))
    whole = len(statement.words) + len(_counted(statement))
    return held / whole if whole else 1.0


def _headings(passage: SearchResult) -> tuple[str, ...]:
    return passage.page_title, *passage.heading_path, *passage.section_titles
