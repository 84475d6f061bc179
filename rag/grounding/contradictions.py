"""What speaks against a sentence in the clauses of the book that come nearest to its own, rule by rule.

A rule speaks against a clause only where all that come nearest differ from it. The rules were written on the pairs in
`pairs_written_on.json` of the tests, and kept for what they gain on those in `pairs_measured_on.json`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rag.grounding.code_names import code_names_in, kind_of, stands_in
from rag.grounding.matching import Evidence, NearClause
from rag.grounding.places import terms_of, words_of
from rag.grounding.quantities import UNITS, Quantity, is_among, quantities_in, units_in
from rag.grounding.statements import Statement
from rag.grounding.wording import denies, has_opposite, has_other_quantifier, is_denied, is_switched_off

ALIKE = 0.5
"""Share of a clause's words from which another one speaks of the same; less tells of an opposite word or a rival."""

SAME = 0.45
SOME = 0.3

MOVED = 0.2
"""Share of a clause's words, all of them the passage's, that are missing in each of its clauses: they were moved."""

Near = Sequence[NearClause]
Rule = Callable[[Statement, Near, Evidence], str | None]


def contradiction(evidence: Evidence) -> str | None:
    """Return what the book says otherwise, None if nothing."""
    return _first((other_name, other_stated_number, other_unit, opposite), evidence)


def doubt(evidence: Evidence) -> str | None:
    """Return what keeps a sentence from being confirmed though the book has its words, None if nothing."""
    return _first((missing_name, other_number, other_quantifier, moved_words), evidence)


def _first(rules: Sequence[Rule], evidence: Evidence) -> str | None:
    found = ((clause, evidence.nearest(clause)) for clause in evidence.statement.clauses)
    return next((said for clause, near in found for rule in rules if (said := rule(clause, near, evidence))), None)


def other_name(clause: Statement, near: Near, evidence: Evidence) -> str | None:
    """Return the reason if a code name stands where the book has another one of its kind."""
    said = evidence.statement

    def has_rival(name: str, text: str) -> bool:
        return any(
            kind_of(other) == kind_of(name) and other not in said.code and not stands_in(other, said.text)
            for other in code_names_in(text)
        )

    for name in clause.code:
        if all(
            not stands_in(name, each.text) and _is_same(clause, each) and has_rival(name, each.text) for each in near
        ):
            return f"{name} stands for another name"
    return None


def missing_name(clause: Statement, near: Near, evidence: Evidence) -> str | None:
    """Return the reason if a name stands nowhere in the passages."""
    text = "\n".join((evidence.text, *(place.text for place in evidence.places)))
    for name in (*clause.code, *clause.names):
        if not stands_in(name, text) and not (words_of(name) and words_of(name) <= terms_of(text)):
            return f"{name} is not there"
    return None


def other_stated_number(clause: Statement, near: Near, evidence: Evidence) -> str | None:
    """Return the reason if a number is not the book's; one that is said not to be may follow from the book's."""
    return None if denies(clause.text) else other_number(clause, near, evidence)


def other_number(clause: Statement, near: Near, evidence: Evidence) -> str | None:
    """Return the reason if a number is not the book's."""
    for number in clause.quantities:
        if all(_is_other_number(number, clause, each, evidence) for each in near):
            return f"{clause.text[number.start : number.end]} is another number"
    return None


def _is_other_number(number: Quantity, clause: Statement, near: NearClause, evidence: Evidence) -> bool:
    quantities, units = quantities_in(near.text), units_in(near.place.block.text)
    if is_among(number, quantities, units):
        return False
    is_other = any(each.noun and each.noun[:4] == number.noun[:4] for each in quantities)
    if number.is_small_word or (number.is_word and is_other and _is_same(clause, near)):
        return is_other
    rivals = (
        each
        for each in quantities
        if each.dimension == number.dimension or (each.dimension is None and number.unit)
        if not is_among(each, evidence.statement.quantities) and not each.is_small_word
    )
    return (any(rivals) and _is_same(clause, near)) or not is_among(number, quantities_in(evidence.text), units)


def _is_same(clause: Statement, near: NearClause) -> bool:
    """Return whether a clause of the book speaks of the same: by its words, a name, or another number."""
    quantities, units = quantities_in(near.text), units_in(near.place.block.text)
    counted = (each for each in clause.quantities if not each.is_small_word)
    return (
        clause.is_alike(near.text, SAME)
        or any(stands_in(name, near.text) for name in clause.code)
        or any(is_among(each, quantities, units) for each in counted)
    )


def other_unit(clause: Statement, near: Near, evidence: Evidence) -> str | None:
    """Return the reason if the sentence names a unit, without a number, where the book has another of its kind."""
    counted = {quantity.dimension for quantity in evidence.statement.quantities}
    theirs = {UNITS[unit] for unit in units_in(evidence.best.text)}
    for unit in units_in(clause.text):
        dimension = UNITS[unit][0]
        if dimension not in counted and UNITS[unit] not in theirs and any(each[0] == dimension for each in theirs):
            return f"{unit} is another unit"
    return None


def opposite(clause: Statement, near: Near, evidence: Evidence) -> str | None:
    """Return the reason if a denial or an opposite turns the sentence around; both together do not."""
    said = evidence.statement.text
    is_wrong = is_switched_off(clause.text, evidence.best.context)
    if is_wrong is not None:
        return "the book says that it is off by default" if is_wrong else None
    alike = [each for each in near if clause.is_alike(each.text, ALIKE)]
    denied = bool(alike) and all(is_denied(clause.text, each.text, said, each.place.context) for each in alike)
    places = [evidence.places[at] for at in evidence.chosen]
    opposed = any(
        clause.is_alike(text, SOME) and denies(text) == denies(clause.text) and has_opposite(clause.text, text, said)
        for place in places
        if clause.share_in(place.terms) >= SOME
        for text in (place.text, *place.clauses)
    )
    return "the book says the opposite" if denied ^ opposed else None


def other_quantifier(clause: Statement, near: Near, evidence: Evidence) -> str | None:
    """Return the reason if the sentence says all where the book says some or only, or several of one."""
    alike = [each for each in near if clause.is_alike(each.text, ALIKE)]
    is_other = bool(alike) and all(has_other_quantifier(clause.text, each.text) for each in alike)
    return "the book says so of others" if is_other else None


def moved_words(clause: Statement, near: Near, evidence: Evidence) -> str | None:
    """Return the reason if all words of a sentence are the passage's, and none of its clauses has one's together.

    Who says in his own words what a book says brings words of his own; who has only the book's, in another
    arrangement, has exchanged what belongs together.
    """
    words = clause.words
    if len(words) < 2 or evidence.statement.words.difference(*(place.terms for place in evidence.places)):
        return None
    most = max(len(words & terms_of(text)) for place in evidence.places for text in place.clauses)
    return "the book says it of another" if len(words) - most >= MOVED * len(words) else None
