"""The words of a sentence in their order: which follows which, and whether two have changed places."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

from ingestion.vector_stores.bm25 import query_vector
from rag.grounding.places import words_of

Pairs = set[tuple[int | str, int | str]]

_TOKEN = re.compile(r"[^\W_][\w.+#'’<>*-]*|[°%]")
_WHEN = re.compile(r"\b(?:before|prior to|after)\b", re.IGNORECASE)
_FROM_TO = re.compile(r"\bfrom\s+([^,.;]{2,60}?)\s+(?:in)?to\s+((?:[\w'’-]+\s*){1,4})", re.IGNORECASE)
_ORDERING = frozenset(
    ["instead", "than", "rather", "before", "after", "until", "if", "not", "over", "under", "above", "below"]
)


@lru_cache(maxsize=4096)
def slots_of(text: str) -> tuple[tuple[str, str, str], ...]:
    """Return each word with the one before it and the one behind it, without articles."""
    words = ["", *(word for word in re.findall(r"[^\W_]+", text.lower()) if word not in ("the", "a", "an")), ""]
    return tuple(zip(words, words[1:], words[2:], strict=False))


def is_exchange(ours: list[int | str], theirs: list[int | str]) -> bool:
    """Return whether two parts of one or two words, with others between them, have changed places."""
    moved = [at for at, (one, other) in enumerate(zip(ours, theirs, strict=True)) if one != other]
    if not moved:
        return False
    begin, end = moved[0], moved[-1] + 1
    for first in (1, 2):
        for last in (1, 2):
            middle = ours[begin + first : end - last]
            exchanged = [*ours[end - last : end], *middle, *ours[begin : begin + first]]
            is_enough = len(ours) >= (4 if first == last else 6)
            if is_enough and middle and exchanged == theirs[begin:end]:
                return True
    return False


@lru_cache(maxsize=4096)
def sequence_of(text: str) -> tuple[int | str, ...]:
    """Return the words of a text in order, as the search knows them, with those that say what comes before what."""
    found: list[int | str] = []
    for token in _TOKEN.findall(text):
        if terms := query_vector(token).indices:
            found.append(terms[0])
        elif token.lower() in _ORDERING:
            found.append(token.lower())
    return tuple(found)


def swaps_order(said: str, held: str) -> bool:
    """Return whether both say what comes first, as in "A before B", the other way round."""
    ours, theirs = _first_and_second(said), _first_and_second(held)
    if not ours or not theirs:
        return False
    (first, second), (their_first, their_second) = ours, theirs
    crossed = len(first & their_second) + len(second & their_first)
    is_crossed = bool(first & their_second and second & their_first)
    return is_crossed and crossed > len(first & their_first) + len(second & their_second)


@lru_cache(maxsize=4096)
def _first_and_second(text: str) -> tuple[frozenset[int], frozenset[int]] | None:
    """Return the words of what comes first and of what comes second, where a text says so of two things."""
    found = _WHEN.search(text)
    if not found:
        return None
    before, behind = text[: found.start()], text[found.end() :]
    if not words_of(before):
        before, _, behind = (behind.partition(",")[at] for at in (2, 1, 0))
    pair = words_of(before), words_of(behind)
    return pair if found[0].lower() in ("before", "prior to") else (pair[1], pair[0])


def turns_around(said: str, held: str) -> bool:
    """Return whether what goes from one to another goes from the other to the one in `held`."""
    ours, theirs = _from_and_to(said), _from_and_to(held)
    if not ours or not theirs:
        return False
    (start, end), (their_start, their_end) = ours, theirs
    return bool(start & their_end and end & their_start) and not (start & their_start and end & their_end)


@lru_cache(maxsize=4096)
def _from_and_to(text: str) -> tuple[frozenset[int], frozenset[int]] | None:
    """Return the words behind "from", and those behind the "to" after it, less those that stand behind both."""
    found = _FROM_TO.search(text)
    if not found:
        return None
    start, end = words_of(found[1]), words_of(found[2])
    return start - end, end - start


def pairs_of(text: str) -> Pairs:
    """Return the words of a text that follow each other."""
    words = sequence_of(text)
    return set(pairwise(words))
