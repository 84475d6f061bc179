"""What a sentence of an answer claims: its words, the code and the things it names, and its numbers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

from rag.grounding.code_names import code_names_in, stands_in
from rag.grounding.formulas import formulas_in, without_formulas
from rag.grounding.places import plain_text, terms_of, words_of
from rag.grounding.quantities import Quantity, is_among, quantities_in
from rag.retrieval.query_terms import names_in

SENTENCES_KEPT = 512
"""Each is read for every passage that may hold it, by words and then by meaning."""


@dataclass(frozen=True)
class Statement:
    """A sentence of an answer.

    `code` and `formulas` must stand in a source letter by letter; `names` are other names.
    """

    text: str
    code: tuple[str, ...]
    formulas: tuple[str, ...]
    names: tuple[str, ...]

    @cached_property
    def quantities(self) -> tuple[Quantity, ...]:
        """Its numbers."""
        return quantities_in(self.text)

    @cached_property
    def words(self) -> frozenset[int]:
        """Its words without numbers and formulas, as the search knows them."""
        text = without_formulas(self.text)
        return words_of(text).difference(*(words_of(text[each.start : each.end]) for each in self.quantities))

    def facts_in(self, text: str) -> float:
        """Return the share of its words, code and numbers that a text has."""
        numbers = [number for number in self.quantities if not number.is_small_word]
        held = sum(is_among(number, quantities_in(text)) for number in numbers)
        held += sum(stands_in(name, text) for name in self.code) + sum(formula in text for formula in self.formulas)
        held += len(self.words & terms_of(text))
        whole = len(numbers) + len(self.code) + len(self.formulas) + len(self.words)
        return held / whole if whole else 1.0

    def share_in(self, terms: frozenset[int]) -> float:
        """Return the share of its words among these; 1 where it has none."""
        return len(self.words & terms) / len(self.words) if self.words else 1.0


@lru_cache(maxsize=SENTENCES_KEPT)
def read_statement(sentence: str) -> Statement:
    """Read a sentence in Markdown."""
    text = plain_text(sentence)
    code = code_names_in(text)
    names = tuple(name for name in names_in(without_formulas(text)) if name not in code and not name[0].isdigit())
    return Statement(text, code, formulas_in(text), names)
