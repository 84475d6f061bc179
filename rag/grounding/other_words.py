"""Subjects, attributes and roles of a sentence that are not the book's: each rule returns its reason, or None."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag.grounding import polarity
from rag.grounding.matching import Evidence
from rag.grounding.near_clauses import NearClause
from rag.grounding.places import terms_of, words_of
from rag.grounding.statements import Statement, share_of
from rag.grounding.word_order import Pairs, is_exchange, pairs_of, sequence_of, slots_of

_BEGINS_BESIDE = re.compile(
    r"\W*(?:in|on|at|by|to|for|from|with|without|if|when|while|after|before|under|over|below|above|during|as)\b",
    re.IGNORECASE,
)
"""What a clause begins with whose first word is not what it speaks of."""

_LEADING = re.compile(r"^(?:(?:and|but|or|while|then|the|an?)\s+)+", re.IGNORECASE)

_REFERS = re.compile(r"\b(?:that|which|who|whose|it|they|and|or)\b", re.IGNORECASE)
"""What makes the order of the words in a clause say little about their roles."""

_PASSIVE = re.compile(r"\b(?:is|are|was|were|be|been|being)\b.*\bby\b", re.IGNORECASE)


def other_subject(clause: Statement, near: Sequence[NearClause], evidence: Evidence) -> str | None:
    """Return the reason if the book, in the same sentence, says it of another thing."""
    first = next((word for word in sequence_of(clause.text) if isinstance(word, int)), None)
    if (
        _BEGINS_BESIDE.match(clause.text)
        or first not in clause.plain
        or len(clause.plain) < 2
        or polarity.denies_outright(evidence.statement.text)
    ):
        return None
    rest = clause.plain - {first}

    def is_of_another(each: NearClause) -> bool:
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


def _begins_with(word: int, clause: str) -> bool:
    words = _LEADING.sub("", clause).split(maxsplit=1)
    return bool(words) and word in words_of(words[0])


def contrast(clause: Statement, near: Sequence[NearClause], evidence: Evidence) -> str | None:
    """Return the reason if the attribute is another than the book's: the soft gripper where it says the hard one."""
    pairs = {pair for place in evidence.places for pair in pairs_of(place.text)}
    ours, our_words = pairs_of(clause.text), sequence_of(clause.text)

    def differs(each: NearClause) -> bool:
        whole = evidence.places[each.place].text
        return _is_other_attribute(ours, our_words, whole, pairs) or _is_other_attribute(
            ours, our_words, each.text, pairs_of(whole)
        )

    return (
        "the book says it of another kind"
        if all(not evidence.places[each.place].is_code and differs(each) for each in near)
        else None
    )


def _is_other_attribute(ours: Pairs, our_words: Sequence[int | str], text: str, known: Pairs) -> bool:
    theirs, their_words = pairs_of(text), sequence_of(text)
    return any(
        isinstance(attribute, int)
        and (attribute, thing) in known
        and attribute not in their_words
        and any(
            isinstance(other, int) and other != attribute and there == thing and other not in our_words
            for other, there in theirs
        )
        for attribute, thing in ours
    )


def other_word(clause: Statement, near: Sequence[NearClause], evidence: Evidence) -> str | None:
    """Return the reason if one word is another of the passages, and all others are as in the book."""
    everything = frozenset[int]().union(*(place.terms for place in evidence.places))
    said = {word for _, word, _ in slots_of(evidence.statement.text)}

    def is_replaced(each: NearClause) -> bool:
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


def swapped_words(evidence: Evidence) -> str | None:
    """Return the reason if two words, or two pairs, have changed places and all others are as in the book."""
    if share_of(evidence.best.terms, evidence.statement.words) < 0.75:
        return None
    said, held = evidence.statement, evidence.best
    is_swapped = _are_exchanged(said.text, held.text) or any(
        clause.words <= terms_of(text) and not _REFERS.search(clause.text) and _are_exchanged(clause.text, text)
        for clause in said.clauses
        for text in held.clauses
    )
    return "roles are swapped" if is_swapped else None


def _are_exchanged(said: str, held: str) -> bool:
    if bool(_PASSIVE.search(said)) != bool(_PASSIVE.search(held)):
        return False
    ours, theirs = sequence_of(said), sequence_of(held)
    shared = [word for word in dict.fromkeys(ours) if ours.count(word) == 1 and theirs.count(word) == 1]
    return is_exchange(shared, sorted(shared, key=theirs.index))
