"""Sentences of an answer that were said before, which tell nothing new."""

from __future__ import annotations

import re
from itertools import pairwise

MIN_WORDS = 4
"""A shorter sentence may well be said twice: an item of a list, a cell of a table."""

MAX_TIMES = 2
"""How often a sentence may be said where others stand between."""

LONG_WORDS = 9
"""A sentence of so many words tells nothing new the second time, wherever it stands."""

MIN_DISTINCT = 0.6
"""Share of the pairs of neighbouring words that must differ, from CIRCLE_WORDS words on.

Below it are 99 of 29,723 sentences and blocks of two books, all of them links or code.
"""

CIRCLE_WORDS = 14

_WORD = re.compile(r"\w+")


class SaidBefore:
    """Remembers the sentences of one answer, as the model wrote them."""

    def __init__(self) -> None:
        self._times: dict[str, int] = {}
        self._last = ""

    def add(self, sentence: str) -> None:
        """Remember a sentence that was said."""
        self._last = _plain(sentence)
        self._times[self._last] = self._times.get(self._last, 0) + 1

    def repeats(self, sentence: str) -> bool:
        """Return whether a sentence is the one before it again, or was said often enough."""
        said = _plain(sentence)
        words = said.count(" ") + 1
        often = 1 if words >= LONG_WORDS else MAX_TIMES
        return words >= MIN_WORDS and (said == self._last or self._times.get(said, 0) >= often)

    def may_repeat(self, beginning: str) -> bool:
        """Return whether a sentence that begins so may become one that repeats another."""
        said = _plain(beginning)
        return any(sentence.startswith(said) and self.repeats(sentence) for sentence in self._times)


def goes_in_circles(sentence: str) -> bool:
    """Return whether a sentence says the same few words over and over, so that it states nothing."""
    words = _WORD.findall(sentence.casefold())
    pairs = list(pairwise(words))
    is_row = sentence.lstrip().startswith("|")  # the cells of a table may well be the same
    return not is_row and len(words) >= CIRCLE_WORDS and len(set(pairs)) < MIN_DISTINCT * len(pairs)


def _plain(sentence: str) -> str:
    return " ".join(sentence.split()).casefold()
