"""What the two engines answer, as our own values: their records have the same parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ingestion.vector_stores.ranking import DENSE, SPARSE
from ingestion.vector_stores.types import SparseVector, StoredPoint


def stored_point(record: Any) -> StoredPoint:
    """Return a point from a record of an engine."""
    import numpy as np

    dense = (record.vector or {}).get(DENSE)
    return StoredPoint(
        id=str(record.id),
        payload=record.payload or {},
        dense=None if dense is None else np.array(dense, np.float32),
        sparse=_sparse_of(record),
    )


def rarities(terms: Sequence[int], answers: Sequence[Sequence[Any]]) -> dict[int, float]:
    """Return the IDF of terms, given for each the best point for that term alone, if there is any."""
    found = {}
    for term, answer in zip(terms, answers, strict=True):
        sparse = _sparse_of(answer[0]) if answer else None
        if sparse is not None and term in sparse.indices:
            found[term] = answer[0].score / sparse.values[sparse.indices.index(term)]
    return found


def _sparse_of(record: Any) -> SparseVector | None:
    sparse = (record.vector or {}).get(SPARSE)
    return None if sparse is None else SparseVector(tuple(sparse.indices), tuple(sparse.values))
