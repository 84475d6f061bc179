"""Whether a clause says the opposite of another one that speaks of the same thing."""

from __future__ import annotations

import re
from functools import lru_cache

from rag.grounding.places import words_of

_NOT = re.compile(
    r"\b(?:[Nn]ot|[Nn]ever|[Nn]o|none|[Nn]obody|[Nn]othing|[Nn]either|nor|[Cc]annot|[Ww]ithout)\b|^None\b|n['’]t\b"
)
_IS_NOT = re.compile(
    r"\b(?:ignor\w+|skip\w*|disabled?|off|false|forbid\w*|prohibit\w*|prevent\w*|refus\w+|reject\w*|lack\w*|"
    r"miss(?:ing|es)|unable|impossible|invalid|instead of|rather than|avoid\w*)\b",
    re.IGNORECASE,
)
_BUT = re.compile(r"\b(?:only|unless|except|stands? still)\b", re.IGNORECASE)
_ONLY_IF = re.compile(r"\bonly\s+(?:if|when|after|once|with|while)\b", re.IGNORECASE)
_NOT_THE_OTHER = re.compile(
    r"\b(in|on|at|by|to|for|from|with)\b([^,.;]*?)(?<!\bis)(?<!\bare)(?<!\bwas)(?<!\bdo)(?<!\bcan),?\s+not\s+\1\b[^,.;]*"
)
_EVERYTHING = re.compile(r"\b(?:everything|everyone|everybody|all)\b", re.IGNORECASE)
_NOTHING = re.compile(r"\b(?:nothing|nobody|no one|none)\b", re.IGNORECASE)
_DENIED = re.compile(r"\b(?:no|without|never|not)\s+(?:any\s+|an?\s+|the\s+)?(\w+)", re.IGNORECASE)

_OPPOSITES = """
always/never/sometimes before/after above/below over/under more/less/fewer most/least many/few rise/fall/drop
increase/decrease/reduce grow/shrink fast/slow/long quick/slow quickly/slowly early/late first/last begin/end
start/stop/end open/close on/off enable/disable allow/forbid/prevent accept/reject include/exclude add/remove
cheap/expensive/costly narrow/widen safe/dangerous/unsafe secure/insecure possible/impossible
required/optional/unnecessary necessary/unnecessary valid/invalid success/failure succeed/fail high/low
large/small big/little great/small strong/weak hot/cold warm/cool full/empty public/private local/remote
mutable/immutable static/dynamic synchronous/asynchronous lock/unlock connect/disconnect positive/negative
input/output read/write upload/download send/receive push/pull encrypt/decrypt minimum/maximum min/max share/own
common/own same/different equal/different keep/lose/drop/discard wait/discard/drop better/worse best/worst
easy/hard/difficult simple/complex light/heavy left/right up/down forward/backward inside/outside
internal/external online/offline visible/hidden true/false yes/no parallel/sequential manual/automatic
stable/unstable known/unknown new/old near/far short/long thick/thin win/lose beginning/end
create/delete/destroy shorten/lengthen raise/lower strengthen/weaken twice/half double/halve/half
upgrade/downgrade encode/decode compress/decompress mount/unmount install/uninstall
clockwise/counterclockwise/anticlockwise uppercase/lowercase leading/trailing prefix/suffix acquire/release
grant/revoke/deny permit/forbid/deny pass/fail mandatory/optional explicit/implicit deep/shallow dense/sparse
eager/lazy plus/minus permanent/temporary persistent/volatile import/export front/back/rear horizontal/vertical
odd/even top/bottom load/unload attach/detach show/hide expand/collapse
ascending/descending host/guest accurate/inaccurate stay/change client/server parent/child once/twice
"""
_IRREGULAR = {
    "kept": "keep", "held": "hold", "sent": "send", "lost": "lose", "won": "win", "began": "begin", "begun": "begin",
    "rose": "rise", "risen": "rise", "fell": "fall", "fallen": "fall", "grew": "grow", "grown": "grow",
    "shrank": "shrink", "wrote": "write", "written": "write", "hid": "hide", "hidden": "hide", "shown": "show",
    "stopped": "stop", "dropped": "drop", "forbidden": "forbid", "stayed": "stay", "children": "child",
}  # fmt: skip
_ENDING = re.compile(r"(?:ing|ed|es|s|ly|er|est)$")
_WORD = re.compile(r"[A-Za-z]+")
_CODE = re.compile(r"`[^`]*`|\w+(?:[._]\w+)+")
_STOP_WORDS = frozenset(
    [
        "the",
        "and",
        "for",
        "with",
        "its",
        "that",
        "this",
        "are",
        "was",
        "has",
        "but",
        "you",
        "can",
        "not",
        "from",
        "which",
    ]
)
_NEIGHBOURS = 5

_ALL = re.compile(r"\b(?:all|every|each|always|both|everything|everybody|everyone|anyone|anybody)\b", re.IGNORECASE)
_SOME = re.compile(r"\b(?:any|some|sometimes|either)\b", re.IGNORECASE)
_ONLY = re.compile(r"\b(?:only|solely|exclusively)\b", re.IGNORECASE)
_JUST = re.compile(
    r"\b(?:only|solely|exclusively|just|merely|alone|nothing else|no other|unless|simply|once|single)\b",
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
    return denies_outright(affirmed_part(text))


def affirmed_part(text: str) -> str:
    """Return a text without what it denies beside what it says: "in the morning"."""
    return _NOT_THE_OTHER.sub(r"\1\2", text)


def excludes_all(said: str, held: str) -> bool:
    """Return whether `held` says so of nothing or nobody of which `said` says everything or everybody."""
    return bool(_EVERYTHING.search(said) and _NOTHING.search(held) and not _EVERYTHING.search(held))


def limits(text: str) -> bool:
    """Return whether a text leaves something out, so that a denial may follow from it."""
    return denies(text) or bool(_BUT.search(text))


def denied_words(text: str) -> list[frozenset[int]]:
    """Return the words that stand right behind a negation, as in "needs no tools"."""
    return [terms for word in _DENIED.findall(text) if (terms := words_of(word))]


def has_opposite(said: str, held: str) -> bool:
    """Return whether `held` has the opposite of a word of `said`, of the same thing, and not the word itself."""
    ours, theirs = _stems(said), _stems(held)
    for at, word in enumerate(ours):
        opposites = _OPPOSITE.get(word)
        if not opposites or word in theirs:
            continue
        near = _near(ours, at)
        for there, other in enumerate(theirs):
            if other in opposites and other not in ours and near & _near(theirs, there):
                return True
    return False


def has_other_quantifier(said: str, held: str) -> bool:
    """Return whether one says all where the other says any or only."""
    if _ALL.search(said) and _ONLY.search(held) and not _ONLY.search(said) and not _ALL.search(held):
        return True
    if _UNLIMITED.search(said) and _LIMITED.search(held) and not _UNLIMITED.search(held):
        return True
    says_some = _SOME.search(said) and not _ALL.search(said)
    return bool(says_some and _ALL.search(held) and not _SOME.search(held))


def says_only(said: str, held: str) -> bool:
    """Return whether `said` alone says only, or says it of another."""
    if not _ONLY.search(said):
        return False
    of = _ONLY_OF.search(said)
    is_of_another = of is not None and _ONLY_OF.search(held) is not None and not words_of(of[1]) <= words_of(held)
    return is_of_another or not _JUST.search(held)


def limits_by_condition(said: str, held: str) -> bool:
    """Return whether "only if" in one stands for "not unless" in the other."""
    return bool(_ONLY_IF.search(said) and _BUT.search(held))


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
    if before & there_after and not before & there_before:
        return True
    return bool(before and after & there_before and not after & there_after and not before & there_before)


@lru_cache(maxsize=4096)
def _sides(text: str, comparison: re.Pattern[str]) -> _Sides | None:
    """Return the words that stand only before a comparison, and those only behind it."""
    found = comparison.search(text)
    if not found:
        return None
    before, after = words_of(text[: found.start()]), words_of(text[found.end() :])
    return before - after, after - before


def _stem(word: str) -> str:
    word = _IRREGULAR.get(word, word)
    return (_ENDING.sub("", word) or word).rstrip("e")


@lru_cache(maxsize=4096)
def _stems(text: str) -> tuple[str, ...]:
    return tuple(_stem(word.lower()) for word in _WORD.findall(_CODE.sub(" ", text)))


def _near(stems: tuple[str, ...], at: int) -> set[str]:
    around = stems[max(0, at - _NEIGHBOURS) : at + _NEIGHBOURS + 1]
    return {stem for stem in around if len(stem) > 2 and stem not in _STOP_WORDS} - {stems[at]}


def _table() -> dict[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
    for group in _OPPOSITES.split():
        first, *others = (_stem(word) for word in group.split("/"))
        for other in others:
            table.setdefault(first, set()).add(other)
            table.setdefault(other, set()).add(first)
    return {word: frozenset(opposites) for word, opposites in table.items()}


_OPPOSITE = _table()
