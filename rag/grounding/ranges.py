"""What follows from a range: that a number outside of it cannot be, and that one inside of it can."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import zip_longest
from math import inf

from rag.grounding.quantities import Quantity, quantities_in

_BETWEEN = re.compile(r"(?:\s+(?:up\s+)?(?:to|and|through)\s+|\s*[–—]\s*)", re.IGNORECASE)
_OPENS = re.compile(r"(?:\b(?:from|between|ranges?|in|equals|is)|[(:=,])\s*$", re.IGNORECASE)
_AT_MOST = re.compile(
    r"\b(?:at most|up to|no more than|not more than|a maximum of|maximum is|limited to|no longer than)\s*$",
    re.IGNORECASE,
)
_AT_LEAST = re.compile(r"\b(?:at least|no less than|not less than|a minimum of|minimum is)\s*$", re.IGNORECASE)
_IS_LIMITED = re.compile(
    r"\b(?:cannot|can|could|may|must|allow\w*|accept\w*|reject\w*|valid|invalid|fits?)\b|n['’]t\b"
)
_REST_OF_A_TERM = re.compile(r"\s*[-−+*×/^]\s*\d")
"""Behind a number that is only the beginning of a calculation, as in "from 0 to 2^8 - 1"."""

_EXCEEDS = re.compile(
    r"\b(?:more|greater|larger|longer|higher|bigger) than\s*$|\b(?:exceeds?|over|above|beyond)\s*$", re.IGNORECASE
)
_FALLS_SHORT = re.compile(r"\b(?:less|fewer|smaller|shorter|lower) than\s*$|\b(?:under|below)\s*$", re.IGNORECASE)

Range = tuple[float, float, str | None]
"""The least and the greatest value, in the base unit of the dimension."""


@lru_cache(maxsize=4096)
def ranges_in(text: str) -> tuple[Range, ...]:
    """Return the ranges that a text gives: from 0 to 255, at most 20 characters, at least 3."""
    found: list[Range] = []
    numbers = quantities_in(text)
    for number, following in zip_longest(numbers, numbers[1:]):
        before = text[: number.start]
        if _AT_MOST.search(before):
            found.append((-inf, number.value, number.dimension))
        elif _AT_LEAST.search(before):
            found.append((number.value, inf, number.dimension))
        elif following and _is_range(text, number, following):
            # The unit of "from 5 to 10 seconds" is that of both.
            shared = following.value / following.written if number.dimension is None and following.written else 1.0
            found.append((number.value * shared, following.value, following.dimension))
    return tuple(bounds for bounds in found if bounds[0] < bounds[1])


def _is_range(text: str, first: Quantity, last: Quantity) -> bool:
    is_opened = _OPENS.search(text[: first.start]) and _BETWEEN.fullmatch(text[first.end : last.start])
    return bool(is_opened) and not _REST_OF_A_TERM.match(text, last.end)


def follows(number: Quantity, said: str, held: str, *, is_denied: bool) -> bool:
    """Return whether a number that `said` says can or cannot be follows from the only range of `held` of its kind."""
    ranges = {bounds for bounds in ranges_in(held) if bounds[2] == number.dimension}
    if len(ranges) != 1 or not _IS_LIMITED.search(said):
        return False
    low, high, _ = ranges.pop()
    before = said[: number.start]
    if is_denied and (number.value == high and _EXCEEDS.search(before)):
        return True
    if is_denied and (number.value == low and _FALLS_SHORT.search(before)):
        return True
    return (low <= number.value <= high) != is_denied
