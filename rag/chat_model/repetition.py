"""Replies that go round in circles, as small models write them until their limit: where to end them.

repetition = Repetition()
is_over = repetition.feed(piece)             # the same words again and again
monotony = Monotony()
is_over = monotony.add(sentence, held=False) # the same sentence with another word in it each time
"""

from __future__ import annotations

import re

MAX_UNIT = 600
"""How many characters a text may have that is looked for as repeated."""

MIN_TIMES = 3
"""How often a text must stand in a row to count as repeated."""

MIN_CHARS = 160
"""How many characters the repetitions must have in all."""

MIN_RULE = 1_000
"""The same for a text without letters: lines and tables are drawn with such."""

LOOK_EVERY = 32
"""After how many characters the end of the text is looked at again."""

MAX_ALIKE = 3
"""How many sentences in a row may be like the one before them while the book holds none of them."""

_WORD = re.compile(r"\w+")


class Repetition:
    """Watches the text of one reply."""

    def __init__(self) -> None:
        self._text = ""
        self._new = 0

    def feed(self, piece: str) -> bool:
        """Take the next piece; return whether the text now ends in the same words again and again."""
        self._text = (self._text + piece)[-MAX_UNIT * MIN_TIMES :]
        self._new += len(piece)
        if self._new < LOOK_EVERY:
            return False
        self._new = 0
        return any(self._repeats(size) for size in range(1, len(self._text) // MIN_TIMES + 1))

    def _repeats(self, size: int) -> bool:
        text = self._text
        unit = text[-size:]
        if text[-2 * size : -size] != unit:
            return False
        chars = MIN_CHARS if any(map(str.isalpha, unit)) else MIN_RULE
        return text.endswith(unit * max(MIN_TIMES, -(-chars // size)))


class Monotony:
    """Watches the sentences of one answer."""

    def __init__(self) -> None:
        self._last: list[str] = []
        self._alike = 0

    def add(self, sentence: str, *, held: bool) -> bool:
        """Take the next sentence; return whether it is one too many that nothing holds and that hardly differs."""
        words = _WORD.findall(sentence.casefold())
        is_alike = len(words) > 2 and _differing(words, self._last) <= 1
        self._alike = self._alike + 1 if is_alike and not held else 0
        self._last = words
        return self._alike >= MAX_ALIKE


def _differing(words: list[str], others: list[str]) -> int:
    """Return at how many places two sentences of one length have other words; all where their lengths differ."""
    if len(words) != len(others):
        return len(words)
    return sum(word != other for word, other in zip(words, others, strict=True))
