"""Names and numbers of a sentence that are not the book's: each rule returns its reason, or None."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rag.grounding import polarity
from rag.grounding.code_names import code_names_in, stands_in
from rag.grounding.counts import is_of_another_attribute, is_of_another_count, is_of_another_head, is_of_another_owner
from rag.grounding.matching import Evidence
from rag.grounding.near_clauses import ALIKE, SAME, NearClause, has_code, rivals
from rag.grounding.places import terms_of, words_of
from rag.grounding.quantities import UNITS, Quantity, is_among, quantities_in, units_in
from rag.grounding.statements import Statement, is_small_word, share_of
from rag.grounding.word_order import pairs_of, sequence_of

OWN_ITEM = 0.3
"""How much more of a sentence's words an item of a list holds than that of the sentence's name, from which it is of
another name."""

_BESIDE = re.compile(r"\b(?:and|or|nor|both|unlike|like|than)\b", re.IGNORECASE)
_DEFAULT = re.compile(r"\bdefaults?\b", re.IGNORECASE)
_AND = re.compile(r"[\s`,]*(?:(?:and|or|/)\s*)?[\s`]*")


def other_facts(clause: Statement, near: Sequence[NearClause], evidence: Evidence) -> str | None:
    """Return the reason if a name or number is not the book's, or stands for one of its own."""
    found = [next(_facts_against(clause, statement, evidence), None) for statement in near]
    return None if None in found else found[0]


def _facts_against(clause: Statement, near: NearClause, evidence: Evidence) -> Iterator[str]:
    text, units = near.text, units_in(evidence.places[near.place].block.text)
    quantities = quantities_in(text)
    is_same = (
        share_of(terms_of(text), clause.plain) >= SAME
        or any(has_code(name, text, clause, evidence) for name in clause.code)
        or any(is_among(quantity, quantities, units) for quantity in clause.counted)
    )
    for name in clause.code:
        if has_code(name, text, clause, evidence):
            if _is_other_role(name, text, evidence):
                yield f"{name} has another role"
        elif is_same and rivals(name, text, evidence):
            yield f"{name} stands for another name"
        elif not has_code(name, evidence.text, clause, evidence):
            yield f"{name} is not there"
    for name in clause.names:
        if not _is_named(name, evidence):
            yield f"{name} is not named"
    for quantity in clause.quantities:
        is_held = is_among(quantity, quantities, units)
        is_other = not is_held and not _stands_beside(quantity, clause, near, evidence)
        if is_other and _is_other_number(quantity, quantities, units, is_same, evidence):
            yield f"{clause.text[quantity.start : quantity.end]} is another number"


def _stands_beside(number: Quantity, clause: Statement, near: NearClause, evidence: Evidence) -> bool:
    """Return whether a short clause beside the near one has the number with what the sentence says it of."""
    return any(
        is_among(number, quantities_in(other)) and (clause.words & terms_of(other)) - terms_of(near.text)
        for other in evidence.places[near.place].clauses
        if other != near.text
    )


def other_item(evidence: Evidence) -> str | None:
    """Return the reason if a name from a list comes with what the list says of another item."""
    for name in evidence.statement.code:
        own = [place for place in evidence.places if stands_in(name, place.text)]
        lists = {place.block for place in own if not place.is_code}
        words = evidence.statement.words - words_of(name)
        named = max((share_of(place.terms, words) for place in own), default=1.0)
        for place in evidence.places:
            if place.block in lists and place not in own and rivals(name, place.text, evidence):
                share = share_of(place.terms, words)
                if share >= ALIKE and share - named >= OWN_ITEM:
                    return f"the list says so of another than {name}"
    return None


def other_head(evidence: Evidence) -> str | None:
    """Return the reason if a list or a table says of another item what the sentence says of one of its items."""
    best, words = evidence.best, evidence.statement.words
    if not best.head:
        return None
    prose = "paragraph", best.block.section
    items: dict[str, frozenset[int]] = {}
    for place in evidence.places:
        if place.head and (place.block == best.block or (place.block.kind, place.block.section) == prose):
            items[place.head] = items.get(place.head, frozenset()) | place.terms
    for head, terms in items.items():
        named, other = words_of(head), words_of(best.head)
        if (
            not named
            or not named - other <= words
            or not named - other
            or not _comes_first(head, best.head, evidence)
        ):
            continue
        rest = words - named
        held = share_of(items[best.head], rest)
        if held >= ALIKE and held - share_of(terms, rest) >= OWN_ITEM:
            return f"the list says so of another than {head}"
    return None


def _comes_first(head: str, other: str, evidence: Evidence) -> bool:
    """Return whether the sentence names the one head before the other, which it need not name at all."""
    ours, theirs = words_of(head) - words_of(other), words_of(other) - words_of(head)
    text = evidence.statement.text
    said = [word for word in sequence_of(text) if word in ours | theirs]
    if theirs & set(said):
        return said[0] in ours and not _BESIDE.search(text)
    return bool(theirs)


def exchanged_names(evidence: Evidence) -> str | None:
    """Return the reason if a name stands beside a word beside which the book has another of the sentence's names."""
    statement = evidence.statement
    named = [word for name in (*statement.code, *statement.names) for word in sequence_of(name)[:1]]
    if polarity.compares(statement.text):
        return None
    theirs = {pair for place in evidence.places for pair in pairs_of(place.text)}
    for first, second in pairs_of(statement.text) - theirs:
        if first in named and second not in named and any((other, second) in theirs for other in named):
            return "names are exchanged"
    return None


def other_default(evidence: Evidence) -> str | None:
    """Return the reason if the sentence calls another code name the default than the book does."""
    if not _DEFAULT.search(evidence.statement.text):
        return None
    ours = frozenset(evidence.statement.code)
    places = [place for place in evidence.places if _DEFAULT.search(place.text)]
    own = [place for place in places if ours & frozenset(code_names_in(place.block.section or ""))]
    theirs = [frozenset(code_names_in(place.text)) for place in own or places]
    if not ours or not theirs or not all(theirs) or any(ours & names for names in theirs):
        return None
    return "the book has another default"


def _is_other_role(name: str, text: str, evidence: Evidence) -> bool:
    """Return whether the sentence begins with a name that the text has only behind the one it speaks of."""
    if evidence.statement.text.replace("`", "").find(name) > 5:
        return False
    at = text.find(name)
    for other in rivals(name, text, evidence):
        before = text.find(other)
        if 0 <= before < at and not _AND.fullmatch(text[before + len(other) : at]):
            return True
    return False


def _is_named(name: str, evidence: Evidence) -> bool:
    if any(stands_in(name, text) for text in (evidence.text, *(place.text for place in evidence.places))):
        return True
    terms, held = words_of(name), terms_of(evidence.text)
    return bool(terms) and (terms <= held or any(terms <= place.terms for place in evidence.places))


def _is_other_number(
    number: Quantity, quantities: Sequence[Quantity], units: Sequence[str], is_same: bool, evidence: Evidence
) -> bool:
    if evidence.follows(number):
        return False
    of_same_noun = [quantity for quantity in quantities if quantity.noun and quantity.noun[:4] == number.noun[:4]]
    is_other = any(quantity.value != number.value for quantity in of_same_noun)
    if is_small_word(number) or (is_same and is_other and number.is_word):
        return is_other
    if is_same and any(
        (quantity.dimension == number.dimension or (quantity.dimension is None and number.unit))
        and not is_among(quantity, evidence.statement.quantities)
        and not is_small_word(quantity)
        for quantity in quantities
    ):
        return True
    return not is_among(number, quantities_in(evidence.text), units)


def other_share(clause: Statement, near: Sequence[NearClause], evidence: Evidence) -> str | None:
    """Return the reason if a number is that of the clause before the short one that has the sentence's words."""

    def is_of_the_other(number: Quantity, each: NearClause) -> bool:
        missing = clause.words - terms_of(each.text)
        return any(
            missing & terms_of(other)
            and not is_among(number, quantities_in(other))
            and any(
                quantity.dimension == number.dimension and not is_among(quantity, clause.quantities)
                for quantity in quantities_in(other)
            )
            for other in _behind(each.text, evidence.places[each.place].clauses)
        )

    for number in clause.counted:
        having = [each for each in near if is_among(number, quantities_in(each.text))]
        if number.dimension and having and all(is_of_the_other(number, each) for each in having):
            return "the book says the number of another"
    return None


def _behind(text: str, clauses: Sequence[str]) -> Sequence[str]:
    return clauses[clauses.index(text) + 1 :] if text in clauses else ()


def other_unit(evidence: Evidence) -> str | None:
    """Return the reason if the sentence names a unit, without a number, where the book has another of its kind."""
    counted = {quantity.dimension for quantity in evidence.statement.quantities}
    theirs = [UNITS[unit] for unit in units_in(evidence.best.text)]
    for unit in units_in(evidence.statement.text):
        ours = UNITS[unit]
        if ours[0] not in counted and ours not in theirs and any(quantity[0] == ours[0] for quantity in theirs):
            return f"{unit} is another unit"
    return None


def other_count(evidence: Evidence) -> str | None:
    """Return the reason if a number is said of another attribute, or of another count of things."""
    said = evidence.statement.text
    if is_of_another_attribute(said, evidence.best.text) or is_of_another_count(said, evidence.best.clauses):
        return "the book says the number of another"
    if any(
        is_of_another_head(number, evidence.statement.text, evidence.places) for number in evidence.statement.counted
    ):
        return "the list says the number of another"
    if is_of_another_owner(said, [place.text for place in evidence.places]):
        return "the book says the number of another"
    return None
