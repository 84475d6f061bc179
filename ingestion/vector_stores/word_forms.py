"""The forms in which a word is searched: without accents, with its unit apart, a name of code by its parts too."""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise

_UNIT = (
    r"(?:[nµumkMGT]?(?:A|V|W|Wh|Ah|Hz|F|Ω|H|Pa|N|J|g|m|s|l|L|B|bit|bps|iB)|k[gm]|[KMG]iB|[kKMG]bps|[KMG]B(?:/s)?|c?m/s"
    r"|ohm|min|h|rpm|dB|px|fps|cm|in|ft|°C|°F|°|%)"
)
_WITH_UNIT = re.compile(rf"(?<![\w.,])(\d+(?:[.,]\d+)*)({_UNIT})(?![\w/])")
_THOUSANDS = re.compile(r"(?<![\w.,])\d{1,3}(?:,\d{3})+(?![\w,])")
_CAMEL = re.compile(r"(?<![\w])[a-z]+(?:[A-Z]+[a-z0-9]*)+(?!\w)|(?<!\w)(?:[A-Z][a-z0-9]+){3,}(?!\w)")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_HANGUL = re.compile(r"[\uac00-\ud7a3]{3,}")
ACCENTED = re.compile(r"[A-Za-z]*[\u00c0-\u024f\u1e00-\u1eff][A-Za-z\u00c0-\u024f\u1e00-\u1eff]*")
"""A word with an accent."""


def with_units_apart(text: str) -> str:
    """Return the text with `500mA` as `500 mA` and `1,250` as `1250`, however it was written."""
    return _WITH_UNIT.sub(r"\1 \2", _THOUSANDS.sub(lambda number: number[0].replace(",", ""), text))


def with_parts(text: str) -> str:
    """Return the text with each name such as `setMaxWheelSpeed` followed by the words that it is made of."""
    return _CAMEL.sub(lambda name: f"{name[0]} {_HUMP.sub(' ', name[0])}", text)


def with_syllables(text: str) -> str:
    """Return the text with each Korean word followed by its pairs of syllables: its particles hang on a noun."""
    return _HANGUL.sub(lambda word: f"{word[0]} {_pairs(word[0])}", text)


def in_syllables(text: str) -> str:
    """Return a question with the pairs of syllables in place of each Korean word."""
    return _HANGUL.sub(lambda word: _pairs(word[0]), text)


def _pairs(word: str) -> str:
    return " ".join(map("".join, pairwise(word)))


def without_accents(word: str) -> str:
    """Return a word in Latin letters alone: `café` is `cafe`."""
    return "".join(letter for letter in unicodedata.normalize("NFD", word) if not unicodedata.combining(letter))
