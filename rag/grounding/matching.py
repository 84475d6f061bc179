"""Where passages say what a sentence says: the places that hold most of it, by words and by meaning."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from rag.grounding import polarity
from rag.grounding.code_names import code_names_in, stands_in
from rag.grounding.places import Place, terms_of, words_of
from rag.grounding.quantities import Quantity, is_among, quantities_in, units_in
from rag.grounding.ranges import follows, ranges_in
from rag.grounding.statements import Statement, read_statement
from rag.grounding.synonyms import with_synonyms

if TYPE_CHECKING:
    from rag.models import SearchResult

_DENIAL = "cannot"
"""A word to the search, unlike "not" and "can't", and no more of a subject than they are."""

INTRODUCES = 0.5
"""What the words of a sentence that only introduces others count."""

WINDOW = 3
"""Of how many places one sentence may be put together."""


@dataclass(frozen=True)
class Evidence:
    """A sentence and the places that hold it best; `ranks` and `nearness` are of all places, by their index.

    The first of `chosen` holds most, the others add to it.
    """

    statement: Statement
    places: Sequence[Place]
    nearness: Sequence[float]
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
        return "\n".join([*(self.places[at].context for at in self.chosen), block, self.headings])

    @cached_property
    def headings(self) -> str:
        """The titles and headings above the places."""
        return "\n".join(dict.fromkeys(title for place in self.places for title in _headings(place.block.passage)))

    @cached_property
    def code(self) -> frozenset[str]:
        """The code names of all places."""
        return known_code(self.places)

    @cached_property
    def coverage(self) -> float:
        """The share of the sentence that the chosen places hold: each number as one word."""
        words, numbers = self.statement.words - words_of(_DENIAL), self.statement.quantities
        held = with_synonyms(terms_of(self.text))
        quantities, units = quantities_in(self.text), units_in(self.text)
        found = sum(is_among(number, quantities, units) or self.follows(number) for number in numbers)
        whole = len(words) + len(numbers)
        return (len(words & held) + found) / whole if whole else 1.0

    def follows(self, number: Quantity) -> bool:
        """Return whether the best place gives a range from which follows what the sentence says of a number."""
        said, words = self.statement.text, self.statement.words
        limiting = [clause for clause in self.best.clauses if ranges_in(clause)] or [self.best.text]
        shared = [len(words & terms_of(clause)) for clause in limiting]
        held = "\n".join(clause for clause, own in zip(limiting, shared, strict=True) if own == max(shared))
        return follows(number, said, held, is_denied=polarity.denies(said))


def find_evidence(sentence: str, places: Sequence[Place], nearness: Sequence[float]) -> Evidence | None:
    """Return the evidence for a sentence, or None where there is no place; `nearness` is each place's cosine."""
    if not places:
        return None
    statement = read_statement(sentence, known_code(places))
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
    chosen += _places_of_facts(statement, places, shares, chosen)
    return Evidence(statement, places, nearness, ranks, tuple(chosen))


def _share_in(place: Place, statement: Statement) -> float:
    """Return the share of a sentence's words and numbers that a place has."""
    numbers = quantities_in(place.text)
    held = len(statement.words & place.terms) + sum(is_among(number, numbers) for number in statement.counted)
    whole = len(statement.words) + len(statement.counted)
    share = held / whole if whole else 1.0
    return share if not place.text.endswith(":") else INTRODUCES * share


def _places_of_facts(
    statement: Statement, places: Sequence[Place], shares: Sequence[float], chosen: Sequence[int]
) -> list[int]:
    """Return where the numbers and the code names of a sentence stand that none of the chosen places has."""
    texts = [place.text for place in places]
    holding = [[at for at, text in enumerate(texts) if stands_in(name, text)] for name in statement.code]
    holding += [
        [at for at, text in enumerate(texts) if is_among(number, quantities_in(text))]
        for number in statement.quantities
    ]
    found: list[int] = []
    for having in holding:
        if having and not any(at in having for at in (*chosen, *found)):
            found.append(max(having, key=shares.__getitem__))
    return found


def known_code(places: Iterable[Place]) -> frozenset[str]:
    """Return the code names of these places."""
    return frozenset(name for place in places for name in code_names_in(place.text))


def _headings(passage: SearchResult) -> tuple[str, ...]:
    return passage.page_title, *passage.heading_path, *passage.section_titles
