"""What speaks against a sentence in the places that are nearest to it, rule by rule; each rule errs on its side.

A sentence is set against the clauses of the places that come nearest to its own, and only where all of them differ
from it. The rules were written against the pairs in `tests/rag/grounding/data`, and measured on others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rag.grounding import polarity
from rag.grounding.code_names import code_names_in, stands_in
from rag.grounding.counts import is_of_another_attribute, is_of_another_count
from rag.grounding.matching import Evidence
from rag.grounding.places import Place, terms_of, words_of
from rag.grounding.quantities import UNITS, Quantity, is_among, quantities_in, units_in
from rag.grounding.statements import Statement, is_small_word, share_of
from rag.grounding.word_order import Pairs, is_exchange, pairs_of, sequence_of, slots_of

TIE = 0.85
"""Share of the nearest clause's score from which another one is as near."""

ALIKE = 0.5
"""Share of a clause's words from which another one speaks of the same."""

SAME = 0.45
"""Share of its words from which a clause with another name or number in its place is a rival."""

OWN_ITEM = 0.3
"""How much more of a sentence's words an item of a list holds than that of the sentence's name, from which it is of
another name."""

RANK_WEIGHT = 0.4
"""What the rank of its place counts for a clause, beside its own words and facts."""


@dataclass(frozen=True, slots=True)
class _Near:
    """A clause of a place, and how near it is to a clause of the sentence."""

    text: str
    place: int
    score: float


def contradiction(evidence: Evidence) -> str | None:
    """Return the first rule that speaks against the sentence, or None."""
    for clause in evidence.statement.clauses:
        near = _nearest(clause, evidence)
        for rule in (
            _other_facts,
            _other_share,
            _other_subject,
            _opposite,
            _other_quantifier,
            _contrast,
            _other_word,
        ):
            if said := rule(clause, near, evidence):
                return said
    for whole in (_other_item, _other_count, _denial, _affirmation, _other_unit, _swapped_words):
        if said := whole(evidence):
            return said
    return None


def _nearest(clause: Statement, evidence: Evidence) -> list[_Near]:
    found = [
        _Near(text, at, _score(clause, text, at, evidence) + RANK_WEIGHT * evidence.ranks[at])
        for at in evidence.chosen
        for text in evidence.places[at].clauses
    ]
    best = max(match.score for match in found)
    return [match for match in found if match.score >= TIE * best]


def _score(clause: Statement, text: str, at: int, evidence: Evidence) -> float:
    units = units_in(evidence.places[at].block.text)
    facts = sum(_has_code(name, text, clause, evidence) for name in clause.code)
    facts += sum(is_among(quantity, quantities_in(text), units) for quantity in clause.counted)
    words = len(clause.plain & terms_of(text))
    whole = len(clause.code) + len(clause.counted) + len(clause.plain)
    return (facts + words) / (whole or 1.0)


def _has_code(name: str, text: str, clause: Statement, evidence: Evidence) -> bool:
    """Return whether the text has the name: one in backticks as code, unless the book writes it without them."""
    if not stands_in(name, text):
        return False
    if name not in clause.quoted or name in evidence.code:
        return name not in clause.quoted or name in code_names_in(text)
    return not _rivals(name, evidence.best.text, evidence)


def _other_facts(clause: Statement, near: Sequence[_Near], evidence: Evidence) -> str | None:
    """Another name or number where the book has its own, or one that it does not have."""
    found = [next(_facts_against(clause, statement, evidence), None) for statement in near]
    return None if None in found else found[0]


def _facts_against(clause: Statement, near: _Near, evidence: Evidence) -> Iterator[str]:
    text, units = near.text, units_in(evidence.places[near.place].block.text)
    quantities = quantities_in(text)
    is_same = (
        share_of(terms_of(text), clause.plain) >= SAME
        or any(_has_code(name, text, clause, evidence) for name in clause.code)
        or any(is_among(quantity, quantities, units) for quantity in clause.counted)
    )
    for name in clause.code:
        if _has_code(name, text, clause, evidence):
            if _is_other_role(name, text, evidence):
                yield f"{name} has another role"
        elif is_same and _rivals(name, text, evidence):
            yield f"{name} stands for another name"
        elif not _has_code(name, evidence.text, clause, evidence):
            yield f"{name} is not there"
    for name in clause.names:
        if not _is_named(name, evidence):
            yield f"{name} is not named"
    for quantity in clause.quantities:
        is_held = is_among(quantity, quantities, units)
        is_other = not is_held and not _stands_beside(quantity, clause, near, evidence)
        if is_other and _is_other_number(quantity, quantities, units, is_same, evidence):
            yield f"{clause.text[quantity.start : quantity.end]} is another number"


def _stands_beside(number: Quantity, clause: Statement, near: _Near, evidence: Evidence) -> bool:
    """Return whether a short clause beside the near one has the number with what the sentence says it of."""
    return any(
        is_among(number, quantities_in(other)) and (clause.words & terms_of(other)) - terms_of(near.text)
        for other in evidence.places[near.place].clauses
        if other != near.text
    )


def _rivals(name: str, text: str, evidence: Evidence) -> list[str]:
    """Return the names of the same kind in a text that the sentence does not name."""
    statement = evidence.statement
    return [
        other
        for other in code_names_in(text)
        if _kind(other) == _kind(name) and other not in statement.code and not stands_in(other, statement.text)
    ]


def _kind(name: str) -> str:
    if name.startswith("-"):
        return "flag"
    if name.lower().startswith("0x"):
        return "number"
    return "constant" if re.fullmatch(r"[A-Z][A-Z0-9_]+", name) else "name"


def _other_item(evidence: Evidence) -> str | None:
    """Return the reason if a name from a list comes with what the list says of another item."""
    for name in evidence.statement.code:
        own = [place for place in evidence.places if stands_in(name, place.text)]
        lists = {place.block for place in own if place.block.kind in ("list", "table")}
        words = evidence.statement.words - words_of(name)
        named = max((share_of(place.terms, words) for place in own), default=1.0)
        for place in evidence.places:
            if place.block in lists and place not in own and _rivals(name, place.text, evidence):
                share = share_of(place.terms, words)
                if share >= ALIKE and share - named >= OWN_ITEM:
                    return f"the list says so of another than {name}"
    return None


_AND = re.compile(r"[\s`,]*(?:(?:and|or|/)\s*)?[\s`]*")


def _is_other_role(name: str, text: str, evidence: Evidence) -> bool:
    """Return whether the sentence begins with a name that the text has only behind the one it speaks of."""
    if evidence.statement.text.replace("`", "").find(name) > 5:
        return False
    at = text.find(name)
    for other in _rivals(name, text, evidence):
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
        (quantity.dimension == number.dimension or quantity.dimension is None)
        and not is_among(quantity, evidence.statement.quantities)
        and not is_small_word(quantity)
        for quantity in quantities
    ):
        return True
    return not is_among(number, quantities_in(evidence.text), units)


def _other_share(clause: Statement, near: Sequence[_Near], evidence: Evidence) -> str | None:
    """Return the reason if a number is that of the clause before the short one that has the sentence's words."""

    def is_of_the_other(number: Quantity, each: _Near) -> bool:
        missing = clause.words - terms_of(each.text)
        return any(
            missing & terms_of(other)
            and not is_among(number, quantities_in(other))
            and any(quantity.dimension == number.dimension for quantity in quantities_in(other))
            for other in _behind(each.text, evidence.places[each.place].clauses)
        )

    for number in clause.counted:
        having = [each for each in near if is_among(number, quantities_in(each.text))]
        if number.dimension and having and all(is_of_the_other(number, each) for each in having):
            return "the book says the number of another"
    return None


def _behind(text: str, clauses: Sequence[str]) -> Sequence[str]:
    return clauses[clauses.index(text) + 1 :] if text in clauses else ()


def _other_subject(clause: Statement, near: Sequence[_Near], evidence: Evidence) -> str | None:
    """Says of one thing what the book, in the same sentence, says of another."""
    first = next((word for word in sequence_of(clause.text) if isinstance(word, int)), None)
    if (
        _BEGINS_BESIDE.match(clause.text)
        or first not in clause.plain
        or len(clause.plain) < 2
        or polarity.denies_outright(evidence.statement.text)
    ):
        return None
    rest = clause.plain - {first}

    def is_of_another(each: _Near) -> bool:
        place = evidence.places[each.place]
        subject = next((word for word in sequence_of(each.text) if isinstance(word, int)), None)
        return (
            place.text.startswith(each.text)
            and first not in terms_of(each.text)
            and subject not in clause.plain
            and share_of(terms_of(each.text), rest) >= 0.6
            and any(_begins_with(first, other) for other in place.clauses if other != each.text)
        )

    return "the book says it of another" if all(map(is_of_another, near)) else None


_BEGINS_BESIDE = re.compile(
    r"\W*(?:in|on|at|by|to|for|from|with|without|if|when|while|after|before|under|over|below|above|during|as)\b",
    re.IGNORECASE,
)
"""What a clause begins with whose first word is not what it speaks of."""

_LEADING = re.compile(r"^(?:(?:and|but|or|while|then|the|an?)\s+)+", re.IGNORECASE)


def _begins_with(word: int, clause: str) -> bool:
    words = _LEADING.sub("", clause).split(maxsplit=1)
    return bool(words) and word in words_of(words[0])


def _opposite(clause: Statement, near: Sequence[_Near], evidence: Evidence) -> str | None:
    """Return the reason if a denial, an opposite or a reversed comparison turns the sentence around."""
    words = clause.words
    good = [held for held in near if share_of(terms_of(held.text), words) >= ALIKE]
    statement = evidence.statement
    is_denied = (
        bool(good)
        and not polarity.denies(statement.text)
        and not polarity.denies_outright(statement.text)
        and all(polarity.denies_as_whole(held.text) for held in good)
    )
    is_opposed = not polarity.denies_outright(clause.text) and _is_opposed(clause, good, evidence)
    is_swapped = any(
        polarity.swaps_comparison(clause.text, text)
        for at in evidence.chosen
        if evidence.ranks[at] >= 0.8 * evidence.ranks[evidence.chosen[0]]
        for text in (evidence.places[at].text, *evidence.places[at].clauses)
    )
    return "the book says the opposite" if (is_denied + is_opposed + is_swapped) % 2 else None


def _is_opposed(clause: Statement, good: Sequence[_Near], evidence: Evidence) -> bool:
    def alike(place: Place, least: float) -> bool:
        return share_of(place.terms, clause.words) >= least

    def against(text: str) -> bool:
        return polarity.has_opposite(clause.text, text) and not polarity.denies_outright(text)

    places = [evidence.places[at] for at in evidence.chosen]
    if any(against(place.text) and alike(place, 0.3) for place in places):
        return True
    parts = [text for place in places if alike(place, 0.3) for text in place.clauses if text != place.text]
    if any(against(text) and share_of(terms_of(text), clause.words) >= 0.3 for text in parts):
        return True
    if evidence.best.block.kind == "table" and alike(evidence.best, 0.3) and any(map(against, evidence.best.clauses)):
        return True
    return bool(good) and all(against(statement.text) for statement in good)


def _other_quantifier(clause: Statement, near: Sequence[_Near], evidence: Evidence) -> str | None:
    """Return the reason if the sentence says all where the book says any, or only."""
    denies = polarity.denies_outright(evidence.statement.text)
    parts = [
        text
        for text in evidence.best.clauses
        if share_of(terms_of(text), clause.words - words_of("everything")) >= ALIKE
    ]
    if any(polarity.excludes_all(clause.text, text) for text in parts):
        return "the book says so of nothing"
    good = [
        held
        for held in near
        if share_of(terms_of(held.text), clause.words) >= ALIKE
        and (denies or not polarity.denies_outright(held.text))
    ]
    if good and all(polarity.has_other_quantifier(clause.text, held.text) for held in good):
        return "the book says so of others"
    if near and all(polarity.says_only(clause.text, held.text) for held in near):
        return "the book does not say only"
    return None


def _contrast(clause: Statement, near: Sequence[_Near], evidence: Evidence) -> str | None:
    """Another attribute of the same thing, where the passages tell the two apart: the soft or the hard gripper."""
    pairs = {pair for place in evidence.places for pair in pairs_of(place.text)}
    ours, our_words = pairs_of(clause.text), sequence_of(clause.text)

    def differs(each: _Near) -> bool:
        whole = evidence.places[each.place].text
        return _is_other_attribute(ours, our_words, whole, pairs) or _is_other_attribute(
            ours, our_words, each.text, pairs_of(whole)
        )

    return "the book says it of another kind" if all(map(differs, near)) else None


def _is_other_attribute(ours: Pairs, our_words: Sequence[int | str], text: str, known: Pairs) -> bool:
    theirs, their_words = pairs_of(text), sequence_of(text)
    return any(
        (attribute, thing) in known
        and attribute not in their_words
        and any(other != attribute and there == thing and other not in our_words for other, there in theirs)
        for attribute, thing in ours
    )


def _other_word(clause: Statement, near: Sequence[_Near], evidence: Evidence) -> str | None:
    """Another word of the passages in the place of the book's own, all else being said as the book does."""
    everything = frozenset[int]().union(*(place.terms for place in evidence.places))
    said = {word for _, word, _ in slots_of(evidence.statement.text)}

    def is_replaced(each: _Near) -> bool:
        place = evidence.places[each.place]
        theirs = {(before, after): word for before, word, after in slots_of(each.text)}
        for before, word, after in slots_of(clause.text):
            terms = words_of(word)
            other = theirs.get((before, after), word)
            if not terms or terms <= terms_of(each.text) or not terms <= everything or not words_of(other):
                continue
            rest = evidence.statement.words - terms
            if other not in said and share_of(place.terms, rest) >= 0.75:
                return True
        return False

    return "the book says it of another" if all(map(is_replaced, near)) else None


def _denial(evidence: Evidence) -> str | None:
    """Return the reason if the sentence denies something and the book denies nothing."""
    statement = evidence.statement
    if not polarity.denies_outright(statement.text) or _denies_an_opposite(evidence):
        return None
    if any(map(evidence.follows, statement.quantities)):
        return None
    sure = [
        place
        for place, near in zip(evidence.places, evidence.nearness, strict=True)
        if share_of(place.terms, statement.words) >= 0.6 and near >= 0.5
    ] or [evidence.places[at] for at in evidence.chosen]
    if not any(polarity.limits(place.context) for place in sure):
        return "the book does not deny it"
    texts = [text for at in evidence.chosen for text in evidence.places[at].clauses]
    for clause in statement.clauses:
        if polarity.denies_outright(clause.text) and len(clause.words) >= 2:
            whole = [text for text in texts if clause.words <= terms_of(text)]
            if whole and not any(polarity.limits(text) for text in whole):
                return "the book says so"
    return None


def _denies_an_opposite(evidence: Evidence) -> bool:
    """Return whether "do not share" stands for "own"."""
    return any(
        polarity.denies_outright(clause.text)
        and polarity.has_opposite(clause.text, evidence.places[at].text)
        and share_of(evidence.places[at].terms, clause.words) >= 0.3
        for clause in evidence.statement.clauses
        for at in evidence.chosen
    )


def _affirmation(evidence: Evidence) -> str | None:
    """Something said as so, of which the book only says that it is not."""
    statement = evidence.statement
    if polarity.denies(statement.text) or polarity.limits_by_condition(statement.text, evidence.best.text):
        return None
    places = [evidence.places[at] for at in evidence.chosen]
    affirmed = terms_of(evidence.headings).union(
        *(terms_of(text) for place in places for text in _affirmed(place) if not polarity.denies(text))
    )
    best = evidence.best
    denied = frozenset[int]().union(*(terms_of(text) for text in _affirmed(best) if polarity.denies(text)))
    if share_of(best.terms, statement.words) >= 0.7 and (statement.words & denied) - affirmed:
        return "the book denies a part of it"
    if _is_denied_in_order(statement, _affirmed(best)):
        return "the book denies it"
    for at, place in zip(evidence.chosen, places, strict=True):
        if share_of(place.terms, statement.words) >= 0.3 and evidence.nearness[at] >= 0.55:
            said = frozenset[int]().union(
                *(terms_of(text) for text in place.clauses if not polarity.denies_outright(text))
            )
            if any(words <= statement.words - said for words in polarity.denied_words(place.text)):
                return "the book denies it"
    return None


def _affirmed(place: Place) -> list[str]:
    return [polarity.affirmed_part(text) for text in place.clauses]


def _is_denied_in_order(statement: Statement, clauses: Sequence[str]) -> bool:
    """Return whether only a clause that denies it says the sentence's words in its order."""
    ours = sequence_of(statement.text)
    same = [text for text in clauses if [word for word in sequence_of(text) if word in ours] == list(ours)]
    return len(ours) > 2 and bool(same) and all(polarity.denies_outright(text) for text in same)


def _other_unit(evidence: Evidence) -> str | None:
    """Return the reason if the sentence names a unit, without a number, where the book has another of its kind."""
    counted = {quantity.dimension for quantity in evidence.statement.quantities}
    theirs = [UNITS[unit] for unit in units_in(evidence.best.text)]
    for unit in units_in(evidence.statement.text):
        ours = UNITS[unit]
        if ours[0] not in counted and ours not in theirs and any(quantity[0] == ours[0] for quantity in theirs):
            return f"{unit} is another unit"
    return None


def _other_count(evidence: Evidence) -> str | None:
    """Return the reason if a number is said of another attribute, or of another count of things."""
    said = evidence.statement.text
    if is_of_another_attribute(said, evidence.best.text) or is_of_another_count(said, evidence.best.clauses):
        return "the book says the number of another"
    return None


def _swapped_words(evidence: Evidence) -> str | None:
    """Two words, or two pairs of words, in each other's place, all others as in the book."""
    said, held = evidence.statement.text, evidence.best.text
    if share_of(evidence.best.terms, evidence.statement.words) < 0.75:
        return None
    if bool(_PASSIVE.search(said)) != bool(_PASSIVE.search(held)):
        return None
    ours, theirs = sequence_of(said), sequence_of(held)
    shared = [word for word in dict.fromkeys(ours) if ours.count(word) == 1 and theirs.count(word) == 1]
    return "roles are swapped" if is_exchange(shared, sorted(shared, key=theirs.index)) else None


_PASSIVE = re.compile(r"\b(?:is|are|was|were|be|been|being)\b.*\bby\b", re.IGNORECASE)
