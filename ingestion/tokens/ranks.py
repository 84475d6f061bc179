"""Counts the tokens of a few pages by looking up their words, without the wait for a whole vocabulary."""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import accumulate
from mmap import ACCESS_READ, mmap
from pathlib import Path
from unicodedata import category

FILE = Path(__file__).with_name("cl100k_base.ranks")
RANK_BYTES = 3

_WORDS = re.compile(
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\w]?+[^\W\d_]++|_[^\W\d_]++|\d{1,3}+| ?(?:[^\s\w]|_)++[\r\n]*+"
    r"|\s++\Z|\s*[\r\n]|\s+(?!\S)|\s"
)
"""How cl100k_base cuts a text into words, in which tokens are sought; see `_alike`."""

_LONGEST, _MOST_WORDS = 200, 20_000
"""Bytes of a word up to which merging its parts, which takes their square, costs nothing to speak of; and words
after which a vocabulary would have cost less."""


class Ranks:
    """The tokens of `cl100k_base` and their ranks, in a file of which only what is looked up is read.

    For each length the file has the number of tokens of that length, as text in its first line; then come the
    tokens, shorter ones first and those of one length in order, each followed by its rank.
    """

    def __init__(self) -> None:
        with FILE.open("rb") as opened:
            head = opened.readline()
            self._data = mmap(opened.fileno(), 0, access=ACCESS_READ)
        self._numbers = [int(number) for number in head.split()]
        sizes = (number * (length + RANK_BYTES) for length, number in enumerate(self._numbers))
        self._starts = list(accumulate(sizes, initial=len(head)))
        self._known: dict[str, int] = {}

    def count(self, text: str) -> int | None:
        """Return the number of tokens in a text, or None where a vocabulary must count them."""
        known, total = self._known, 0
        if len(known) > _MOST_WORDS or (alike := _alike(text)) is None:
            return None
        for found in _WORDS.finditer(alike):
            word = text[found.start() : found.end()]
            number = known.get(word)
            if number is None:
                encoded = word.encode()
                if len(encoded) > _LONGEST:
                    return None
                number = known[word] = self._tokens(encoded)
            total += number
        return total

    def rank(self, token: bytes) -> int | None:
        """Return the rank of a token, or None where these bytes are none."""
        length = len(token)
        if not 0 < length < len(self._numbers):
            return None
        start, width, data = self._starts[length], length + RANK_BYTES, self._data
        at = bisect_left(
            range(self._numbers[length]), token, key=lambda at: data[start + at * width : start + at * width + length]
        )
        found = data[start + at * width : start + (at + 1) * width] if at < self._numbers[length] else b""
        return int.from_bytes(found[length:]) if found[:length] == token else None

    def _tokens(self, word: bytes) -> int:
        """Return how many tokens are left of a word once its parts are merged, those of the lowest rank first."""
        if self.rank(word) is not None:
            return 1
        ends = list(range(len(word) + 1))
        pairs = [self.rank(word[at : at + 2]) for at in range(len(word) - 1)]
        while (ranks := [rank for rank in pairs if rank is not None]) != []:
            at = pairs.index(min(ranks))
            del ends[at + 1], pairs[at]
            for left in (at - 1, at):
                if 0 <= left < len(pairs):
                    pairs[left] = self.rank(word[ends[left] : ends[left + 2]])
        return len(pairs) + 1


def _alike(text: str) -> str | None:
    """Return a text of equal length which Python cuts into words as the encoding cuts this one, or None.

    To Python numbers that are no digits (½) are letters, and separators of old (U+001C to U+001F) are blanks. What
    else it does not know may be a letter to others.
    """
    others = {character: category(character) for character in set(text)}
    if not {"Cn", "Cs"}.isdisjoint(others.values()):
        return None
    numbers = {ord(character): "0" for character, kind in others.items() if kind in ("Nl", "No")}
    return text.translate(numbers | _OLD_SEPARATORS)


_OLD_SEPARATORS = dict.fromkeys(range(0x1C, 0x20), "\x00")
