"""The places of passages that hold most of a sentence, and their clauses that come nearest to each of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from rag.grounding.places import Place
from rag.grounding.statements import Statement, read_statement

WINDOW = 3
"""Of how many places one sentence may be put together."""


@dataclass(frozen=True, slots=True)
class NearClause:
    """A clause of a place."""

    text: str
    place: Place


@dataclass(frozen=True)
class Evidence:
    """A sentence, the places that may hold it, and those `chosen`: the first holds most, the others add to it."""

    statement: Statement
    places: Sequence[Place]
    chosen: Sequence[Place]

    @property
    def best(self) -> Place:
        """The place that holds most of the sentence."""
        return self.chosen[0]

    @cached_property
    def text(self) -> str:
        """All that the chosen places say, with the block of the best."""
        block = self.best.block.text if self.best.block.kind != "table" else ""
        return "\n".join([*(place.text for place in self.chosen), block])

    @cached_property
    def coverage(self) -> float:
        """The share of the sentence that the chosen places hold."""
        return self.statement.share_in(self.text, self.text)

    @cached_property
    def clauses(self) -> list[tuple[Statement, list[NearClause]]]:
        """The clauses of the sentence, each with those that come nearest to it."""
        return [(clause, self._nearest(clause)) for clause in self.statement.clauses]

    def _nearest(self, clause: Statement) -> list[NearClause]:
        """Return the clauses of the chosen places that share most with this one."""
        found = [NearClause(text, place) for place in self.chosen for text in place.clauses]
        shares = [clause.share_in(each.text, each.place.block.text) for each in found]
        return [each for each, share in zip(found, shares, strict=True) if share == max(shares)]


def find_evidence(sentence: str, places: Sequence[Place], nearness: Mapping[str, float]) -> Evidence:
    """Return the evidence for a sentence in one place at least; `nearness` is the cosine of the texts of some."""
    statement = read_statement(sentence)

    def near(place: Place) -> float:
        return nearness.get(place.text, 0.0) / 2

    chosen = [max(places, key=lambda place: statement.share_in(place.text) / 2 + near(place))]
    left = statement.words - chosen[0].terms
    while left and len(chosen) < WINDOW:
        best = max(places, key=lambda place: len(left & place.terms) + near(place))
        if not left & best.terms:
            break
        chosen.append(best)
        left -= best.terms
    return Evidence(statement, places, chosen)
