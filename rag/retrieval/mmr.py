"""How much passages differ from each other, and a choice of passages that do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ingestion.vector_stores.types import Hit

if TYPE_CHECKING:
    from ingestion.models import Vector

RELEVANCE_SHARE = 0.5
"""How much relevance counts against difference in `diverse`."""


def diversity(vectors: Sequence[Vector]) -> float:
    """Return 1 less the mean cosine between unit vectors, 0–1; 0 for fewer than two."""
    if len(vectors) < 2:
        return 0.0
    import numpy as np

    rows = np.stack(vectors)
    count = len(rows)
    cosines = float((rows @ rows.T).sum() - count) / (count * (count - 1))
    return min(1.0, max(0.0, 1.0 - cosines))


def diverse(hits: Sequence[Hit], vectors: Mapping[str, Vector], limit: int) -> list[Hit]:
    """Return the `limit` best hits, each as relevant and as unlike those before it as can be.

    Maximal marginal relevance (Carbonell and Goldstein 1998), relevance scaled to its best.
    """
    best = max((hit.score for hit in hits), default=0.0) or 1.0
    left, chosen = list(hits), list[Hit]()
    while left and len(chosen) < limit:

        def gain(hit: Hit) -> float:
            nearest = max((float(vectors[hit.id] @ vectors[earlier.id]) for earlier in chosen), default=0.0)
            return RELEVANCE_SHARE * hit.score / best - (1 - RELEVANCE_SHARE) * nearest

        choice = max(left, key=gain)
        left.remove(choice)
        chosen.append(choice)
    return chosen
