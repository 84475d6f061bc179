"""A large load on a server: indexing waits until all points are there, and the load until indexing is done."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from qdrant_client import models as rest

from ingestion.errors import VectorStoreError
from ingestion.vector_stores.server.client import Server

logger = logging.getLogger(__name__)

DEFERRED = 0
"""The indexing threshold that means never."""

INDEXING_THRESHOLD = 10_000
"""Kilobytes of vectors from which a segment is indexed: the server's own default."""

POLL_SECONDS = 1.0
PROGRESS_SECONDS = 10.0
STALLED_SECONDS = 600.0


@contextmanager
def deferred_indexing(
    server: Server,
    collection: str,
    *,
    still_ours: Callable[[], None],
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[None]:
    """Index nothing while the block runs, everything at its end, and return once that is done.

    `still_ours` is called all the while, which may be longer than a writer's lease holds. After an error in the
    block indexing stays off; `resume_indexing` is for the next writer.
    """
    _set_threshold(server, collection, DEFERRED)
    yield
    resume_indexing(server, collection)
    _wait_until_green(server, collection, still_ours, clock)


def resume_indexing(server: Server, collection: str) -> None:
    """Index what is there and what comes, in the background."""
    _set_threshold(server, collection, INDEXING_THRESHOLD)


def is_deferred(info: rest.CollectionInfo) -> bool:
    """Return whether a load that was killed left indexing off."""
    return info.config.optimizer_config.indexing_threshold == DEFERRED


def _set_threshold(server: Server, collection: str, kilobytes: int) -> None:
    config = rest.OptimizersConfigDiff(indexing_threshold=kilobytes)
    server.call(
        f"setting when collection {collection!r} is indexed",
        lambda client: client.update_collection(collection, optimizers_config=config),
    )


def _wait_until_green(
    server: Server, collection: str, still_ours: Callable[[], None], clock: Callable[[], float]
) -> None:
    """Search is exact, only slower, until then: an index that does not move is reported, and left to the server."""
    indexed, moved_at, logged_at = -1, clock(), clock()
    while True:
        info = server.call(f"reading collection {collection!r}", lambda client: client.get_collection(collection))
        now = clock()
        if info.status == rest.CollectionStatus.GREEN:
            return
        if info.status == rest.CollectionStatus.RED:
            raise VectorStoreError(
                f"Qdrant at {server.host}: collection {collection!r} cannot be indexed: {info.optimizer_status}"
            )
        if info.indexed_vectors_count != indexed:
            indexed, moved_at = info.indexed_vectors_count or 0, now
        if now - moved_at >= STALLED_SECONDS:
            logger.warning("%s: no indexing progress for %.0f s; continuing", collection, now - moved_at)
            return
        if now - logged_at >= PROGRESS_SECONDS:
            logged_at = now
            # The server counts dense and sparse vectors together, so that there is no "of".
            points = info.points_count or 0
            logger.warning("%s: indexing %s points: %s vectors done", collection, f"{points:,}", f"{indexed:,}")
        still_ours()
        server.sleep(POLL_SECONDS)
