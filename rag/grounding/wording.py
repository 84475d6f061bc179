"""Whether a clause is turned around: by a denial, or by the opposite of a word."""

from __future__ import annotations

import re
from functools import lru_cache

_NOT = re.compile(
    r"\b(?:[Nn]ot|[Nn]ever|[Nn]o|none|[Nn]obody|[Nn]othing|[Nn]either|nor|[Cc]annot|[Ww]ithout)\b|^None\b|n['’]t\b"
)
_IS_NOT = re.compile(
    r"\b(?:ignor\w+|skip\w*|disabled?|(?<!based )off|false|forbid\w*|prohibit\w*|prevent\w*|refus\w+|reject\w*|"
    r"lack\w*|miss(?:ing|es)|unable|impossible|invalid|instead of|rather than|avoid\w*|only|unless|except|"
    r"rarely|seldom|hardly)\b|\bun(?!der|til|less|i)\w{3,}(?:ed|able|t)\b|\bnon-?\w{4,}|\b\w{4,}less\b",
    re.I,
)
"""What says without "not" that something is not so, or not of all."""

_OPPOSITES = """
all/some/most/many/few every/some/most/many always/never/sometimes/usually/often both/either
several/one multiple/one many/one more/less/few/fewer most/least best/worst first/last before/after above/below
high/low large/small fast/slow/long quick/slow short/long new/old rise/fall/drop increase/reduce/decrease
start/stop keep/delete required/optional cheap/expensive same/different
"""
"""A word and its opposites, which say the same as each other: quantifiers, and words that books of all kinds have."""

_ENDINGS = ("ing", "ed", "es", "s", "ly", "er", "est")
_WORD = re.compile(r"[A-Za-z]+")


def denies(text: str) -> bool:
    """Return whether a text says outright that something is not so."""
    return bool(_NOT.search(text))


def is_denied(sentence: str, clause: str, place: str) -> bool:
    """Return whether only one of a sentence and a clause denies, and the other, or its `place`, in no other words.

    What a clause denies beside what it says is left out: "in the morning, not in the evening".
    """
    other = place if denies(sentence) else sentence
    is_turned = denies(sentence) != denies(clause.partition(", not ")[0])
    return is_turned and not denies(other) and not _IS_NOT.search(other)


def has_opposite(sentence: str, text: str) -> bool:
    """Return whether a text has the opposite of a word of a sentence, and neither has both."""
    ours, theirs = _stems(sentence), _stems(text)
    return any((theirs - ours) & _OPPOSITE[word] for word in (ours - theirs) & _OPPOSITE.keys())


def _stem(word: str) -> str:
    ending = next((ending for ending in _ENDINGS if word.endswith(ending)), "")
    return (word.removesuffix(ending) or word).rstrip("e")


@lru_cache(maxsize=4096)
def _stems(text: str) -> frozenset[str]:
    return frozenset(_stem(word.lower()) for word in _WORD.findall(text))


_OPPOSITE: dict[str, set[str]] = {}
for _first, *_others in (tuple(map(_stem, _group.split("/"))) for _group in _OPPOSITES.split()):
    for _other in _others:
        _OPPOSITE.setdefault(_first, set()).add(_other)
        _OPPOSITE.setdefault(_other, set()).add(_first)
