"""Ranked lists that repeat exactly: equal scores are ordered by id, also at the end of the list."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from ingestion.vector_stores import Hit, SparseVector

if TYPE_CHECKING:
    from ingestion.models import Vector

DENSE = "dense"
SPARSE = "bm25"
"""The names of the two vectors of a point, in both engines."""

SCORE_DIGITS = 6
"""Engines add up in different orders; what differs only in its last bits is equal."""

Ask = Callable[[Mapping[str, "Vector | SparseVector"], int], Sequence[list[Hit]]]
"""Asks the engine for that many best hits of each named vector, in one call; equal scores come in any order."""


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
            hits = [Hit(hit.id, round(hit.score, SCORE_DIGITS)) for hit in answer]
            if len(hits) < asked or hits[limit - 1].score != hits[-1].score:
                lists[name] = sorted(hits, key=lambda hit: (-hit.score, hit.id))[:limit]
                del open_[name]
        asked *= 2
    return lists[DENSE], lists[SPARSE]


def rarity_of(best: Iterable[tuple[int, float, SparseVector | None]]) -> dict[int, float]:
    """The IDF of terms, given for each a point that has it, with its score for that term alone."""
    found = {}
    for term, score, sparse in best:
        if sparse is not None and term in sparse.indices:
            found[term] = score / sparse.values[sparse.indices.index(term)]
    return found
