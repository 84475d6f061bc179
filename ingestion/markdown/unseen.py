"""Characters that nobody sees, and Arabic letters in the shapes that print has: search knows neither."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

_DIRECTIONS = (*range(0x202A, 0x202F), *range(0x2066, 0x206A))
UNSEEN = frozenset(map(chr, (0xAD, *range(0x200B, 0x2010), *_DIRECTIONS, *range(0x2060, 0x2065), 0xFEFF)))
"""Hyphens that show at ends of lines alone, joiners, and marks of direction."""

_JOINER = "\u200d"
_SHAPES = frozenset(map(chr, (*range(0xFB50, 0xFE00), *range(0xFE70, 0xFEFD))))


def unseen_characters(text: str) -> Iterator[tuple[int, str]]:
    """Yield where such characters stand, and what is searched in their place; a joiner of two emoji stays."""
    if text.isascii() or (UNSEEN | _SHAPES).isdisjoint(text):
        return
    for at, sign in enumerate(text):
        if sign in _SHAPES:
            yield at, unicodedata.normalize("NFKC", sign)
        elif sign in UNSEEN and not (sign == _JOINER and at and _is_emoji(text[at - 1])):
            yield at, ""


def _is_emoji(sign: str) -> bool:
    return "\u2600" <= sign <= "\u27bf" or sign == "\ufe0f" or "\U0001f000" <= sign <= "\U0001faff"
