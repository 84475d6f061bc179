"""Whether the vectors of an index are those of its texts, which payloads do not tell."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ingestion.embedding.protocol import Embedder
from ingestion.models import DocumentChunk
from ingestion.sync.known_vectors import VectorCache
from ingestion.vector_stores.bm25 import vector_of
from ingestion.vector_stores.protocol import PointReader
from ingestion.vector_stores.types import SparseVector, StoredPoint

if TYPE_CHECKING:
    from ingestion.models import Vector

SAME = 0.999
"""The cosine of two vectors of one text is above: services and engines round, but no other text comes as near."""

SAME_WEIGHT = 1e-3


class VectorCheck:
    """Compares stored vectors: dense ones with the cache and a sample embedded again, sparse ones with the text."""

    def __init__(self, embedder: Embedder, cache: VectorCache | None, sample: int) -> None:
        self._embedder = embedder
        self._cache = cache
        self._sample = sample
        self._left = self._points = 0
        self._chance = random.Random()  # another sample each time: in the end all are looked at
        self.by_words = self.by_cache = self.by_embedding = 0

    def begin(self, points: int) -> None:
        """Begin a book of about so many points, over all of which its sample is spread."""
        self._left, self._points = self._sample, points

    def wrong(self, chunks: Sequence[DocumentChunk], store: PointReader) -> set[str]:
        """Return the ids of the chunks of which a stored vector is another text's."""
        stored = store.retrieve([chunk.id for chunk in chunks], vectors=True)
        present = [chunk for chunk in chunks if chunk.id in stored]
        wanted = dict(self._cache.get([chunk.embed_key for chunk in present])) if self._cache else {}
        self.by_words += len(present)
        self.by_cache += sum(chunk.embed_key in wanted for chunk in present)
        wanted |= self._embedded_again(present)
        return {chunk.id for chunk in present if _differs(chunk, stored[chunk.id], wanted.get(chunk.embed_key))}

    def _embedded_again(self, chunks: Sequence[DocumentChunk]) -> dict[str, Vector]:
        drawn = [chunk for chunk in chunks if self._draws()]
        if not drawn:
            return {}
        self.by_embedding += len(drawn)
        vectors = self._embedder.embed_documents([chunk.embed_text for chunk in drawn])
        return {chunk.embed_key: vector for chunk, vector in zip(drawn, vectors, strict=True)}

    def _draws(self) -> bool:
        """Return whether the next chunk is in the sample: each is as likely, and at the end it is complete."""
        draws = self._chance.random() * self._points < self._left
        self._points -= 1
        self._left -= draws
        return draws

    @property
    def told(self) -> str:
        """Return what was compared, for people."""
        return (
            f"vectors of {self.by_words} chunks: sparse ones computed again; of the dense ones {self.by_cache} "
            f"compared with the cache, {self.by_embedding} embedded again"
        )


def _differs(chunk: DocumentChunk, stored: StoredPoint, dense: Vector | None) -> bool:
    return _is_other(stored.dense, dense) or _has_other_words(stored.sparse or SparseVector((), ()), vector_of(chunk))


def _is_other(stored: Vector | None, wanted: Vector | None) -> bool:
    if wanted is None:
        return False
    if stored is None or len(stored) != len(wanted):
        return True
    sizes = float(np.linalg.norm(stored) * np.linalg.norm(wanted))
    return sizes == 0.0 or float(np.dot(stored, wanted)) < SAME * sizes


def _has_other_words(stored: SparseVector, wanted: SparseVector) -> bool:
    if stored.indices != wanted.indices:
        return True
    return not np.allclose(stored.values, wanted.values, atol=SAME_WEIGHT)
