"""An embedder for many requests at once: what was embedded lately is not embedded again."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ingestion.embedders import Embedder
from rag.api.wrapped_embedder import WrappedEmbedder

if TYPE_CHECKING:
    from ingestion.models import Vector, Vectors

KEPT = 4096
"""Vectors: 6 MB of MiniLM's, 24 MB of 1,536 numbers."""


class SharedEmbedder(WrappedEmbedder):
    """Answers from its memory where it can; may be used from many threads.

    The places that a cited sentence rests on are embedded to check it, and a book has few that are cited often.
    """

    def __init__(self, embedder: Embedder, *, kept: int = KEPT) -> None:
        super().__init__(embedder)
        self._kept = kept
        self._lock = threading.Lock()
        self._queries: OrderedDict[str, Vector] = OrderedDict()
        self._documents: OrderedDict[str, Vector] = OrderedDict()

    def embed_query(self, text: str) -> Vector:
        """As Embedder says."""
        known = self._recall(self._queries, [text])
        if text not in known:
            known[text] = self._embedder.embed_query(text)
            self._keep(self._queries, known)
        return known[text]

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """As Embedder says."""
        import numpy as np

        known = self._recall(self._documents, texts)
        missing = [text for text in dict.fromkeys(texts) if text not in known]
        if missing:
            known |= zip(missing, self._embedder.embed_documents(missing), strict=True)
            self._keep(self._documents, known)
        vectors: Vectors = np.stack([known[text] for text in texts])
        return vectors

    def _recall(self, memory: OrderedDict[str, Vector], texts: Sequence[str]) -> dict[str, Vector]:
        with self._lock:
            known = {text: memory[text] for text in texts if text in memory}
            for text in known:
                memory.move_to_end(text)
            return known

    def _keep(self, memory: OrderedDict[str, Vector], vectors: dict[str, Vector]) -> None:
        with self._lock:
            memory.update(vectors)
            while len(memory) > self._kept:
                memory.popitem(last=False)
