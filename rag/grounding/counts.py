"""Whether a number is said of what the book says it of: of the minimum or the maximum, of one worker or of four."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from rag.grounding.code_names import code_names_in
from rag.grounding.places import Place, terms_of, words_of
from rag.grounding.quantities import Quantity, is_among, quantities_in
from rag.grounding.statements import share_of
from rag.retrieval.query_terms import names_in

_ATTRIBUTE = re.compile(
    r"\b(?:(?P<least>minimum|min|at least|lowest|smallest)|(?P<most>maximum|max|at most|highest|largest|limit)|"
    r"(?P<usual>default|defaults|usually|normally))\b",
    re.IGNORECASE,
)
_EACH = re.compile(r"\b(?:each|every|per|an?\s+single|one)\b", re.IGNORECASE)


def is_of_another_owner(said: str, held: Sequence[str]) -> bool:
    """Return whether `said` gives a name a number of another one, where the book gives it one of the same kind."""
    theirs = [owned for text in held for owned in _owned(text)]
    for name, number in _owned(said):
        own = [other for owner, other in theirs if owner == name and other.dimension == number.dimension]
        if name and own and not is_among(number, own) and any(is_among(number, (other,)) for _, other in theirs):
            return True
    return False


def is_of_another_head(number: Quantity, said: str, places: Sequence[Place]) -> bool:
    """Return whether the item that the sentence names has another such number, and another item has this one."""
    words = terms_of(said)
    own = [place for place in places if place.head and share_of(words, words_of(place.head)) >= NAMED]
    theirs = [quantity for place in own for quantity in quantities_in(place.text)]
    having = [place for place in places if place not in own and is_among(number, quantities_in(place.text))]
    is_rival = any(quantity.dimension == number.dimension for quantity in theirs)
    return is_rival and not is_among(number, theirs) and bool(having) and all(place.head for place in having)


@lru_cache(maxsize=4096)
def _owned(text: str) -> tuple[tuple[str, Quantity], ...]:
    """Return each number that has a unit with the name before it, empty where there is none."""
    names = [(text.find(name), name) for name in (*code_names_in(text), *names_in(text))]
    return tuple(
        (max(((at, name) for at, name in names if at < number.start), default=(0, ""))[1], number)
        for number in quantities_in(text)
        if number.dimension
    )


NAMED = 0.5
"""Share of the words of an item's head from which a sentence names it."""

Counted = tuple[float, Quantity]
"""How many things a clause speaks of, and an amount that it gives them."""


def is_of_another_attribute(said: str, held: str) -> bool:
    """Return whether `said` gives the minimum, maximum or default a number that `held` gives another of them."""
    theirs = list(_attributed(held))
    for attribute, number in _attributed(said):
        same = {other for other, quantity in theirs if is_among(number, (quantity,))}
        if same and attribute not in same:
            return True
    return False


def _attributed(text: str) -> Iterator[tuple[str, Quantity]]:
    """Yield each number that follows one of the attributes, up to the next number."""
    found = list(_ATTRIBUTE.finditer(text))
    before = 0
    for number in quantities_in(text):
        named = [match for match in found if before <= match.start() and match.end() <= number.start]
        if named:
            yield str(named[-1].lastgroup), number
        before = number.end


def is_of_another_count(said: str, clauses: Sequence[str]) -> bool:
    """Return whether `said` gives one thing the amount of several, or several that of one; the book has both."""
    ours = _counted(said)
    theirs = [counted for text in clauses if (counted := _counted(text))]
    if ours is None:
        return False
    count, amount = ours
    with_amount = {other for other, quantity in theirs if is_among(amount, (quantity,))}
    with_count = [quantity for other, quantity in theirs if other == count]
    is_rival = any(quantity.dimension == amount.dimension for quantity in with_count)
    return bool(with_amount) and count not in with_amount and is_rival


def _counted(text: str) -> Counted | None:
    numbers = quantities_in(text)
    measured = [number for number in numbers if number.dimension is not None]
    things = [number for number in numbers if number.dimension is None and number.noun]
    if not measured:
        return None
    if things and things[0].start < measured[-1].start:
        return things[0].value, measured[-1]
    return (1.0, measured[-1]) if _EACH.search(text[: measured[-1].start]) else None
