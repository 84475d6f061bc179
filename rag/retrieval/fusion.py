"""Mix two ranked lists into one, each by how much of the best possible score a passage reaches (design decision 11).

Scaling to 0–1 between a list's own ends, as is usual, gives its first hit full weight even where that hit is poor: a
question whose words the book hardly has would be decided by a chance word. Scaling by what can be reached at most
(Bruch, Gai and Ingber 2023, "An Analysis of Fusion Functions for Hybrid Retrieval") leaves a weak list little say.
Measured in `benchmarks/retrieval.py`. Repeatable: equal scores are ordered by id.
"""

from collections.abc import Sequence

from ingestion.vector_stores.types import Hit

DENSE_WEIGHT = 0.45
"""A little less than half: cosines of right passages reach further up their scale than BM25 scores do up theirs, so
that at half they decide too often. From 0.43 to 0.5 nothing changes by more than one question in thirty."""

DEPTH = 100
"""How far down each list is read."""


def fuse(
    dense: Sequence[Hit], sparse: Sequence[Hit], *, attainable: float, weight: float = DENSE_WEIGHT
) -> list[Hit]:
    """Return one list, best first, scores 0–1; `weight` is the share of the dense list.

    Dense scores are cosines, of which 1 can be reached at most; `attainable` is that of the sparse ones. A passage
    that is missing in a dense list of DEPTH counts as its last: with some models, or in a language that the model
    does not know, all texts are near each other, and to be listed at all must not decide. With one list empty the
    other decides alone.
    """
    if not dense or not sparse:
        weight = 1.0 if dense else 0.0
    near = {hit.id: _reached(hit.score, 1.0) for hit in dense}
    worded = {hit.id: _reached(hit.score, attainable) for hit in sparse}
    floor = min(near.values()) if len(dense) >= DEPTH else 0.0
    mixed = {
        point_id: weight * near.get(point_id, floor) + (1 - weight) * worded.get(point_id, 0.0)
        for point_id in near | worded
    }
    return [Hit(point_id, score) for point_id, score in sorted(mixed.items(), key=lambda each: (-each[1], each[0]))]


def _reached(score: float, most: float) -> float:
    return min(1.0, max(0.0, score / most)) if most > 0 else 0.0
