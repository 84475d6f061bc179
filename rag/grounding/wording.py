"""Whether a clause is turned around: by a denial, by an opposite, or by another quantifier."""

from __future__ import annotations

import re
from collections.abc import Iterable
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

_ASIDE = re.compile(r", not\b[^,.;]*", re.I)
"""What a clause denies beside what it says: "in the morning, not in the evening"."""

_ALL = re.compile(r"\b(?:all|every\w*|each|always|both|any(?:one|body|thing)|whatever)\b", re.I)
_SOME = re.compile(
    r"\b(?:any|some(?:times)?|either|most(?:ly)?|many|few|several|usually|often|typically|generally|mainly)\b", re.I
)
_SEVERAL = re.compile(r"\b(?:several|many|multiple|more than one|any number of|unlimited|two or more)\b", re.I)
_ONE = re.compile(r"\b(?:one|a single)\b", re.I)

_OPPOSITES = """
always/never always/sometimes never/sometimes above/below more/less more/fewer most/least many/few rise/fall
rise/drop increase/reduce grow/shrink fast/slow quick/slow quickly/slowly early/late first/last begin/end start/stop
start/end open/close on/off allow/forbid allow/prevent accept/reject accept/refuse add/remove cheap/expensive
cheap/costly safe/dangerous required/optional success/failure succeed/fail high/low large/small big/little
great/small strong/weak hot/cold warm/cool full/empty public/private local/remote static/dynamic positive/negative
read/write send/receive push/pull same/different keep/lose keep/drop keep/discard wait/discard better/worse
best/worst easy/hard easy/difficult simple/complex light/heavy left/right up/down forward/backward true/false yes/no
parallel/sequential manual/automatic new/old near/far short/long create/delete mandatory/optional
permanent/temporary top/bottom attach/detach stay/change once/twice keep/delete improve/worsen same/opposite
faster/slower fixed/variable insert/delete global/local physical/virtual source/target frontend/backend
before/behind prefer/avoid
"""
"""Words that books of all kinds have, with one that says the opposite."""

_PREFIXES = "un/ in/ im/ ir/ il/ dis/ non/ non-/ de/ in/de in/ex in/out en/dis con/discon up/down over/under max/min"
"""What makes opposites of one word."""

_ENDING = re.compile(r"(?:ing|ed|es|s|ly|er|est)$")
_WORD = re.compile(r"(?:\b[Nn]on-)?[A-Za-z]+")
_CODE = re.compile(r"`[^`]*`|\w+(?:[._]\w+)+")
_ROOT = 3
"""Letters that opposites made of one word have in common at their end."""


def denies(text: str) -> bool:
    """Return whether a text says outright that something is not so."""
    return bool(_NOT.search(text))


def is_denied(said: str, held: str, sentence: str, place: str) -> bool:
    """Return whether only one of two clauses denies, and what the other stands in does so in no other words."""
    ours, theirs = denies(said), denies(_ASIDE.sub("", held))
    other = place if ours else sentence
    return ours != theirs and not denies(other) and not _IS_NOT.search(other)


def has_other_quantifier(said: str, held: str) -> bool:
    """Return whether one says all where the other says some, or several where the other says one."""
    is_turned = _extent(said) * _extent(held) < 0
    return is_turned or bool(_SEVERAL.search(said) and _ONE.search(held) and not _SEVERAL.search(held))


def _extent(text: str) -> int:
    """Return 1 for a text about all, -1 about some, 0 about both or neither."""
    return bool(_ALL.search(text)) - bool(_SOME.search(text))


def has_opposite(said: str, held: str, sentence: str) -> bool:
    """Return whether `held` has the opposite of a word of `said`, and not the word itself.

    Where `said` is a clause of a `sentence` that says both, neither is the opposite of the other.
    """
    ours, theirs = _stems(said), _stems(held)
    others = theirs - _stems(sentence)
    return any(not others.isdisjoint(_opposites_of(word)) for word in ours - theirs)


@lru_cache(maxsize=4096)
def _opposites_of(word: str) -> frozenset[str]:
    """Return the stems that say the opposite of one: from the list, or made of it by a prefix."""
    roots = ((counter, word.removeprefix(prefix)) for prefix, counter in _MADE if word.startswith(prefix))
    made = (counter + root for counter, root in roots if len(root) >= _ROOT)
    return frozenset((*made, *(other for one, other in _PAIRS if one == word)))


def _stem(word: str) -> str:
    return (_ENDING.sub("", word) or word).rstrip("e")


@lru_cache(maxsize=4096)
def _stems(text: str) -> frozenset[str]:
    return frozenset(_stem(word.lower()) for word in _WORD.findall(_CODE.sub(" ", text)))


def _both_ways(pairs: Iterable[tuple[str, ...]]) -> frozenset[tuple[str, ...]]:
    return frozenset(each for pair in pairs for each in (pair, pair[::-1]))


_PAIRS = _both_ways(tuple(map(_stem, pair.split("/"))) for pair in _OPPOSITES.split())
_MADE = _both_ways(tuple(pair.split("/")) for pair in _PREFIXES.split())
