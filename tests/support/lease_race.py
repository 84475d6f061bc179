"""Writers that try for one lease at the same moment."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from ingestion.vector_stores.server.lease import ServerLease
from ingestion.vector_stores.server.state_collection import StateCollection


def race(states: Sequence[StateCollection]) -> list[ServerLease]:
    """Let a writer at each state try for its lease at the same moment; returns those that say they have it."""
    leases = [ServerLease(state) for state in states]
    start = threading.Barrier(len(leases))
    winners: list[ServerLease] = []

    def run(lease: ServerLease) -> None:
        start.wait()
        if lease.take():
            winners.append(lease)

    threads = [threading.Thread(target=run, args=(lease,)) for lease in leases]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return winners
