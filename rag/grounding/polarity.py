"""Whether a clause says the opposite of another one that speaks of the same thing."""

from __future__ import annotations

import re
from functools import lru_cache

from rag.grounding.places import words_of

_NOT = re.compile(
    r"\b(?:[Nn]ot|[Nn]ever|[Nn]o|none|[Nn]obody|[Nn]othing|[Nn]either|nor|[Cc]annot|[Ww]ithout)\b|^None\b|n['’]t\b"
)
_IS_NOT = re.compile(
    r"\b(?:ignor\w+|skip\w*|disabled?|(?<!based )off|false|forbid\w*|prohibit\w*|prevent\w*|refus\w+|reject\w*|"
    r"lack\w*|miss(?:ing|es)|unable|impossible|invalid|instead of|rather than|avoid\w*)\b",
    re.IGNORECASE,
)
_BUT = re.compile(r"\b(?:only|unless|except|stands? still)\b", re.IGNORECASE)
_ONLY_IF = re.compile(r"\bonly\s+(?:if|when|after|once|with|while)\b", re.IGNORECASE)
_NOT_THE_OTHER = re.compile(
    r"\b(in|on|at|by|to|for|from|with)\b([^,.;]*?)(?<!\bis)(?<!\bare)(?<!\bwas)(?<!\bdo)(?<!\bcan),?\s+not\s+\1\b[^,.;]*"
)
_IN_PLACE_OF = re.compile(r"\b(?:instead of|rather than)\s+(?!just\b|only\b|merely\b)([^,.;]+)", re.IGNORECASE)
_IN_PLACE_OF_ANY = re.compile(r"\b(?:instead of|rather than)\s+[^,.;]+", re.IGNORECASE)
_NEGATIVE_WORD = re.compile(
    r"\bun(?!der|til|less|i)\w{3,}(?:ed|able|t)\b|\bnon-?\w{4,}|\b\w{4,}less\b|\b(?:rarely|seldom|hardly)\b",
    re.IGNORECASE,
)
_ASIDE = re.compile(
    r"^(?:as|since|because|if|when|while|although)\b[^,]*,|\bwithout\s+[^,.;]+|\([^()]*\)|\bexcept\b.*", re.IGNORECASE
)
_DEMANDS = re.compile(r"\b(?:must|required?|mandatory|necessary|needs?|ha(?:s|ve) to|obligatory)\b", re.IGNORECASE)
_NEEDLESS = re.compile(
    r"\b(?:not (?:strictly |always )?(?:required|necessary|needed|mandatory|obligatory)|need not|unnecessary|optional"
    r"|(?:do|does) ?n[o'’]t (?:need|have) to|no need)\b",
    re.IGNORECASE,
)
_CHOICE = re.compile(r"\b(?:can|may) \W?(?:\w+\W+){1,5}or\b", re.IGNORECASE)
_DENIED = re.compile(r"\b(?:no|without|never|not)\s+(?:any\s+|an?\s+|the\s+)?(\w+)", re.IGNORECASE)

_REPLACES = re.compile(r"\b(?:instead of|rather than)\b|, not\b", re.IGNORECASE)
_COMPARES = re.compile(
    r"\b(?:more|less|fewer|(?!other|rather|after|over|under|number|never|whether|either)\w{3,}(?<=er))\b"
    r"(?:\s\w+){0,3}?\s(?=than\b)"
    r"|\b(?:more|less)\s\w+|\b(?:faster|slower|better|worse|larger|smaller|longer|shorter|cheaper|higher|lower)\b",
    re.IGNORECASE,
)


def denies(text: str) -> bool:
    """Return whether a text says that something is not so, in whatever words."""
    return bool(_NOT.search(text) or _IS_NOT.search(text))


def denies_outright(text: str) -> bool:
    """Return whether it says so by a word that does nothing else."""
    return bool(_NOT.search(text))


def denies_as_whole(text: str) -> bool:
    """Return whether it denies more than the other one of two, as in "in the morning, not in the evening"."""
    return denies_outright(_ASIDE.sub("", affirmed_part(text)))


def affirmed_part(text: str) -> str:
    """Return a text without what it denies beside what it says: "in the morning"."""
    return _IN_PLACE_OF_ANY.sub("", _NOT_THE_OTHER.sub(r"\1\2", text))


def replaced_parts(text: str) -> list[str]:
    """Return what a text says is not so, beside what is: what stands behind "instead of" and "rather than"."""
    return _IN_PLACE_OF.findall(text)


def limits(text: str) -> bool:
    """Return whether a text leaves something out, so that a denial may follow from it."""
    return denies(text) or bool(_BUT.search(text) or _NEGATIVE_WORD.search(text))


def denied_words(text: str) -> list[frozenset[int]]:
    """Return the words that stand right behind a negation, as in "needs no tools"."""
    return [terms for word in _DENIED.findall(text) if (terms := words_of(word))]


def demands(text: str) -> bool:
    """Return whether a text says that something must be."""
    return bool(_DEMANDS.search(text))


def is_needless(said: str, held: str) -> bool:
    """Return whether `said` demands what `held` says is not needed."""
    is_needless = _NEEDLESS.search(held) and not _DEMANDS.search(_NEEDLESS.sub("", held))
    is_choice = _CHOICE.search(held) and not _DEMANDS.search(held)
    return bool(_DEMANDS.search(said) and not denies(said) and (is_needless or is_choice))


def limits_by_condition(said: str, held: str) -> bool:
    """Return whether "only if" in one stands for "not unless" in the other."""
    return bool(_ONLY_IF.search(said) and _BUT.search(held))


def compares(text: str) -> bool:
    """Return whether a text compares two things."""
    return bool(re.search(r"\bthan\b", text))


def swaps_comparison(said: str, held: str) -> bool:
    """Return whether both compare the same things, as in "A is faster than B", the other way round."""
    return any(_swaps(_sides(said, kind), _sides(held, kind)) for kind in (_COMPARES, _REPLACES))


_Sides = tuple[frozenset[int], frozenset[int]]


def _swaps(ours: _Sides | None, theirs: _Sides | None) -> bool:
    if not ours or not theirs:
        return False
    (before, after), (there_before, there_after) = ours, theirs
    if before & there_after and after & there_before:
        return True
    # One side may be left out: "B is the faster one".
    if before & there_after and not before & there_before and not after & there_after:
        return True
    return bool(before and after & there_before and not after & there_after and not before & there_before)


@lru_cache(maxsize=4096)
def _sides(text: str, comparison: re.Pattern[str]) -> _Sides | None:
    """Return the words that stand only before a comparison, and those only behind it."""
    found = comparison.search(text)
    if not found:
        return None
    rest = text[found.end() :]
    compared, than, other = rest.partition(" than ")
    before = words_of(f"{text[: found.start()]} {compared}" if than else text[: found.start()])
    after = words_of(other if than else rest)
    return before - after, after - before
