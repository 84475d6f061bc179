"""Vectors for chunks: taken from the index or the cache where the same text was embedded before, else embedded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from ingestion.embedders import Embedder
from ingestion.models import DocumentChunk
from ingestion.report import ChunkCounts
from ingestion.tokens import count_tokens
from ingestion.vector_stores import AnyOf, VectorStore, Where

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


class VectorSource:
    """Finds or makes the vector of each embedded text, each text once (DESIGN decision 5)."""

    def __init__(self, embedder: Embedder, *, store: VectorStore | None, cache: VectorCache | None) -> None:
        self._embedder = embedder
        self._store = store
        self._cache = cache

    def missing(self, chunks: Sequence[DocumentChunk]) -> list[DocumentChunk]:
        """The chunks, one a text, that would have to be embedded."""
        known = self._known(_by_key(chunks))
        return [chunk for key, chunk in _by_key(chunks).items() if key not in known]

    def vectors(self, chunks: Sequence[DocumentChunk], counts: ChunkCounts) -> dict[str, Vector]:
        """The vector of each chunk by embed key; adds to `counts` what was embedded and what reused."""
        wanted = _by_key(chunks)
        vectors = self._known(wanted)
        new = [chunk for key, chunk in wanted.items() if key not in vectors]
        if new:
            rows = self._embedder.embed_documents([chunk.embed_text for chunk in new])
            made = {chunk.embed_key: row for chunk, row in zip(new, rows, strict=True)}
            if self._cache:
                self._cache.put(made)
            vectors |= made
        counts.embedded += len(new)
        counts.reused += len(chunks) - len(new)
        counts.tokens += tokens_to_embed(new)
        return vectors

    def _known(self, wanted: Mapping[str, DocumentChunk]) -> dict[str, Vector]:
        found: dict[str, Vector] = {}
        keys = list(wanted)
        if self._store:
            for start in range(0, len(keys), _KEYS_A_QUERY):
                where = Where((AnyOf("embed_key", tuple(keys[start : start + _KEYS_A_QUERY])),))
                for point in self._store.scroll(where, fields=["embed_key"], vectors=True):
                    if point.dense is not None:
                        found[point.payload["embed_key"]] = point.dense
        if self._cache:
            found |= self._cache.get([key for key in keys if key not in found])
        return found


def tokens_to_embed(chunks: Sequence[DocumentChunk]) -> int:
    """The tokens that embedding these chunks takes, breadcrumbs included."""
    return sum(count_tokens([chunk.embed_text for chunk in chunks]))


def _by_key(chunks: Sequence[DocumentChunk]) -> dict[str, DocumentChunk]:
    return {chunk.embed_key: chunk for chunk in chunks}
