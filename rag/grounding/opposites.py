"""Denials, opposites and quantifiers that turn a sentence around: each rule returns its reason, or None."""

from __future__ import annotations

from collections.abc import Sequence

from rag.grounding import polarity, quantifiers
from rag.grounding.antonyms import has_opposite
from rag.grounding.matching import Evidence
from rag.grounding.near_clauses import ALIKE, NearClause
from rag.grounding.places import Place, terms_of, words_of
from rag.grounding.statements import Statement, share_of
from rag.grounding.word_order import sequence_of, swaps_order, turns_around


def opposite(clause: Statement, near: Sequence[NearClause], evidence: Evidence) -> str | None:
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
        or swaps_order(statement.text, text)
        or turns_around(clause.text, text)
        for at in evidence.chosen
        if evidence.ranks[at] >= 0.8 * evidence.ranks[evidence.chosen[0]]
        for text in (evidence.places[at].text, *evidence.places[at].clauses)
    )
    if (is_denied + is_opposed + is_swapped) % 2:
        return "the book says the opposite"
    return "the book says it need not be" if _need_not_be(clause, evidence) else None


def _need_not_be(clause: Statement, evidence: Evidence) -> bool:
    """Return whether the sentence demands what the book calls needless."""
    texts = [evidence.places[at].text for at in evidence.chosen]
    alike = [text for text in texts if share_of(terms_of(text), clause.words) >= ALIKE]
    return any(polarity.is_needless(clause.text, text) for text in alike)


def _is_opposed(clause: Statement, good: Sequence[NearClause], evidence: Evidence) -> bool:
    def alike(place: Place, least: float) -> bool:
        return share_of(place.terms, clause.words) >= least

    def against(text: str) -> bool:
        return has_opposite(clause.text, text, evidence.statement.text) and not polarity.denies_outright(text)

    places = [evidence.places[at] for at in evidence.chosen]
    if any(against(place.text) and alike(place, 0.3) for place in places):
        return True
    parts = [text for place in places if alike(place, 0.3) for text in place.clauses if text != place.text]
    if any(against(text) and share_of(terms_of(text), clause.words) >= 0.3 for text in parts):
        return True
    if evidence.best.block.kind == "table" and alike(evidence.best, 0.3) and any(map(against, evidence.best.clauses)):
        return True
    return bool(good) and all(against(statement.text) for statement in good)


def other_quantifier(clause: Statement, near: Sequence[NearClause], evidence: Evidence) -> str | None:
    """Return the reason if the sentence says all where the book says any, or only."""
    denies = polarity.denies_outright(evidence.statement.text)
    parts = [
        text
        for text in evidence.best.clauses
        if share_of(terms_of(text), clause.words - words_of("everything")) >= ALIKE
    ]
    if any(quantifiers.excludes_all(clause.text, text) for text in parts):
        return "the book says so of nothing"
    good = [
        held
        for held in near
        if share_of(terms_of(held.text), clause.words) >= ALIKE
        and (denies or not polarity.denies_outright(held.text))
    ]
    if any(quantifiers.has_other_count(clause.text, held.text) for held in good):
        return "the book says so of another number"
    if good and all(quantifiers.has_other_quantifier(clause.text, held.text) for held in good):
        return "the book says so of others"
    if near and all(quantifiers.says_only(clause.text, held.text, evidence.best.text) for held in near):
        return "the book does not say only"
    return None


def denial(evidence: Evidence) -> str | None:
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
        and has_opposite(clause.text, evidence.places[at].text)
        and share_of(evidence.places[at].terms, clause.words) >= 0.3
        for clause in evidence.statement.clauses
        for at in evidence.chosen
    )


def affirmation(evidence: Evidence) -> str | None:
    """Return the reason if the sentence affirms what the book only denies."""
    statement = evidence.statement
    if polarity.denies(statement.text) or polarity.limits_by_condition(statement.text, evidence.best.text):
        return None
    places = [evidence.places[at] for at in evidence.chosen]
    said = frozenset[int]().union(
        *(terms_of(text) for place in places for text in _affirmed(place) if not polarity.denies(text))
    )
    affirmed = said | terms_of(evidence.headings)
    best = evidence.best
    denied = frozenset[int]().union(*(terms_of(text) for text in _affirmed(best) if polarity.denies(text)))
    if share_of(best.terms, statement.words) >= 0.7 and (statement.words & denied) - affirmed:
        return "the book denies a part of it"
    if _is_denied_in_order(statement, _affirmed(best)) or _is_replaced(statement, places, said):
        return "the book denies it"
    for at, place in zip(evidence.chosen, places, strict=True):
        if share_of(place.terms, statement.words) >= 0.3 and evidence.nearness[at] >= 0.55:
            own = frozenset[int]().union(
                *(terms_of(text) for text in place.clauses if not polarity.denies_outright(text))
            )
            if any(words <= statement.words - own for words in polarity.denied_words(place.text)):
                return "the book denies it"
    return None


def _affirmed(place: Place) -> list[str]:
    return [polarity.affirmed_part(text) for text in place.clauses]


def _is_replaced(statement: Statement, places: Sequence[Place], affirmed: frozenset[int]) -> bool:
    """Return whether the sentence says what the book says something else instead of."""
    parts = [words_of(part) for place in places for part in polarity.replaced_parts(place.text)]
    return any(
        share_of(statement.words, words) >= 0.6 and statement.words & words - affirmed for words in parts if words
    )


def _is_denied_in_order(statement: Statement, clauses: Sequence[str]) -> bool:
    """Return whether only a clause that denies it says the sentence's words in its order."""
    ours = sequence_of(statement.text)
    same = [text for text in clauses if [word for word in sequence_of(text) if word in ours] == list(ours)]
    return len(ours) > 2 and bool(same) and all(polarity.denies_outright(text) for text in same)
