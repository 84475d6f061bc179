"""One writer at a time on a shared server: a lease that expires, kept as one point in `<collection>_state`.

Taking and renewing are one conditional upsert, so that of two writers exactly one gets the lease. The hosts' clocks
must agree to well within LEASE_SECONDS.
"""

from __future__ import annotations

import os
import socket
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from qdrant_client import QdrantClient
from qdrant_client import models as rest

from ingestion.errors import IndexLocked
from ingestion.vector_stores.server.client import Server

LEASE_SECONDS = 300.0
"""How long others are kept out after a writer died without a word; longer than a group of files takes."""

RENEW_AFTER = 30.0
_POLL_SECONDS = 1.0
_POINT = str(uuid.uuid5(uuid.NAMESPACE_DNS, "bookwise:writer-lease"))


@contextmanager
def writer_lease(
    server: Server, collection: str, *, wait: float, clock: Callable[[], float] = time.time
) -> Iterator[Callable[[], None]]:
    """Hold the lease while the block runs; it gets a call that keeps the lease and raises IndexLocked if it is lost.

    Raises IndexLocked, naming the holder, if another writer still has the lease after `wait` seconds.
    """
    lease = _Lease(server, f"{collection}_state", clock)
    deadline = time.monotonic() + wait
    while not lease.take():
        if time.monotonic() >= deadline:
            raise IndexLocked(f"another run is writing {collection} ({lease.holder()}); wait for it to end")
        server.sleep(_POLL_SECONDS)
    try:
        yield lease.keep
    finally:
        lease.give_back()


class _Lease:
    def __init__(self, server: Server, collection: str, clock: Callable[[], float]) -> None:
        self._server = server
        self._collection = collection
        self._clock = clock
        self._owner = str(uuid.uuid4())
        self._taken_at = 0.0
        server.call(f"opening {collection!r}", self._ensure)

    def take(self) -> bool:
        """Take the lease, or renew it, if it is free, expired or ours."""
        now = self._clock()
        payload = {
            "owner": self._owner,
            "host": socket.gethostname(),
            "pid": os.getpid(),
            "expires": now + LEASE_SECONDS,
        }
        ours = rest.FieldCondition(key="owner", match=rest.MatchValue(value=self._owner))
        expired = rest.FieldCondition(key="expires", range=rest.Range(lt=now))
        point = rest.PointStruct(id=_POINT, vector={}, payload=payload)
        self._server.call(
            "taking the writer's lease",
            lambda client: client.upsert(
                self._collection, [point], wait=True, update_filter=rest.Filter(should=[ours, expired])
            ),
        )
        held = self._read().get("owner") == self._owner
        if held:
            self._taken_at = now
        return held

    def keep(self) -> None:
        """Renew a lease that has aged; raises IndexLocked if another writer has taken it."""
        if self._clock() - self._taken_at >= RENEW_AFTER and not self.take():
            raise IndexLocked(f"the lease on {self._collection} expired and was taken ({self.holder()}); run again")

    def holder(self) -> str:
        """Who has the lease, for people."""
        payload = self._read()
        return f"pid {payload.get('pid')} on {payload.get('host')}"

    def give_back(self) -> None:
        """Free the lease, if it is still ours."""
        ours = rest.Filter(must=[rest.FieldCondition(key="owner", match=rest.MatchValue(value=self._owner))])
        self._server.call(
            "giving the writer's lease back",
            lambda client: client.delete(self._collection, rest.FilterSelector(filter=ours), wait=True),
        )

    def _read(self) -> dict[str, object]:
        points = self._server.call(
            "reading the writer's lease", lambda client: client.retrieve(self._collection, [_POINT])
        )
        return dict(points[0].payload or {}) if points else {}

    def _ensure(self, client: QdrantClient) -> None:
        if not client.collection_exists(self._collection):
            client.create_collection(self._collection, vectors_config={})
