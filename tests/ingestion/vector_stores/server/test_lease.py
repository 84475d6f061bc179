"""The writer's lease on a shared server: exactly one has it, and a dead writer's one expires."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import pytest
from qdrant_client import QdrantClient

from ingestion.errors import IndexLocked
from ingestion.vector_stores.server.client import Server
from ingestion.vector_stores.server.lease import LEASE_SECONDS, RENEW_AFTER, writer_lease


class Clock:
    """A clock that a test turns."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def server(clock: Clock) -> Iterator[Server]:
    def sleep(seconds: float) -> None:
        clock.now += seconds

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        client = QdrantClient(":memory:")
        yield Server(client, "memory", sleep=sleep)
        client.close()


def test_a_second_writer_is_refused_and_told_who_writes(server: Server, clock: Clock) -> None:
    with (
        writer_lease(server, "book", wait=0, clock=clock),
        pytest.raises(IndexLocked, match=r"pid \d+ on"),
        writer_lease(server, "book", wait=0, clock=clock),
    ):
        pytest.fail("two writers")


def test_the_lease_is_free_again_after_the_block(server: Server, clock: Clock) -> None:
    for _ in range(3):
        with writer_lease(server, "book", wait=0, clock=clock) as keep:
            keep()


def test_other_collections_have_leases_of_their_own(server: Server, clock: Clock) -> None:
    with writer_lease(server, "one", wait=0, clock=clock), writer_lease(server, "two", wait=0, clock=clock):
        pass


def test_a_dead_writers_lease_expires(server: Server, clock: Clock) -> None:
    dead = writer_lease(server, "book", wait=0, clock=clock)
    dead.__enter__()
    clock.now += LEASE_SECONDS + 1
    with writer_lease(server, "book", wait=0, clock=clock):
        pass


def test_a_writer_that_goes_on_keeps_its_lease(server: Server, clock: Clock) -> None:
    with writer_lease(server, "book", wait=0, clock=clock) as keep:
        for _ in range(20):
            clock.now += RENEW_AFTER
            keep()
        with pytest.raises(IndexLocked), writer_lease(server, "book", wait=0, clock=clock):
            pytest.fail("two writers")


def test_a_writer_that_slept_too_long_learns_that_it_lost_and_does_not_take_the_other_ones_lease_along(
    server: Server, clock: Clock
) -> None:
    with writer_lease(server, "book", wait=0, clock=clock) as keep:
        clock.now += LEASE_SECONDS + 1
        other = writer_lease(server, "book", wait=0, clock=clock)
        keep_other = other.__enter__()
        with pytest.raises(IndexLocked, match="expired and was taken"):
            keep()
    keep_other()
    with pytest.raises(IndexLocked), writer_lease(server, "book", wait=0, clock=clock):
        pytest.fail("two writers")
