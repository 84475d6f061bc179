"""Mix two ranked lists into one, each by how much of the best possible score a passage reaches (DESIGN decision 11).

Scaling to 0–1 between a list's own ends, as is usual, gives its first hit full weight even where that hit is poor: a
question whose words the book hardly has would be decided by a chance word. Scaling by what can be reached at most
(Bruch, Gai and Ingber 2023, "An Analysis of Fusion Functions for Hybrid Retrieval") leaves a weak list little say.
Measured in `benchmarks/retrieval.py`. Repeatable: equal scores are ordered by id.
"""

from collections.abc import Sequence

from ingestion.vector_stores import Hit

DENSE_WEIGHT = 0.5
DEPTH = 100
"""How far down each list is read."""


def fuse(
    dense: Sequence[Hit], sparse: Sequence[Hit], *, attainable: float, weight: float = DENSE_WEIGHT
) -> list[Hit]:
    """One list, best first, scores 0–1; `weight` is the share of the dense list.

    Dense scores are cosines, of which 1 can be reached at most; `attainable` is that of the sparse ones. With one
    list empty the other decides alone.
    """
    if not dense or not sparse:
        weight = 1.0 if dense else 0.0
    mixed: dict[str, float] = {}
    for hits, share, most in ((dense, weight, 1.0), (sparse, 1.0 - weight, attainable)):
        for hit in hits:
            reached = min(1.0, max(0.0, hit.score / most)) if most > 0 else 0.0
            mixed[hit.id] = mixed.get(hit.id, 0.0) + share * reached
    return [Hit(point_id, score) for point_id, score in sorted(mixed.items(), key=lambda each: (-each[1], each[0]))]
