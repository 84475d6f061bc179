"""An embedder whose calls can be left when the server stops, however long a service lets them wait."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from typing import TYPE_CHECKING, Any, TypeVar

from ingestion.embedders import Embedder
from ingestion.errors import Interrupted
from rag.api.wrapped_embedder import WrappedEmbedder

if TYPE_CHECKING:
    from ingestion.models import Vector, Vectors

T = TypeVar("T")

STOPPED = "interrupted: the server was stopped; what was finished is recorded, and the next run goes on from there"


class StoppableEmbedder(WrappedEmbedder):
    """Embeds until `stopped` is done; then calls in progress, and those that still come, raise Interrupted."""

    def __init__(self, embedder: Embedder, stopped: Future[None]) -> None:
        super().__init__(embedder)
        self._stopped = stopped

    def embed_query(self, text: str) -> Vector:
        """As Embedder says."""
        return self._until_stopped(lambda: self._embedder.embed_query(text))

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """As Embedder says."""
        return self._until_stopped(lambda: self._embedder.embed_documents(texts))

    def _until_stopped(self, call: Callable[[], T]) -> T:
        done: Future[T] = Future()
        if not self._stopped.done():
            # A daemon: a call that is left does not keep the process.
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
