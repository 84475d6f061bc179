"""What a sentence of an answer claims: its words, the code and the things it names, its numbers, and its clauses."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

from rag.grounding.code_names import code_names_in, stands_in
from rag.grounding.places import clauses_of, plain_text, terms_of, words_of
from rag.grounding.quantities import Quantity, is_among, quantities_in, units_in
from rag.retrieval.query_terms import names_in

SENTENCES_KEPT = 512
"""Each is read for every passage that may hold it, by words and then by meaning."""


@dataclass(frozen=True)
class Statement:
    """A sentence, or a clause of one.

    `code` must stand in a source letter by letter; `names` are other names.
    """

    text: str
    code: tuple[str, ...]
    names: tuple[str, ...]

    @cached_property
    def quantities(self) -> tuple[Quantity, ...]:
        """Its numbers."""
        return quantities_in(self.text)

    @cached_property
    def words(self) -> frozenset[int]:
        """Its words without numbers, as the search knows them."""
        numbers = (words_of(self.text[each.start : each.end]) for each in self.quantities)
        return words_of(self.text).difference(*numbers)

    @cached_property
    def clauses(self) -> tuple[Statement, ...]:
        """Its clauses, with the names that stand in each."""
        return tuple(
            Statement(
                text, *(tuple(name for name in names if stands_in(name, text)) for names in (self.code, self.names))
            )
            for text in clauses_of(self.text)
        )

    def share_in(self, text: str, around: str = "") -> float:
        """Return the share of its words, numbers and names of code that a text has; units may be named around it."""
        whole = len(self.words) + len(self.quantities) + len(self.code)
        theirs, units = quantities_in(text), units_in(around)
        numbers = sum(is_among(number, theirs, units) for number in self.quantities)
        names = sum(stands_in(name, text) for name in self.code)
        return (len(self.words & terms_of(text)) + numbers + names) / whole if whole else 1.0


@lru_cache(maxsize=SENTENCES_KEPT)
def read_statement(sentence: str) -> Statement:
    """Read a sentence in Markdown."""
    text = plain_text(sentence)
    code = code_names_in(text)
    return Statement(text, code, tuple(name for name in names_in(text) if name not in code and not name[0].isdigit()))
