"""Ranked lists that repeat exactly: equal scores are ordered by id, also at the end of the list."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from ingestion.vector_stores.types import Hit, SparseVector

if TYPE_CHECKING:
    from ingestion.models import Vector

DENSE = "dense"
SPARSE = "bm25"
"""The names of the two vectors of a point, in both engines."""

SCORE_DIGITS = 6
"""Engines add up in different orders; what differs only in its last bits is equal."""


class Scored(Protocol):
    """One entry of an engine's answer."""

    @property
    def id(self) -> object:
        """A text, or what becomes one."""

    @property
    def score(self) -> float:
        """Larger is better."""


Ask = Callable[[Mapping[str, "Vector | SparseVector"], int], Sequence[Sequence[Scored]]]
"""Asks the engine for that many entries of each named vector, in one call, best first; equal ones in any order."""


def ranked_lists(
    ask: Ask, *, dense: Vector | None, sparse: SparseVector | None, limit: int
) -> tuple[list[Hit], list[Hit]]:
    """The best `limit` hits for each vector, best first, ties by id; a list is empty where its vector is.

    Where the score at the end of a list goes on beyond what was asked, the engine has chosen among equals in an
    order of its own; then more is asked, until the choice can be made by id. Half as many more from the start cost
    less than a second question, which every third list of BM25 scores would need.
    """
    open_: dict[str, Vector | SparseVector] = {}
    if dense is not None:
        open_[DENSE] = dense
    if sparse is not None and sparse.indices:
        open_[SPARSE] = sparse
    lists: dict[str, list[Hit]] = {DENSE: [], SPARSE: []}
    asked = limit + limit // 2 + 1
    while open_:
        for name, answer in zip(tuple(open_), ask(open_, asked), strict=True):
            scores = [round(each.score, SCORE_DIGITS) for each in answer]
            if len(scores) < asked or scores[limit - 1] != scores[-1]:
                lists[name] = _first(limit, answer, scores)
                del open_[name]
        asked *= 2
    return lists[DENSE], lists[SPARSE]


def _first(limit: int, answer: Sequence[Scored], scores: Sequence[float]) -> list[Hit]:
    """The first hits, ties by id; only what may be among them is made a hit, as an id costs more than a score."""
    least = min(scores[:limit], default=0.0)
    hits = [Hit(str(each.id), score) for each, score in zip(answer, scores, strict=True) if score >= least]
    return sorted(hits, key=lambda hit: (-hit.score, hit.id))[:limit]


def rarity_of(best: Iterable[tuple[int, float, SparseVector | None]]) -> dict[int, float]:
    """The IDF of terms, given for each a point that has it, with its score for that term alone."""
    found = {}
    for term, score, sparse in best:
        if sparse is not None and term in sparse.indices:
            found[term] = score / sparse.values[sparse.indices.index(term)]
    return found
