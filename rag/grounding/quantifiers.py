"""All, some, only, several, exactly one: whether a clause says so of more, or of others, than another one."""

from __future__ import annotations

import re

from rag.grounding.places import words_of
from rag.grounding.polarity import demands

_ALL = re.compile(r"\b(?:all|every|each|always|both|everything|everybody|everyone|anyone|anybody)\b", re.IGNORECASE)
_SOME = re.compile(r"\b(?:any|some|sometimes|either)\b", re.IGNORECASE)
_ONLY = re.compile(r"\b(?:only|solely|exclusively)\b", re.IGNORECASE)
_JUST = re.compile(
    r"\b(?:only|solely|exclusively|just|merely|alone|nothing else|no other|unless|simply|once|single)\b"
    r"|\b(?:all|every|any)\b.*\bmust\b|\b(?:exactly|either) one\b",
    re.IGNORECASE,
)

_ONLY_OF = re.compile(
    r"\b(?:only|solely|exclusively)\s+(?:the\s+|an?\s+)?(?!if\b|when\b|after\b|with\b)(\w{3,})", re.IGNORECASE
)
_UNLIMITED = re.compile(
    r"\b(?:any number|unlimited|without (?:any )?limit|as (?:often|many|much) as you|infinite\w*|arbitrar\w+|"
    r"indefinite\w*|forever)\b",
    re.IGNORECASE,
)
_LIMITED = re.compile(r"\b(?:once|twice|at most|up to|only|limit\w*|maximum|no more than|expires?)\b", re.IGNORECASE)

_SEVERAL = re.compile(
    r"\b(?:several|many|multiple|more than one|any number of|two or more)\s+((?:\w+\s*){1,3})", re.IGNORECASE
)
_JUST_ONE = re.compile(
    r"\b(?:exactly|only|just|at most) (?:(?:be|have|has) )?(?:one|a single|1)\s+((?:\w+\s*){1,3})"
    r"|\bsingle\s+((?:\w+\s*){1,3})",
    re.IGNORECASE,
)
_EACH_OF = re.compile(r"\b(?:all|every|each)\s+(?:of\s+)?(?:the\s+)?((?:\w+\s*){1,3})", re.IGNORECASE)
_PART_OF = re.compile(
    r"\b(?:some|most|many|few|several|not all|not every)\s+(?:of\s+)?(?:the\s+)?((?:\w+\s*){1,3})", re.IGNORECASE
)
_ALWAYS = re.compile(r"\balways\b", re.IGNORECASE)
_OFTEN = re.compile(
    r"\b(?:usually|often|sometimes|typically|generally|mostly|in most cases|not always)\b", re.IGNORECASE
)
_ONLY_WHEN = re.compile(r"\bonly\s+(?:if|when|after|once)\b", re.IGNORECASE)
_EVERYTHING = re.compile(r"\b(?:everything|everyone|everybody|all)\b", re.IGNORECASE)
_NOTHING = re.compile(r"\b(?:nothing|nobody|no one|none)\b", re.IGNORECASE)


def excludes_all(said: str, held: str) -> bool:
    """Return whether `held` says so of nothing or nobody of which `said` says everything or everybody."""
    return bool(_EVERYTHING.search(said) and _NOTHING.search(held) and not _EVERYTHING.search(held))


def has_other_quantifier(said: str, held: str) -> bool:
    """Return whether one says all where the other says any or only."""
    if _ALL.search(said) and _ONLY.search(held) and not _ONLY.search(said) and not _ALL.search(held):
        return True
    if _UNLIMITED.search(said) and _LIMITED.search(held) and not _UNLIMITED.search(held):
        return True
    if _same_noun(_EACH_OF, said, _PART_OF, held) and not _ALL.search(held):
        return True
    if _ALWAYS.search(said) and _OFTEN.search(held) and not _ALL.search(held):
        return True
    says_some = _SOME.search(said) and not _ALL.search(said)
    return bool(says_some and _ALL.search(held) and not _SOME.search(held))


def has_other_count(said: str, held: str) -> bool:
    """Return whether one says several where the other says exactly one."""
    return _same_noun(_SEVERAL, said, _JUST_ONE, held) or _same_noun(_JUST_ONE, said, _SEVERAL, held)


def _same_noun(ours: re.Pattern[str], said: str, theirs: re.Pattern[str], held: str) -> bool:
    """Return whether the two quantifiers are of the same thing, which only this one has in each of the texts."""
    nouns, others = _counted_words(ours, said), _counted_words(theirs, held)
    return bool(nouns & others) and not ours.search(held)


def _counted_words(quantifier: re.Pattern[str], text: str) -> frozenset[int]:
    found = (words_of(next(filter(None, match.groups()))) for match in quantifier.finditer(text))
    return frozenset[int]().union(*found)


def says_only(said: str, held: str, place: str) -> bool:
    """Return whether `said` alone says only, or says it of another; `place` is all that `held` is a clause of."""
    if not _ONLY.search(said):
        return False
    if _ONLY_WHEN.search(said) and demands(place):
        return False
    of = _ONLY_OF.search(said)
    is_of_another = of is not None and _ONLY_OF.search(held) is not None and not words_of(of[1]) <= words_of(held)
    return is_of_another or not _JUST.search(held)
