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

SECONDS_BETWEEN_LOOKS = 1.0
SECONDS_BETWEEN_LINES = 10.0
SECONDS_WITHOUT_PROGRESS = 600.0


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
    """Whether a load that was killed left indexing off."""
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
    indexed, moved_at, said_at = -1, clock(), clock()
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
        if now - moved_at >= SECONDS_WITHOUT_PROGRESS:
            logger.warning("%s: not indexed any further for %.0f s; going on", collection, now - moved_at)
            return
        if now - said_at >= SECONDS_BETWEEN_LINES:
            said_at = now
            logger.warning("%s: indexing, %d of %d points", collection, indexed, info.points_count or 0)
        still_ours()
        server.sleep(SECONDS_BETWEEN_LOOKS)
