"""What a sentence of an answer claims: its words, the code and the things it names, its numbers, and its clauses."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

from rag.grounding.code_names import code_names_in, stands_in
from rag.grounding.places import clauses_of, plain_text, terms_of, words_of
from rag.grounding.quantities import Quantity, quantities_in
from rag.retrieval.query_terms import names_in

SENTENCES_KEPT = 512
"""Each is read for every passage that may hold it, by words and then by meaning."""


@dataclass(frozen=True)
class Statement:
    """A sentence, or a clause of one.

    `code` must stand in a source letter by letter; `names` are other names. `words` are its words without numbers, as
    the search knows them.
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
        named = [(text, self.code, self.names) for text in clauses_of(self.text)]
        return tuple(
            Statement(text, *(tuple(name for name in names if stands_in(name, text)) for names in both))
            for text, *both in named
        )

    def share_in(self, terms: frozenset[int]) -> float:
        """Return the share of its words among these; 1 where it has none."""
        return len(self.words & terms) / len(self.words) if self.words else 1.0

    def is_alike(self, text: str, least: float) -> bool:
        """Return whether a text has at least this share of its words."""
        return self.share_in(terms_of(text)) >= least


@lru_cache(maxsize=SENTENCES_KEPT)
def read_statement(sentence: str) -> Statement:
    """Read a sentence in Markdown."""
    text = plain_text(sentence)
    code = code_names_in(text)
    return Statement(text, code, tuple(name for name in names_in(text) if name not in code and not name[0].isdigit()))
