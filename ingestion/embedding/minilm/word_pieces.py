"""Text to the numbers of its word pieces, as the model's published tokenizer cuts it."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterator
from pathlib import Path
from unicodedata import normalize

UNKNOWN = 100
"""The number of a word that the vocabulary cannot spell."""

INSIDE = "##"
"""What pieces begin with that stand within a word."""

_LONGEST_WORD = 100  # of the published tokenizer: a longer word is unknown
_WORDS_KEPT = 1 << 16


def read_vocabulary(folder: Path) -> dict[str, int]:
    """Return the number of each piece, from the published `tokenizer.json`."""
    pieces: dict[str, int] = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))["model"]["vocab"]
    return pieces


class WordPieces:
    """Cuts text into the pieces of a model in a folder; calls may come from several threads.

    Equal to the library `tokenizers`, which would bring 40 MB of packages that only fetch models, and quicker:
    a word that came before is looked up.
    """

    def __init__(self, folder: Path) -> None:
        self._characters = _Characters(folder / "characters.txt")
        self._words = _Words(read_vocabulary(folder))

    def numbers(self, text: str) -> list[int]:
        """Return the numbers of the text's pieces, without marks."""
        words = text.translate(self._characters).split()
        return [number for word in words for number in self._words[word]]


class _Characters(dict[int, str]):
    """What stands for a character: nothing, a space, itself as a word of its own, or its small letter
    without accents.

    The classes are those of the published tokenizer, in a file, since Python's own differ from version to version,
    and a vector must not. `scripts/build_minilm.py` writes it: ranges of what is left out and of what stands alone.
    """

    def __init__(self, file: Path) -> None:
        super().__init__()
        left_out, alone = file.read_text(encoding="ascii").splitlines()
        self._left_out, self._alone = [*_bounds(left_out)], [*_bounds(alone)]

    def __missing__(self, code: int) -> str:
        # Each character by itself, since Python takes quadratic time to put a long run of accents in order. Those
        # that are not left out are unknown to the vocabulary in any order.
        shown = self[code] = "".join(map(self._shown, normalize("NFD", chr(code))))
        return shown

    def _shown(self, character: str) -> str:
        if _is_within(ord(character), self._left_out):
            return ""
        return f" {character} " if _is_within(ord(character), self._alone) else character.lower()


def _bounds(ranges: str) -> Iterator[int]:
    """Yield where each range begins, and the first number behind it."""
    for each in ranges.split():
        first, _, last = each.partition("-")
        yield int(first, 16)
        yield int(last or first, 16) + 1


def _is_within(code: int, bounds: list[int]) -> bool:
    return bisect_right(bounds, code) % 2 == 1


class _Words(dict[str, tuple[int, ...]]):
    """The numbers of each word's pieces: time and again the longest piece that the rest of the word begins with."""

    def __init__(self, vocabulary: dict[str, int]) -> None:
        super().__init__()
        self._vocabulary = vocabulary
        self._longest = max(map(len, vocabulary))

    def __missing__(self, word: str) -> tuple[int, ...]:
        if len(word) > _LONGEST_WORD:
            return (UNKNOWN,)
        if len(self) >= _WORDS_KEPT:
            self.clear()  # a text may be made of words that never come again
        numbers = self[word] = self._cut(word)
        return numbers

    def _cut(self, word: str) -> tuple[int, ...]:
        numbers: list[int] = []
        at, before = 0, ""
        while at < len(word):
            for end in range(min(len(word), at + self._longest), at, -1):
                number = self._vocabulary.get(before + word[at:end])
                if number is not None:
                    break
            else:
                return (UNKNOWN,)
            numbers.append(number)
            at, before = end, INSIDE
        return tuple(numbers)
