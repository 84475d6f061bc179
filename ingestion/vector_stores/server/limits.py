"""What strict mode of a collection allows: requests stay below it, and what cannot work is known before a write.

The checks are those of Qdrant 1.19: `limit` of scroll, search and facet; `exact` of count, facet and search; points
of an upsert; searches of a batch; values of a condition; conditions of a filter; points and bytes of a collection.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from qdrant_client import models as rest

from ingestion.vector_stores.filters import PAYLOAD_INDEXES
from ingestion.vector_stores.types import Schema

POINTS_PER_WRITE = 256
POINTS_PER_PAGE = 1024
UNLIMITED = 1_000_000
"""Stands for no limit where a request must state one."""

FILTER_CONDITIONS = 12
"""The most conditions of a filter of ours: book, six filters of a reader, tier, and what is left out."""

_BYTES_PER_NUMBER = 4


@dataclass(frozen=True, slots=True)
class Limits:
    """The largest of everything in one request; None where strict mode sets no bound."""

    results: int = UNLIMITED
    """Points of a page, hits of a list, values of a facet."""

    write: int = POINTS_PER_WRITE
    """Points of one upsert."""

    searches: int = UNLIMITED
    """Searches of one batch."""

    values: int = UNLIMITED
    """Values, or ids, of one condition."""

    exact: bool = True
    """Whether counts, facets and searches may be exact."""

    oversampling: float | None = None
    conditions: int | None = None
    indexes: int | None = None
    points: int | None = None
    vector_bytes: int | None = None

    @property
    def page(self) -> int:
        """Points of one page of a scroll, or of one request by ids."""
        return min(POINTS_PER_PAGE, self.results)

    def problems(self, schema: Schema | None = None, points: int = 0) -> Iterator[str]:
        """Yield what cannot work under these limits, or with so many points, each with the limit's name."""
        if self.indexes is not None and self.indexes < len(PAYLOAD_INDEXES):
            yield f"max_payload_index_count is {self.indexes}; bookwise needs {len(PAYLOAD_INDEXES)} payload indexes"
        if self.conditions is not None and self.conditions < FILTER_CONDITIONS:
            yield f"filter_max_conditions is {self.conditions}; filters of bookwise have up to {FILTER_CONDITIONS}"
        if self.points is not None and points > self.points:
            yield f"max_points_count is {self.points:,}; the index will have {points:,} points"
        size = _BYTES_PER_NUMBER * (schema.dimensions if schema else 0) * points
        if self.vector_bytes is not None and size > self.vector_bytes:
            yield f"max_collection_vector_size_bytes is {self.vector_bytes:,}; the vectors will take about {size:,}"

    def drawbacks(self) -> Iterator[str]:
        """Yield what works, but slower or less exactly, under these limits."""
        if not self.exact:
            yield "search_allow_exact is false: counting reads every point, and every search uses the graph"
        if self.results < POINTS_PER_PAGE:
            yield f"max_query_limit is {self.results}: reading takes more requests, and lists hold that many hits"


def limits_of(strict: rest.StrictModeConfig | rest.StrictModeConfigOutput | None) -> Limits:
    """Return the limits that a collection's strict mode sets; those of a collection without it are our own."""
    if strict is None or not strict.enabled:
        return Limits()
    return Limits(
        results=_least(UNLIMITED, strict.max_query_limit),
        write=_least(POINTS_PER_WRITE, strict.upsert_max_batchsize),
        searches=_least(UNLIMITED, strict.search_max_batchsize),
        values=_least(UNLIMITED, strict.condition_max_size),
        exact=strict.search_allow_exact is not False,
        oversampling=strict.search_max_oversampling,
        conditions=strict.filter_max_conditions,
        indexes=strict.max_payload_index_count,
        points=strict.max_points_count,
        vector_bytes=strict.max_collection_vector_size_bytes,
    )


def _least(ours: int, theirs: int | None) -> int:
    return ours if theirs is None else max(1, min(ours, theirs))
