"""The words of a sentence in their order: which follows which, and whether two have changed places."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

from ingestion.vector_stores.bm25 import query_vector

Pairs = set[tuple[int | str, int | str]]

_TOKEN = re.compile(r"[^\W_][\w.+#'’<>*-]*|[°%]")
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


def pairs_of(text: str) -> Pairs:
    """Return the words of a text that follow each other."""
    words = sequence_of(text)
    return set(pairwise(words))
