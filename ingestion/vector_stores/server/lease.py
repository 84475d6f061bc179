"""One writer at a time on a shared server: a lease that expires, kept as one point in `<collection>_state`.

Taking and renewing are one conditional upsert, so that of two writers exactly one gets the lease. These writes are
ordered (`medium`): weak ones reach the replicas in different orders, and two writers would each read that they have
it. `strong` would fail while the node that leads the shard is gone. The hosts' clocks must agree to well within
LEASE_SECONDS.
"""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from qdrant_client import models as rest

from ingestion.errors import IndexLocked, VectorStoreError
from ingestion.state.process_identity import is_dead, process_identity
from ingestion.vector_stores.server.state_collection import StateCollection
from ingestion.waiting import wait_until

logger = logging.getLogger(__name__)

LEASE_SECONDS = 300.0
"""How long a dead writer's lease blocks others on other machines; longer than a group of files takes."""

RENEW_AFTER = 30.0
_POLL_SECONDS = 1.0
_POINT = str(uuid.uuid5(uuid.NAMESPACE_DNS, "bookwise:writer-lease"))
_ORDERED = rest.WriteOrdering.MEDIUM


@contextmanager
def writer_lease(
    state: StateCollection, *, wait: float, clock: Callable[[], float] = time.time
) -> Iterator[ServerLease]:
    """Hold the lease while the block runs, which gets it.

    Raises IndexLocked, naming the holder, if another writer still has the lease after `wait` seconds. The lease of a
    process that died on this machine is taken over at once.
    """
    state.make_ready(again=True)
    lease = ServerLease(state, clock)

    def refusal() -> IndexLocked:
        return IndexLocked(
            f"another run is writing {state.name.removesuffix('_state')} ({lease.holder()}); wait for it to end, "
            "or let this command wait longer with `bookwise --wait SECONDS`"
        )

    wait_until(lease.take, wait, poll=_POLL_SECONDS, refusal=refusal, sleep=state.server.sleep)
    try:
        yield lease
    except BaseException:
        lease.give_back_quietly()
        raise
    lease.give_back()


class ServerLease:
    """The lease of one writer; see Lease."""

    def __init__(self, state: StateCollection, clock: Callable[[], float] = time.time) -> None:
        self._state = state
        self._clock = clock
        self._identity = process_identity()
        self._owner = str(uuid.uuid4())
        self._taken_at = 0.0
        self._seen: Mapping[str, Any] = {}

    def __call__(self) -> None:
        """See Lease."""
        if self._clock() - self._taken_at >= RENEW_AFTER and not self.take():
            self._refuse()

    def confirm(self) -> None:
        """See Lease."""
        if self._clock() - self._taken_at >= RENEW_AFTER:
            self()
        elif not self._is_ours():
            self._refuse()

    def take(self) -> bool:
        """Take the lease, or renew it, if it is free, expired, ours, or of a process that died on this machine."""
        if self._write(self._seen.get("owner") if self._seen and is_dead(self._seen) else None):
            return True
        return is_dead(self._seen) and self._write(self._seen.get("owner"))

    def holder(self) -> str:
        """Return who had the lease when it was last read, for people."""
        return f"pid {self._seen.get('pid')} on {self._seen.get('host')}"

    def give_back(self) -> None:
        """Free the lease, if it is still ours."""
        ours = rest.Filter(must=[rest.FieldCondition(key="owner", match=rest.MatchValue(value=self._owner))])
        self._state.server.call(
            "giving the writer's lease back",
            lambda client: client.delete(
                self._state.name, rest.FilterSelector(filter=ours), wait=True, ordering=_ORDERED
            ),
        )

    def give_back_quietly(self) -> None:
        """Free the lease after a failure, which another one must not hide."""
        try:
            self.give_back()
        except VectorStoreError as error:
            logger.warning("the writer's lease was not given back and expires in %.0f s: %s", LEASE_SECONDS, error)

    def _write(self, dead: object = None) -> bool:
        """Write the lease unless another writer holds it (`dead` does not); returns whether it is ours."""
        now = self._clock()
        owners = [self._owner, dead] if isinstance(dead, str) else [self._owner]
        ours = rest.FieldCondition(key="owner", match=rest.MatchAny(any=owners))
        expired = rest.FieldCondition(key="expires", range=rest.Range(lt=now))
        payload = self._identity | {"owner": self._owner, "expires": now + LEASE_SECONDS}
        point = rest.PointStruct(id=_POINT, vector={}, payload=payload)
        self._state.server.call(
            "taking the writer's lease",
            lambda client: client.upsert(
                self._state.name,
                [point],
                wait=True,
                ordering=_ORDERED,
                update_filter=rest.Filter(should=[ours, expired]),
            ),
        )
        held = self._is_ours()
        if held:
            self._taken_at = now
        return held

    def _is_ours(self) -> bool:
        points = self._state.server.call(
            "reading the writer's lease", lambda client: client.retrieve(self._state.name, [_POINT])
        )
        self._seen = dict(points[0].payload or {}) if points else {}
        return self._seen.get("owner") == self._owner

    def _refuse(self) -> None:
        raise IndexLocked(f"the lease on {self._state.name} expired and was taken ({self.holder()}); run again")
