"""The places of passages that hold most of a sentence, and their clauses that come nearest to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from rag.grounding.places import Place
from rag.grounding.statements import Statement, read_statement

if TYPE_CHECKING:
    from rag.models import SearchResult

WINDOW = 3
"""Of how many places one sentence may be put together."""


@dataclass(frozen=True, slots=True)
class NearClause:
    """A clause of a place."""

    text: str
    place: Place


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
        block = self.best.block
        beside = (place.text for place in self.places if place.block is block and block.kind != "table")
        headings = dict.fromkeys(title for place in self.places for title in _headings(place.block.passage))
        return "\n".join([*(self.places[at].text for at in self.chosen), *beside, *headings])

    @cached_property
    def coverage(self) -> float:
        """The share of the sentence that the chosen places hold."""
        return self.statement.facts_in(self.text)

    @cached_property
    def near(self) -> list[NearClause]:
        """The clauses of the chosen places that share most with the sentence."""
        clauses = [NearClause(text, self.places[at]) for at in self.chosen for text in self.places[at].clauses]
        shares = [self.statement.facts_in(clause.text) for clause in clauses]
        most = max(shares, default=0.0)
        return [clause for clause, share in zip(clauses, shares, strict=True) if share == most]


def find_evidence(sentence: str, places: Sequence[Place], nearness: Sequence[float]) -> Evidence:
    """Return the evidence for a sentence in at least one place; `nearness` is each place's cosine."""
    statement = read_statement(sentence)
    shares = [statement.facts_in(place.text) for place in places]
    ranks = [(share + max(0.0, near)) / 2 for share, near in zip(shares, nearness, strict=True)]
    chosen = [max(range(len(places)), key=ranks.__getitem__)]
    left = statement.words - places[chosen[0]].terms
    while left and len(chosen) < WINDOW:
        best = max(range(len(places)), key=lambda at: len(left & places[at].terms) + max(0.0, nearness[at]) / 2)
        if not left & places[best].terms:
            break
        chosen.append(best)
        left -= places[best].terms
    return Evidence(statement, places, ranks, tuple(chosen))


def _headings(passage: SearchResult) -> tuple[str, ...]:
    return passage.page_title, *passage.heading_path, *passage.section_titles
