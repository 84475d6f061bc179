"""Writers that start together, each at another address of the server: exactly one gets the lease."""

from __future__ import annotations

import pytest

from ingestion.vector_stores.server.lease import ServerLease
from ingestion.vector_stores.server.state_collection import StateCollection
from tests.support.lease_race import race
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
        winners = race(states)
        both += len(winners) == 2
        none += not winners
        for lease in winners:
            lease.confirm()
        lost += any(ServerLease(state).take() for state in states)
        for lease in winners:
            lease.give_back()
    assert (both, none, lost) == (0, 0, 0)
