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

Rule = Callable[[Evidence], str | None]


def contradiction(evidence: Evidence) -> str | None:
    """Return what the book says otherwise, None if nothing."""
    return _first((other_name, other_number, denied), evidence)


def doubt(evidence: Evidence) -> str | None:
    """Return what keeps a sentence from being confirmed though the book has its words, None if nothing."""
    return _first((missing_name, moved_number, maybe_denied, opposite_word, moved_words), evidence)


def _first(rules: Sequence[Rule], evidence: Evidence) -> str | None:
    return next((said for rule in rules if (said := rule(evidence))), None)


def other_name(evidence: Evidence) -> str | None:
    """Return the reason if a code name stands where the book has another one."""
    said = evidence.statement
    for name in said.code:
        if all(not stands_in(name, each.text) and _other_names(said, each.text) for each in evidence.near):
            return f"{name} stands for another name"
    return None


def _other_names(said: Statement, text: str) -> list[str]:
    return [each for each in code_names_in(text) if each not in said.code and not stands_in(each, said.text)]


def missing_name(evidence: Evidence) -> str | None:
    """Return the reason if a name or a formula stands nowhere in the passages."""
    text = "\n".join((evidence.text, *(place.text for place in evidence.places)))
    for name in (*evidence.statement.code, *evidence.statement.names):
        if not stands_in(name, text) and not (words_of(name) and words_of(name) <= terms_of(text)):
            return f"{name} is not there"
    return next((f"{formula} is not there" for formula in evidence.statement.formulas if formula not in text), None)


def other_number(evidence: Evidence) -> str | None:
    """Return the reason if a number stands nowhere, and each clause that comes nearest has another of its kind.

    A number that is said not to be may follow from the book's.
    """
    is_other = not denies(evidence.statement.text) and _has_number(evidence, all)
    return "the book has another number" if is_other else None


def moved_number(evidence: Evidence) -> str | None:
    """Return the reason if a number stands nowhere, or each clause that comes nearest has another of its kind."""
    return "the book has the number elsewhere, or not at all" if _has_number(evidence, any) else None


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


def denied(evidence: Evidence) -> str | None:
    """Return the reason if only one of the sentence and the book denies what both plainly speak of."""
    return maybe_denied(evidence, least=PLAINLY)


def maybe_denied(evidence: Evidence, least: float = ALIKE) -> str | None:
    """Return the reason if only one of the sentence and the book denies what both speak of."""
    said = evidence.statement
    alike = [each for each in evidence.near if said.share_in(terms_of(each.text)) >= least]
    is_turned = bool(alike) and all(is_denied(said.text, each.text, each.place.text) for each in alike)
    return "the book says the opposite" if is_turned else None


def opposite_word(evidence: Evidence) -> str | None:
    """Return the reason if the book has the opposite of a word of the sentence, and denies as much as it does."""
    said = evidence.statement
    texts = (text for at in evidence.chosen for text in (evidence.places[at].text, *evidence.places[at].clauses))
    is_turned = any(
        said.share_in(terms_of(text)) >= SOME and denies(text) == denies(said.text) and has_opposite(said.text, text)
        for text in texts
    )
    return "the book has the opposite word" if is_turned else None


def moved_words(evidence: Evidence) -> str | None:
    """Return the reason if all words of a sentence are the passages', and none of their clauses has them together.

    Who says in his own words what a book says brings words of his own; who has only the book's, in another
    arrangement, has exchanged what belongs together. Facts that a sentence joins may stand apart.
    """
    words = evidence.statement.words
    if words.difference(*(place.terms for place in evidence.places)):
        return None
    for fact in _JOINED.split(evidence.statement.text):
        together = words & words_of(fact)
        if len(together) > 1 and not any(_has_together(place, together, fact) for place in evidence.places):
            return "the book says it of another"
    return None


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
