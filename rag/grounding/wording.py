"""Whether a clause is turned around: by a denial, by an opposite, or by another quantifier."""

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

_ASIDE = re.compile(r", not\b[^,.;]*", re.I)
"""What a clause denies beside what it says: "in the morning, not in the evening"."""

_ALL = re.compile(r"\b(?:all|every\w*|each|always|both|any(?:one|body|thing)|whatever)\b", re.I)
_SOME = re.compile(
    r"\b(?:any|some(?:times)?|either|most(?:ly)?|many|few|several|usually|often|typically|generally|mainly)\b", re.I
)
_SEVERAL = re.compile(r"\b(?:several|many|multiple|more than one|any number of|unlimited|two or more)\b", re.I)
_ONE = re.compile(r"\b(?:one|a single)\b", re.I)

_OPPOSITES = """
always/never always/sometimes never/sometimes above/below more/less/fewer most/least many/few
rise/fall/drop increase/reduce grow/shrink fast/slow/long quick/slow quickly/slowly early/late first/last
begin/end start/stop/end open/close on/off allow/forbid/prevent accept/reject/refuse/deny
add/remove cheap/expensive/costly safe/dangerous required/optional/unnecessary success/failure succeed/fail high/low
large/small big/little great/small strong/weak hot/cold warm/cool full/empty public/private local/remote
static/dynamic lock/unlock positive/negative read/write
send/receive push/pull encrypt/decrypt share/own common/own same/different
equal/different keep/lose/drop/discard wait/discard/drop better/worse best/worst easy/hard/difficult simple/complex
light/heavy left/right up/down forward/backward true/false yes/no
parallel/sequential manual/automatic new/old near/far short/long create/delete/destroy/remove
mandatory/optional permanent/temporary persistent/volatile top/bottom attach/detach/remove stay/change client/server
once/twice keep/delete/erase/remove improve/reduce/worsen/degrade/impair same/opposite/reverse support/unsupported
faster/slower temporary/forever fixed/variable constant/variable sync/async
insert/delete centralized/distributed global/local
real/virtual/simulated/fake physical/virtual source/destination/target producer/consumer publisher/subscriber
frontend/backend before/behind prefer/avoid
"""
"""A word and its opposites, which say the same as each other: words that books of all kinds have."""

_PREFIXES = """
un/ in/ im/ ir/ il/ dis/ non/ non-/ de/ a/ in/de in/ex im/ex in/out en/dis en/de en/un con/discon up/down over/under
on/off pre/post max/min
"""
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
    says_all, says_some = _ALL.search(said), _SOME.search(said)
    if says_all and _SOME.search(held) and not _ALL.search(held):
        return True
    if says_some and _ALL.search(held) and not says_all and not _SOME.search(held):
        return True
    return bool(_SEVERAL.search(said) and _ONE.search(held) and not _SEVERAL.search(held))


def has_opposite(said: str, held: str, sentence: str) -> bool:
    """Return whether `held` has the opposite of a word of `said`, and not the word itself.

    Where `said` is a clause of a `sentence` that says both, neither is the opposite of the other.
    """
    ours, theirs = _stems(said), _stems(held)
    return any(_are_opposite(word, other) for word in ours - theirs for other in theirs - _stems(sentence))


@lru_cache(maxsize=4096)
def _are_opposite(one: str, other: str) -> bool:
    if other in _OPPOSITE.get(one, ()):
        return True
    if one[-_ROOT:] != other[-_ROOT:]:
        return False
    return any(_is_made(*pair, *both) for both in ((one, other), (other, one)) for pair in _MADE)


def _is_made(prefix: str, _: str, counter: str, one: str, other: str) -> bool:
    root = one.removeprefix(prefix)
    return one != root and len(root) >= _ROOT and other == counter + root


def _stem(word: str) -> str:
    return (_ENDING.sub("", word) or word).rstrip("e")


@lru_cache(maxsize=4096)
def _stems(text: str) -> frozenset[str]:
    return frozenset(_stem(word.lower()) for word in _WORD.findall(_CODE.sub(" ", text)))


_OPPOSITE: dict[str, set[str]] = {}
for _first, *_others in (tuple(map(_stem, _group.split("/"))) for _group in _OPPOSITES.split()):
    for _other in _others:
        _OPPOSITE.setdefault(_first, set()).add(_other)
        _OPPOSITE.setdefault(_other, set()).add(_first)
_MADE = [pair.partition("/") for pair in _PREFIXES.split()]
