"""What speaks against a sentence in the clauses of the book that come nearest to its own, rule by rule.

A rule speaks against a clause only where all that come nearest differ from it. The rules were written on the pairs in
`pairs_written_on.json` of the tests, and kept for what they gain on those in `pairs_measured_on.json`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rag.grounding.code_names import code_names_in, stands_in
from rag.grounding.matching import Evidence, NearClause
from rag.grounding.places import terms_of, words_of
from rag.grounding.quantities import UNITS, Quantity, is_among, quantities_in, units_in
from rag.grounding.statements import Statement
from rag.grounding.wording import denies, has_opposite, has_other_quantifier, is_denied

ALIKE = 0.5
"""Share of a clause's words from which another one speaks of the same."""

PLAINLY = 0.8
"""The same where the book is said to say otherwise: right in nine of ten of its uses, on both sets of pairs."""

SOME = 0.3
"""The same where an opposite word is looked for, which is not among them."""

Near = Sequence[NearClause]
Rule = Callable[[Statement, Near, Evidence], str | None]


def contradiction(evidence: Evidence) -> str | None:
    """Return what the book says otherwise, None if nothing."""
    return _first((other_name, other_stated_number, other_unit, denied), evidence)


def doubt(evidence: Evidence) -> str | None:
    """Return what keeps a sentence from being confirmed though the book has its words, None if nothing."""
    return _first((missing_name, other_number, maybe_denied, opposite_word, other_quantifier, moved_words), evidence)


def _first(rules: Sequence[Rule], evidence: Evidence) -> str | None:
    found = ((clause, evidence.nearest(clause)) for clause in evidence.statement.clauses)
    return next((said for clause, near in found for rule in rules if (said := rule(clause, near, evidence))), None)


def other_name(clause: Statement, near: Near, evidence: Evidence) -> str | None:
    """Return the reason if a code name stands where the book has another one of its kind."""
    said = evidence.statement

    for name in clause.code:
        if all(not stands_in(name, each.text) and _other_names(said, each.text) for each in near):
            return f"{name} stands for another name"
    return None


def _other_names(said: Statement, text: str) -> list[str]:
    return [each for each in code_names_in(text) if each not in said.code and not stands_in(each, said.text)]


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
        if all(_is_other_number(number, each, evidence) for each in near):
            return f"{clause.text[number.start : number.end]} is another number"
    return None


def _is_other_number(number: Quantity, near: NearClause, evidence: Evidence) -> bool:
    quantities, units = quantities_in(near.text), units_in(near.place.block.text)
    if is_among(number, quantities, units):
        return False
    is_other = any(each.noun and each.noun[:4] == number.noun[:4] for each in quantities)
    if number.is_small_word or (number.is_word and is_other):
        return is_other
    rivals = (
        each
        for each in quantities
        if each.dimension == number.dimension or (each.dimension is None and number.unit)
        if not is_among(each, evidence.statement.quantities) and not each.is_small_word
    )
    return any(rivals) or not is_among(number, quantities_in(evidence.text), units)


def other_unit(clause: Statement, near: Near, evidence: Evidence) -> str | None:
    """Return the reason if the sentence names a unit, without a number, where the book has another of its kind."""
    counted = {quantity.dimension for quantity in evidence.statement.quantities}
    theirs = {UNITS[unit] for unit in units_in(evidence.best.text)}
    for unit in units_in(clause.text):
        dimension = UNITS[unit][0]
        if dimension not in counted and UNITS[unit] not in theirs and any(each[0] == dimension for each in theirs):
            return f"{unit} is another unit"
    return None


def denied(clause: Statement, near: Near, evidence: Evidence) -> str | None:
    """Return the reason if only one of the sentence and the book denies what both plainly speak of."""
    return maybe_denied(clause, near, evidence, least=PLAINLY)


def maybe_denied(clause: Statement, near: Near, evidence: Evidence, least: float = ALIKE) -> str | None:
    """Return the reason if only one of the sentence and the book denies what both speak of."""
    said = evidence.statement.text
    alike = [each for each in near if clause.is_alike(each.text, least)]
    is_turned = bool(alike) and all(is_denied(clause.text, each.text, said, each.place.text) for each in alike)
    return "the book says the opposite" if is_turned else None


def opposite_word(clause: Statement, near: Near, evidence: Evidence) -> str | None:
    """Return the reason if the book has the opposite of a word of the sentence, and denies as much as it does."""
    texts = (text for at in evidence.chosen for text in (evidence.places[at].text, *evidence.places[at].clauses))
    is_turned = any(
        clause.is_alike(text, SOME)
        and denies(text) == denies(clause.text)
        and has_opposite(clause.text, text, evidence.statement.text)
        for text in texts
    )
    return "the book has the opposite word" if is_turned else None


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
    return "the book says it of another" if most < len(words) else None
