"""Vectors that need no embedding: those of the index and of the cache, where the same text was embedded before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from ingestion.models import DocumentChunk
from ingestion.tokens import count_tokens
from ingestion.vector_stores.filters import AnyOf, Where
from ingestion.vector_stores.protocol import VectorStore

if TYPE_CHECKING:
    from ingestion.models import Vector

_KEYS_A_QUERY = 256


class VectorCache(Protocol):
    """Vectors by embed key, beside the index."""

    def get(self, keys: Sequence[str]) -> Mapping[str, Vector]:
        """Those of the keys that are there."""

    def put(self, vectors: Mapping[str, Vector]) -> None:
        """Keep these."""

    def reserve(self, size: int) -> None:
        """Drop nothing before it holds `size` bytes more than its bound, until it is closed."""

    def close(self) -> None:
        """Release it."""


class KnownVectors:
    """Finds the vectors of texts that were embedded before, in `stores` and the cache (DESIGN decision 5)."""

    def __init__(self, *, stores: Sequence[VectorStore], cache: VectorCache | None) -> None:
        self._stores = stores
        self._cache = cache

    def missing(self, chunks: Sequence[DocumentChunk]) -> list[DocumentChunk]:
        """The chunks, one a text, that would have to be embedded."""
        there = self.of(chunks)
        return [chunk for key, chunk in _by_key(chunks).items() if key not in there]

    def of(self, chunks: Sequence[DocumentChunk]) -> dict[str, Vector]:
        """The vectors that are there, by embed key."""
        found: dict[str, Vector] = {}
        for store in self._stores:
            keys = [key for key in _by_key(chunks) if key not in found]
            for start in range(0, len(keys), _KEYS_A_QUERY):
                where = Where((AnyOf("embed_key", tuple(keys[start : start + _KEYS_A_QUERY])),))
                for point in store.scroll(where, fields=["embed_key"], vectors=True):
                    if point.dense is not None:
                        found[point.payload["embed_key"]] = point.dense
        if self._cache:
            found |= self._cache.get([key for key in _by_key(chunks) if key not in found])
        return found


def tokens_to_embed(chunks: Sequence[DocumentChunk]) -> int:
    """The tokens that embedding these chunks takes, breadcrumbs included."""
    return sum(count_tokens([chunk.embed_text for chunk in chunks]))


def _by_key(chunks: Sequence[DocumentChunk]) -> dict[str, DocumentChunk]:
    return {chunk.embed_key: chunk for chunk in chunks}
