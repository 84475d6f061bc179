"""The writer's lease on a shared server: exactly one has it, and a dead writer's one expires or is taken over."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest

from ingestion.errors import IndexLocked, VectorStoreError
from ingestion.state import process_identity
from ingestion.vector_stores.server.client import connect
from ingestion.vector_stores.server.lease import LEASE_SECONDS, RENEW_AFTER, ServerLease, writer_lease
from ingestion.vector_stores.server.state_collection import StateCollection
from tests.support.qdrant_server import KEY, Fault, QdrantServer, running

pytestmark = pytest.mark.filterwarnings("ignore:Payload indexes have no effect:UserWarning")


class Clock:
    """A clock that a test turns."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(scope="module")
def qdrant() -> Iterator[QdrantServer]:
    with running(QdrantServer()) as server:
        yield server


@pytest.fixture
def state(qdrant: QdrantServer, clock: Clock) -> StateCollection:
    def sleep(seconds: float) -> None:
        clock.now += seconds

    qdrant.remove("book_state")
    return StateCollection(connect(qdrant.url, KEY, sleep=sleep), "book")


def test_a_second_writer_is_refused_and_told_who_writes(state: StateCollection, clock: Clock) -> None:
    with (
        writer_lease(state, wait=0, clock=clock),
        pytest.raises(IndexLocked, match=r"another run is writing book \(pid \d+ on .*--wait SECONDS"),
        writer_lease(state, wait=0, clock=clock),
    ):
        pytest.fail("two writers")


def test_the_lease_is_free_again_after_the_block(state: StateCollection, clock: Clock) -> None:
    for _ in range(3):
        with writer_lease(state, wait=0, clock=clock) as lease:
            lease()


def test_other_collections_have_leases_of_their_own(state: StateCollection, clock: Clock) -> None:
    other = StateCollection(state.server, "other")
    with writer_lease(state, wait=0, clock=clock), writer_lease(other, wait=0, clock=clock):
        pass


def test_a_dead_writers_lease_expires(state: StateCollection, clock: Clock) -> None:
    dead = writer_lease(state, wait=0, clock=clock)
    dead.__enter__()
    clock.now += LEASE_SECONDS + 1
    with writer_lease(state, wait=0, clock=clock):
        pass


def test_a_writer_that_continues_keeps_its_lease(state: StateCollection, clock: Clock) -> None:
    with writer_lease(state, wait=0, clock=clock) as lease:
        for _ in range(20):
            clock.now += RENEW_AFTER
            lease()
        with pytest.raises(IndexLocked), writer_lease(state, wait=0, clock=clock):
            pytest.fail("two writers")


@pytest.mark.parametrize("check", ["renew", "confirm"])
def test_a_writer_that_slept_too_long_learns_that_it_lost_and_leaves_the_other_ones_lease_alone(
    state: StateCollection, clock: Clock, check: str
) -> None:
    with writer_lease(state, wait=0, clock=clock) as lease:
        clock.now += LEASE_SECONDS + 1
        other = writer_lease(state, wait=0, clock=clock)
        lease_of_other = other.__enter__()
        with pytest.raises(IndexLocked, match="expired and was taken"):
            lease() if check == "renew" else lease.confirm()
    lease_of_other()
    with pytest.raises(IndexLocked), writer_lease(state, wait=0, clock=clock):
        pytest.fail("two writers")


def test_a_young_lease_is_not_asked_for_until_it_has_to_be_confirmed(
    qdrant: QdrantServer, state: StateCollection, clock: Clock
) -> None:
    with writer_lease(state, wait=0, clock=clock) as lease:
        asked = len(qdrant.requests)
        lease()
        assert len(qdrant.requests) == asked
        lease.confirm()
        assert len(qdrant.requests) == asked + 1


def test_taking_renewing_and_giving_back_are_ordered_writes(qdrant: QdrantServer, state: StateCollection) -> None:
    orders: list[str] = []
    original = qdrant.write
    qdrant.write = lambda name, node, ordering, action: (  # type: ignore[method-assign]
        orders.append(ordering),
        original(name, node, ordering, action),
    )[1]
    try:
        with writer_lease(state, wait=0):
            pass
    finally:
        qdrant.write = original  # type: ignore[method-assign]
    assert orders == ["medium", "medium"]


# --- dead writers of this machine


def test_the_lease_of_a_process_that_died_here_is_taken_over_at_once(state: StateCollection) -> None:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    lease = ServerLease(state)
    state.make_ready()
    lease._identity |= {"pid": child.pid, "started": process_identity._started(child.pid)}
    assert lease.take()
    with pytest.raises(IndexLocked), writer_lease(state, wait=0):
        pytest.fail("two writers")
    child.kill()
    child.communicate()
    with writer_lease(state, wait=0) as taken:
        taken.confirm()
        with pytest.raises(IndexLocked):
            lease.confirm()


@pytest.mark.parametrize("field", ["boot", "namespace"])
def test_a_process_of_another_boot_or_container_is_never_taken_for_dead(state: StateCollection, field: str) -> None:
    lease = ServerLease(state)
    state.make_ready()
    lease._identity |= {"pid": 2**22 + 1, field: "of another"}
    assert lease.take()
    with pytest.raises(IndexLocked), writer_lease(state, wait=0):
        pytest.fail("two writers")


def test_a_process_id_that_another_process_got_since_is_dead(state: StateCollection) -> None:
    lease = ServerLease(state)
    state.make_ready()
    lease._identity |= {"started": 1}
    assert lease.take()
    with writer_lease(state, wait=0):
        pass


def test_a_lease_that_an_older_version_took_is_waited_for(state: StateCollection) -> None:
    lease = ServerLease(state)
    state.make_ready()
    lease._identity = {"host": lease._identity["host"], "pid": 2**22 + 1}
    assert lease.take()
    with pytest.raises(IndexLocked), writer_lease(state, wait=0):
        pytest.fail("two writers")


# --- failures


def test_a_lease_that_cannot_be_given_back_does_not_hide_why_the_run_failed(
    qdrant: QdrantServer, state: StateCollection, caplog: pytest.LogCaptureFixture
) -> None:
    try:
        with pytest.raises(ValueError, match="the first cause"), writer_lease(state, wait=0):
            qdrant.faults = [Fault("POST .*/points/delete", 400, times=100)]
            raise ValueError("the first cause")
    finally:
        qdrant.faults = []
    assert "was not given back" in caplog.text


def test_a_lease_that_cannot_be_given_back_is_an_error_of_its_own(
    qdrant: QdrantServer, state: StateCollection
) -> None:
    try:
        with pytest.raises(VectorStoreError, match="giving the writer's lease back"), writer_lease(state, wait=0):
            qdrant.faults = [Fault("POST .*/points/delete", 400, times=100)]
    finally:
        qdrant.faults = []
