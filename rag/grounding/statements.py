"""What a sentence of an answer claims: its words, the code and the things it names, its numbers, and its clauses."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

from rag.grounding.code_names import code_names_in, stands_in
from rag.grounding.places import clauses_of, said_in, words_of
from rag.grounding.quantities import Quantity, quantities_in
from rag.retrieval.query_terms import names_in

FEW = 3
"""Up to this number a word such as "two" often counts nothing that the book counts."""

SENTENCES_KEPT = 512
"""Each is read for every passage that may hold it, by words and then by meaning."""


@dataclass(frozen=True)
class Statement:
    """A sentence, or a clause of one.

    `code` must stand in a source letter by letter; `quoted` is the part of it that stands in backticks. `names` are
    other names. `words` are its words without numbers, as the search knows them, `plain` those that are no name.
    """

    text: str
    code: tuple[str, ...]
    quoted: frozenset[str]
    names: tuple[str, ...]
    quantities: tuple[Quantity, ...]
    words: frozenset[int]
    plain: frozenset[int]

    @cached_property
    def clauses(self) -> tuple[Statement, ...]:
        """Its clauses, with the names that stand in each."""
        return tuple(self._part(clause) for clause in clauses_of(self.text))

    @property
    def counted(self) -> tuple[Quantity, ...]:
        """The numbers that a source must have: not "two", which may sum up what it lists."""
        return tuple(quantity for quantity in self.quantities if not is_small_word(quantity))

    def _part(self, clause: str) -> Statement:
        numbers = _terms_of_numbers(clause)
        code = tuple(name for name in self.code if stands_in(name, clause))
        named = frozenset(term for name in code for term in words_of(name))
        words = words_of(clause) - numbers
        return Statement(
            clause,
            code,
            self.quoted,
            tuple(name for name in self.names if stands_in(name, clause)),
            quantities_in(clause),
            words,
            words - named,
        )


@lru_cache(maxsize=SENTENCES_KEPT)
def read_statement(sentence: str, known_code: frozenset[str] = frozenset()) -> Statement:
    """Read a sentence in Markdown; names among `known_code`, the passages' own, count as code too."""
    text = said_in(sentence)
    code = list(code_names_in(text))
    others = [name for name in names_in(text) if name not in code and not name[0].isdigit()]
    code += [name for name in others if name in known_code]
    named = frozenset(term for name in code for term in words_of(name))
    words = words_of(text) - _terms_of_numbers(text)
    return Statement(
        text,
        tuple(code),
        frozenset(name for name in code if f"`{name}" in text),
        tuple(name for name in others if name not in known_code),
        quantities_in(text),
        words,
        words - named,
    )


def is_small_word(quantity: Quantity) -> bool:
    """Return whether it is "one", "two" or "three" of no unit."""
    return quantity.is_word and quantity.dimension is None and quantity.value <= FEW


def share_of(held: frozenset[int], words: frozenset[int]) -> float:
    """Return the share of `words` that is held; 1 where there are none."""
    return len(words & held) / len(words) if words else 1.0


def _terms_of_numbers(text: str) -> frozenset[int]:
    return frozenset(
        term for quantity in quantities_in(text) for term in words_of(text[quantity.start : quantity.end])
    )
