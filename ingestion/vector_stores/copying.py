"""Copies points from one store to another as they are."""

from __future__ import annotations

from itertools import islice

from ingestion.vector_stores.filters import Where
from ingestion.vector_stores.protocol import PointReader, PointWriter
from ingestion.vector_stores.types import Point, SparseVector, StoredPoint

POINTS_PER_COPY = 256


def copy_points(source: PointReader, target: PointWriter, where: Where) -> int:
    """Copy the matching points as they are, vectors included; returns how many."""
    copied = 0
    points = source.scroll(where, vectors=True)
    while batch := [as_point(point) for point in islice(points, POINTS_PER_COPY)]:
        target.upsert(batch)
        copied += len(batch)
    return copied


def as_point(stored: StoredPoint) -> Point:
    """Return a stored point as it is written again; it must have been read with its vectors."""
    assert stored.dense is not None
    return Point(stored.id, stored.dense, stored.sparse or SparseVector((), ()), stored.payload)
