"""Writers that start together, each at another address of the server: exactly one gets the lease."""

from __future__ import annotations

import threading

import pytest

from ingestion.vector_stores.server.lease import ServerLease
from ingestion.vector_stores.server.state_collection import StateCollection
from tests.support.real_qdrant import Target

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

RACES = 250


def test_of_two_writers_exactly_one_gets_the_lease_in_every_race(target: Target) -> None:
    last = len(target.urls) - 1
    states = [StateCollection(target.server(first), f"{target.prefix}-race", target.settings) for first in (0, last)]
    for state in states:
        state.make_ready()
    both = none = lost = 0
    for _ in range(RACES):
        leases = [ServerLease(state) for state in states]
        start = threading.Barrier(2)
        winners: list[ServerLease] = []

        def run(lease: ServerLease, start: threading.Barrier = start, winners: list[ServerLease] = winners) -> None:
            start.wait()
            if lease.take():
                winners.append(lease)

        threads = [threading.Thread(target=run, args=(lease,)) for lease in leases]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        both += len(winners) == 2
        none += not winners
        for lease in winners:
            lease.confirm()
        lost += any(lease.take() for lease in leases if lease not in winners)
        for lease in winners:
            lease.give_back()
    assert (both, none, lost) == (0, 0, 0)
