"""What speaks against a sentence in the clauses of the book that come nearest to its own, rule by rule.

A rule speaks against a sentence only where all clauses that come nearest differ from it. The rules were written on
the pairs in `*_written_on.json` of the tests, and kept for what they gain on those in `*_measured_on.json`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence, Set

from rag.grounding.code_names import code_names_in, stands_in
from rag.grounding.matching import Evidence, NearClause
from rag.grounding.places import Place, terms_of, words_of
from rag.grounding.quantities import Quantity, is_among, quantities_in, units_in
from rag.grounding.statements import Statement
from rag.grounding.wording import denies, has_opposite, is_denied

ALIKE = 0.5
"""Share of a clause's words from which another one speaks of the same."""

PLAINLY = 0.8
"""The same where the book is said to say otherwise: right in nine of ten of its uses, on both sets of pairs."""

SOME = 0.3
"""The same where an opposite word is looked for, which is not among them."""

MOST_OWN = 2
"""How many words a sentence may change that otherwise says what the book says, in its order ("if" for "when")."""

_AROUND_WORDS = ".,;:!?()[]`\"'“”‘’"

_JOINED = re.compile(r"; |, (?=(?:then|and|but|while|so) )")


def is_contradicted(evidence: Evidence) -> bool:
    """Return whether the book says otherwise."""
    return other_name(evidence) or other_number(evidence) or is_turned_around(evidence, PLAINLY)


def is_doubtful(evidence: Evidence) -> bool:
    """Return whether something keeps a sentence from being confirmed though the book has its words."""
    rules = (missing_name, moved_number, is_turned_around, opposite_word, moved_words)
    return any(rule(evidence) for rule in rules)


def other_name(evidence: Evidence) -> bool:
    """Return whether a code name stands where the book has another one."""
    said = evidence.statement
    return any(
        all(not stands_in(name, each.text) and _other_names(said, each.text) for each in evidence.near)
        for name in said.code
    )


def _other_names(said: Statement, text: str) -> list[str]:
    return [each for each in code_names_in(text) if each not in said.code and not stands_in(each, said.text)]


def missing_name(evidence: Evidence) -> bool:
    """Return whether a name or a formula stands nowhere in the passages."""
    text = "\n".join((evidence.text, *(place.text for place in evidence.places)))
    missing = (name for name in (*evidence.statement.code, *evidence.statement.names) if not stands_in(name, text))
    if any(not words_of(name) or not words_of(name) <= terms_of(text) for name in missing):
        return True
    return any(formula not in text for formula in evidence.statement.formulas)


def other_number(evidence: Evidence) -> bool:
    """Return whether a number stands nowhere, and each clause that comes nearest has another of its kind.

    A number that is said not to be may follow from the book's.
    """
    return not denies(evidence.statement.text) and _has_number(evidence, all)


def moved_number(evidence: Evidence) -> bool:
    """Return whether a number stands nowhere, or each clause that comes nearest has another of its kind."""
    return _has_number(evidence, any)


def _has_number(evidence: Evidence, speaks: Callable[[Iterable[bool]], bool]) -> bool:
    numbers = evidence.statement.quantities
    return bool(numbers) and all(
        any(speaks(_against(number, clause, evidence)) for number in numbers) for clause in evidence.near
    )


def _against(number: Quantity, near: NearClause, evidence: Evidence) -> tuple[bool, bool]:
    """Return what speaks against a number: another of its kind in a clause that lacks it, and that none has it."""
    units = units_in(near.place.block.text)
    others = quantities_in(near.text)
    if is_among(number, others, units):
        return False, False
    if number.is_small_word:
        counts_same = any(each.noun and each.noun[:4] == number.noun[:4] for each in others)
        return counts_same, counts_same
    has_rival = any(_is_rival(each, number, evidence.statement) for each in others)
    return has_rival, not is_among(number, quantities_in(evidence.text), units)


def _is_rival(other: Quantity, number: Quantity, said: Statement) -> bool:
    is_of_its_kind = other.dimension == number.dimension or (other.dimension is None and number.unit is not None)
    return is_of_its_kind and not other.is_small_word and not is_among(other, said.quantities)


def is_turned_around(evidence: Evidence, least: float = ALIKE) -> bool:
    """Return whether only one of the sentence and the book denies what both speak of."""
    said = evidence.statement
    alike = [each for each in evidence.near if said.share_in(terms_of(each.text)) >= least]
    return bool(alike) and all(is_denied(said.text, each.text, each.place.text) for each in alike)


def opposite_word(evidence: Evidence) -> bool:
    """Return whether the book has the opposite of a word of the sentence, and denies as much as it does."""
    said = evidence.statement
    texts = (text for at in evidence.chosen for text in (evidence.places[at].text, *evidence.places[at].clauses))
    return any(
        said.share_in(terms_of(text)) >= SOME and denies(text) == denies(said.text) and has_opposite(said.text, text)
        for text in texts
    )


def moved_words(evidence: Evidence) -> bool:
    """Return whether all words of a sentence are the passages', and none of their clauses has them together.

    Who says in his own words what a book says brings words of his own; who has only the book's, in another
    arrangement, has exchanged what belongs together. Facts that a sentence joins may stand apart.
    """
    words = evidence.statement.words
    if words.difference(*(place.terms for place in evidence.places)):
        return False
    for fact in _JOINED.split(evidence.statement.text):
        together = words & words_of(fact)
        if len(together) > 1 and not any(_has_together(place, together, fact) for place in evidence.places):
            return True
    return False


def _has_together(place: Place, words: Set[int], fact: str) -> bool:
    """Return whether a clause has the words, or the whole place has them in the order of the fact."""
    if any(words <= terms_of(clause) for clause in place.clauses):
        return True
    return words <= place.terms and _in_order(_spelled(fact), _spelled(place.text))


def _in_order(words: Sequence[str], text: Sequence[str]) -> bool:
    known, rest = set(text), iter(text)
    own = [word for word in words if word not in known]
    return len(own) <= MOST_OWN and all(word in rest for word in words if word in known)


def _spelled(text: str) -> list[str]:
    return [word.strip(_AROUND_WORDS).casefold() for word in text.split()]
