"""What speaks against a sentence in the clauses of the book that come nearest to its own, rule by rule.

A rule speaks against a clause only where all that come nearest differ from it. The rules were written on the pairs in
`pairs_written_on.json` of the tests, and kept for what they gain on those in `pairs_measured_on.json`.
"""

from __future__ import annotations

from collections.abc import Sequence

from rag.grounding.code_names import code_names_in, stands_in
from rag.grounding.matching import Evidence, NearClause
from rag.grounding.places import terms_of, words_of
from rag.grounding.quantities import UNITS, Quantity, is_among, quantities_in, units_in
from rag.grounding.statements import Statement
from rag.grounding.wording import denies, has_opposite, has_other_quantifier, is_denied

ALIKE = 0.5
"""Share of a clause from which another one speaks of the same."""

PLAINLY = 0.8
"""The same where the book is said to say otherwise: right in nine of ten of its uses, on both sets of pairs."""

SOME = 0.3
"""The same where an opposite word is looked for, which is not among them."""

Near = Sequence[NearClause]


def is_contradicted(evidence: Evidence) -> bool:
    """Return whether the book says otherwise: a name, number or unit of another, or a denial of what it plainly says.

    A number that is said not to be may follow from the book's.
    """
    return any(
        _has_other_name(clause, near, evidence)
        or (not denies(clause.text) and _has_other_number(clause, near, evidence))
        or _has_other_unit(clause, evidence)
        or _is_denied(clause, near, evidence, PLAINLY)
        for clause, near in evidence.clauses
    )


def is_doubtful(evidence: Evidence) -> bool:
    """Return whether something keeps a sentence from being confirmed though the book has its words."""
    return any(
        _lacks_name(clause, evidence)
        or _has_other_number(clause, near, evidence)
        or _is_denied(clause, near, evidence, ALIKE)
        or _has_opposite_word(clause, evidence)
        or _has_other_quantifier(clause, near)
        or _has_moved_words(clause, evidence)
        for clause, near in evidence.clauses
    )


def _has_other_name(clause: Statement, near: Near, evidence: Evidence) -> bool:
    """Return whether a code name stands where the book has another one of its kind."""
    said = evidence.statement

    def has_others(text: str) -> bool:
        return any(each not in said.code and not stands_in(each, said.text) for each in code_names_in(text))

    return any(all(not stands_in(name, each.text) and has_others(each.text) for each in near) for name in clause.code)


def _lacks_name(clause: Statement, evidence: Evidence) -> bool:
    """Return whether a name stands nowhere in the passages."""
    text = "\n".join((evidence.text, *(place.text for place in evidence.places)))
    missing = (name for name in (*clause.code, *clause.names) if not stands_in(name, text))
    return any(not words_of(name) or not words_of(name) <= terms_of(text) for name in missing)


def _has_other_number(clause: Statement, near: Near, evidence: Evidence) -> bool:
    """Return whether a number is not the book's."""
    return any(all(_is_other_number(number, each, evidence) for each in near) for number in clause.quantities)


def _is_other_number(number: Quantity, near: NearClause, evidence: Evidence) -> bool:
    theirs, units = quantities_in(near.text), units_in(near.place.block.text)
    if is_among(number, theirs, units):
        return False
    is_other = any(each.noun and each.noun[:4] == number.noun[:4] for each in theirs)
    if number.is_small_word or (number.is_word and is_other):
        return is_other
    is_rivalled = _has_rival(number, theirs, evidence.statement)
    return is_rivalled or not is_among(number, quantities_in(evidence.text), units)


def _has_rival(number: Quantity, theirs: Sequence[Quantity], said: Statement) -> bool:
    """Return whether the book has a number of the same kind that the sentence does not have."""
    kinds = (number.dimension, None) if number.has_unit else (number.dimension,)
    rivals = (each for each in theirs if each.dimension in kinds and not each.is_small_word)
    return any(not is_among(each, said.quantities) for each in rivals)


def _has_other_unit(clause: Statement, evidence: Evidence) -> bool:
    """Return whether the sentence names a unit, without a number, where the book has another of its kind."""
    counted = {quantity.dimension for quantity in evidence.statement.quantities}
    theirs = {UNITS[unit] for unit in units_in(evidence.best.text)}
    ours = {UNITS[unit] for unit in units_in(clause.text) if UNITS[unit][0] not in counted}
    return any(dimension == other for dimension, _ in ours - theirs for other, _ in theirs)


def _is_denied(clause: Statement, near: Near, evidence: Evidence, least: float) -> bool:
    """Return whether only one of the sentence and the book denies what both speak of."""
    said = evidence.statement.text
    alike = [each for each in near if clause.share_in(each.text) >= least]
    return bool(alike) and all(is_denied(clause.text, each.text, said, each.place.text) for each in alike)


def _has_opposite_word(clause: Statement, evidence: Evidence) -> bool:
    """Return whether the book has the opposite of a word of the sentence, and denies as much as it does."""
    return any(
        clause.share_in(text) >= SOME
        and denies(text) == denies(clause.text)
        and has_opposite(clause.text, text, evidence.statement.text)
        for place in evidence.chosen
        for text in (place.text, *place.clauses)
    )


def _has_other_quantifier(clause: Statement, near: Near) -> bool:
    """Return whether the sentence says all where the book says some or only, or several of one."""
    alike = [each for each in near if clause.share_in(each.text) >= ALIKE]
    return bool(alike) and all(has_other_quantifier(clause.text, each.text) for each in alike)


def _has_moved_words(clause: Statement, evidence: Evidence) -> bool:
    """Return whether all words of a sentence are the passage's, and none of its clauses has one's together.

    Who says in his own words what a book says brings words of his own; who has only the book's, in another
    arrangement, has exchanged what belongs together.
    """
    words = clause.words
    if len(words) < 2 or evidence.statement.words.difference(*(place.terms for place in evidence.places)):
        return False
    return all(words - terms_of(text) for place in evidence.places for text in place.clauses)
