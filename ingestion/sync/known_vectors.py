"""Vectors that need no embedding: those of the index and of the cache, where the same text was embedded before."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from ingestion.models import DocumentChunk, utc_now
from ingestion.vector_stores.batching import batches
from ingestion.vector_stores.filters import AnyOf, Where
from ingestion.vector_stores.protocol import PointReader

if TYPE_CHECKING:
    from ingestion.models import Vector

_KEYS_PER_QUERY = 256
_FIELDS = ("embed_key", "embedded_at", "created_at")


class VectorCache(Protocol):
    """Vectors by embed key, beside the index."""

    def get(self, keys: Sequence[str]) -> Mapping[str, Vector]:
        """Return the vectors that it has, by embed key."""

    def put(self, vectors: Mapping[str, Vector]) -> None:
        """Store these."""

    def close(self) -> None:
        """Release it."""


class KnownVector(NamedTuple):
    """A vector, and when it was made, or taken from the cache."""

    vector: Vector
    embedded_at: str


class KnownVectors:
    """Finds the vectors of texts that were embedded before, in `stores` and the cache (design decision 5).

    `stores` are asked for at each look: one may be made by the first write.
    """

    def __init__(
        self, *, stores: Callable[[], Sequence[PointReader]], cache: VectorCache | None, dimensions: int
    ) -> None:
        self._stores = stores
        self._dimensions = dimensions
        self._cache = cache

    def missing(self, chunks: Sequence[DocumentChunk]) -> list[DocumentChunk]:
        """Return the chunks, one per text, that would have to be embedded."""
        known = self.of(chunks)
        return [chunk for key, chunk in _by_key(chunks).items() if key not in known]

    def of(self, chunks: Sequence[DocumentChunk]) -> dict[str, KnownVector]:
        """Return the vectors that are known, by embed key."""
        found: dict[str, KnownVector] = {}
        keys = list(_by_key(chunks))
        for store in self._stores():
            found |= _stored_in(store, keys)
            keys = [key for key in keys if key not in found]
        if self._cache:
            cached = self._cache.get(keys)
            found |= {key: KnownVector(vector, utc_now()) for key, vector in cached.items()}
        # A vector of another length, from a damaged cache, would fail its whole lesson.
        return {key: known for key, known in found.items() if len(known.vector) == self._dimensions}


def _stored_in(store: PointReader, keys: Sequence[str]) -> Iterator[tuple[str, KnownVector]]:
    for named in batches(keys, _KEYS_PER_QUERY):
        for point in store.scroll(Where((AnyOf("embed_key", tuple(named)),)), fields=_FIELDS, vectors=True):
            if point.dense is not None:
                yield point.payload["embed_key"], KnownVector(point.dense, embedded_at(point.payload))


def embedded_at(payload: Mapping[str, Any]) -> str:
    """Return when a point's vector was made; those of the first release say only when they were written."""
    return str(payload.get("embedded_at") or payload["created_at"])


def _by_key(chunks: Sequence[DocumentChunk]) -> dict[str, DocumentChunk]:
    return {chunk.embed_key: chunk for chunk in chunks}
