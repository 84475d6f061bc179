"""The server's embedders: each wraps another one and has its model, dimensions and limits."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from typing import TYPE_CHECKING, Any, TypeVar

from ingestion.embedding.batching import Limits
from ingestion.embedding.protocol import Embedder
from ingestion.errors import Interrupted

if TYPE_CHECKING:
    from ingestion.models import Vector, Vectors


class WrappedEmbedder:
    """The attributes of Embedder, from the wrapped embedder; subclasses make the calls."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    @property
    def model(self) -> str:
        """The embedder's own."""
        return self._embedder.model

    @property
    def dimensions(self) -> int:
        """The embedder's own."""
        return self._embedder.dimensions

    @property
    def limits(self) -> Limits:
        """The embedder's own."""
        return self._embedder.limits


KEPT = 4096
"""Cached vectors: 6 MB with MiniLM, 24 MB with 1,536 dimensions."""


class SharedEmbedder(WrappedEmbedder):
    """Caches vectors in memory; may be used from many threads.

    The passages that support a cited sentence are embedded to check it, and few passages of a book are cited often.
    """

    def __init__(self, embedder: Embedder, *, kept: int = KEPT) -> None:
        super().__init__(embedder)
        self._kept = kept
        self._lock = threading.Lock()
        self._queries: OrderedDict[str, Vector] = OrderedDict()
        self._documents: OrderedDict[str, Vector] = OrderedDict()

    def embed_query(self, text: str) -> Vector:
        """See `Embedder`."""
        known = self._recall(self._queries, [text])
        if text not in known:
            known[text] = self._embedder.embed_query(text)
            self._keep(self._queries, known)
        return known[text]

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder`."""
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


T = TypeVar("T")

STOPPED = "interrupted: the server was stopped; completed work is saved; the next run resumes there"


class StoppableEmbedder(WrappedEmbedder):
    """Embeds until `stopped` is done; then running and later calls raise Interrupted."""

    def __init__(self, embedder: Embedder, stopped: Future[None]) -> None:
        super().__init__(embedder)
        self._stopped = stopped

    def embed_query(self, text: str) -> Vector:
        """See `Embedder`."""
        return self._until_stopped(lambda: self._embedder.embed_query(text))

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder`."""
        return self._until_stopped(lambda: self._embedder.embed_documents(texts))

    def _until_stopped(self, call: Callable[[], T]) -> T:
        done: Future[T] = Future()
        if not self._stopped.done():
            # A daemon: an abandoned call does not keep the process alive.
            threading.Thread(target=_run, args=(call, done), name="embed-call", daemon=True).start()
            either: tuple[Future[Any], ...] = (done, self._stopped)
            wait(either, return_when=FIRST_COMPLETED)
        if not done.done():
            raise Interrupted(STOPPED)
        return done.result()


def _run(call: Callable[[], T], done: Future[T]) -> None:
    try:
        done.set_result(call())
    except BaseException as error:
        done.set_exception(error)
