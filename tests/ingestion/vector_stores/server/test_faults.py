"""Faults on the way to a server: what is tried again, how long is waited for it, and what is given up."""

from __future__ import annotations

from typing import Any

import grpc
import pytest

from ingestion.errors import PointRefused, VectorStoreError
from ingestion.vector_stores.filters import Where
from ingestion.vector_stores.server.client import ATTEMPTS, ATTEMPTS_TO_CONNECT, Server
from ingestion.vector_stores.server.failures import LONGEST_PAUSE
from ingestion.vector_stores.server.generations import ServerGenerations
from ingestion.vector_stores.server.store import ServerStore
from tests.ingestion.vector_stores.server.test_store import pauses, qdrant, server, store
from tests.support.qdrant_server import Fault, QdrantServer
from tests.support.vector_points import SCHEMA, make_point
from tests.support.waits import LONGEST

__all__ = ["pauses", "qdrant", "server", "store"]

pytestmark = pytest.mark.filterwarnings("ignore:Payload indexes have no effect:UserWarning")


@pytest.mark.parametrize("kind", [503, 500, 429, "drop", "lose", "wait_timeout"])
def test_a_passing_fault_is_tried_again_until_the_write_is_applied(
    qdrant: QdrantServer, store: ServerStore, pauses: list[float], kind: Any
) -> None:
    qdrant.faults = [Fault("PUT .*/points$", kind, times=2)]
    store.upsert([make_point(0), make_point(1)])
    assert store.count(Where()) == 2
    assert len(pauses) == 2
    assert 0.25 <= pauses[0] <= 0.5 <= pauses[1] <= 1.0


def test_a_slow_answer_is_given_up_and_the_write_repeated(
    qdrant: QdrantServer, server: Server, store: ServerStore, pauses: list[float]
) -> None:
    # The client takes whole seconds only.
    http: Any = server.client._client
    client = http.openapi_client.client._client
    client.timeout = 0.05

    def wait(seconds: float) -> None:
        pauses.append(seconds)
        client.timeout = LONGEST

    server.sleep = wait
    qdrant.faults = [Fault("PUT .*/points$", "slow")]
    store.upsert([make_point(0), make_point(1)])
    qdrant.released.set()
    assert store.count(Where()) == 2 and len(pauses) == 1


def test_a_write_of_which_one_request_is_refused_can_be_repeated(qdrant: QdrantServer, store: ServerStore) -> None:
    points = [make_point(number) for number in range(600)]
    qdrant.faults = [Fault("PUT .*/points$", "ok"), Fault("PUT .*/points$", 403)]
    with pytest.raises(VectorStoreError, match="403 ordered by the test"):
        store.upsert(points)
    assert 0 < store.count(Where()) < 600
    store.upsert(points)
    assert store.count(Where()) == 600


def test_of_a_refused_batch_only_the_point_that_is_to_blame_is_left_out(
    qdrant: QdrantServer, store: ServerStore
) -> None:
    points = [make_point(number) for number in range(40)]
    bad = points[17].id
    qdrant.refused_ids = {bad}
    with pytest.raises(PointRefused, match=f"module/05.md, chunk 2 .{bad}.: .*400 .*does not like it"):
        store.upsert(points)
    store.upsert([point for point in points if point.id != bad])
    assert store.count(Where()) == 39
    assert len(qdrant.paths("PUT", "/points")) < 16


def test_a_rate_limit_is_waited_for_as_long_as_the_server_asks(
    qdrant: QdrantServer, store: ServerStore, pauses: list[float]
) -> None:
    qdrant.faults = [Fault("PUT .*/points$", 429, retry_after="7")]
    store.upsert([make_point(0)])
    assert len(pauses) == 1 and 7 <= pauses[0] < 8


def test_a_date_as_retry_after_is_waited_for_like_a_server_error(
    qdrant: QdrantServer, store: ServerStore, pauses: list[float]
) -> None:
    qdrant.faults = [Fault("PUT .*/points$", 429, retry_after="Wed, 21 Oct 2026 07:28:00 GMT")]
    store.upsert([make_point(0)])
    assert len(pauses) == 1 and pauses[0] <= 0.5


def test_a_server_that_asks_for_an_hour_is_not_waited_for(
    qdrant: QdrantServer, store: ServerStore, pauses: list[float]
) -> None:
    qdrant.faults = [Fault("PUT .*/points$", 429, retry_after="3600")]
    with pytest.raises(VectorStoreError, match="writing in collection 'book' failed"):
        store.upsert([make_point(0)])
    assert pauses == []


@pytest.mark.parametrize("status", [400, 403, 404, 409, 422])
def test_a_refusal_is_not_tried_again(
    qdrant: QdrantServer, store: ServerStore, pauses: list[float], status: int
) -> None:
    qdrant.faults = [Fault("PUT .*/points$", status)]
    with pytest.raises(VectorStoreError, match=f"{status} ordered by the test"):
        store.upsert([make_point(0)])
    assert pauses == []
    assert len(qdrant.paths("PUT", "/points")) == 1


def test_the_attempts_are_bounded_and_so_are_the_pauses(
    qdrant: QdrantServer, store: ServerStore, pauses: list[float]
) -> None:
    assert store.count(Where()) == 0
    qdrant.faults = [Fault("PUT .*/points$", "drop", times=1000)]
    host = qdrant.url.removeprefix("http://")
    with pytest.raises(
        VectorStoreError, match=f"Qdrant at {host}: writing in collection 'book' failed: .*QDRANT_URL"
    ):
        store.upsert([make_point(0)])
    assert len(qdrant.paths("PUT", "/points")) == ATTEMPTS == len(pauses) + 1
    assert max(pauses) <= LONGEST_PAUSE


def test_a_lost_answer_to_a_creation_or_a_switch_does_no_harm(qdrant: QdrantServer, server: Server) -> None:
    qdrant.faults = [
        Fault("PUT /collections/[^/]+$", "lose"),
        Fault("POST /collections/aliases", "lose"),
        Fault("DELETE ", "lose"),
    ]
    generations = ServerGenerations(server, "book")
    for _ in range(3):
        generations.activate(generations.create(SCHEMA))
    assert generations.active().schema == SCHEMA
    assert len(qdrant.collections) == 2


class Unavailable(grpc.RpcError):  # type: ignore[misc]
    """What the client raises over gRPC."""

    def __init__(self, status: grpc.StatusCode) -> None:
        self._status = status

    def code(self) -> grpc.StatusCode:
        return self._status


@pytest.mark.parametrize(
    ("status", "calls"), [(grpc.StatusCode.UNAVAILABLE, ATTEMPTS_TO_CONNECT), (grpc.StatusCode.INVALID_ARGUMENT, 1)]
)
def test_the_same_holds_over_grpc(server: Server, status: grpc.StatusCode, calls: int) -> None:
    made: list[int] = []

    def request(client: object) -> None:
        made.append(1)
        raise Unavailable(status)

    with pytest.raises(VectorStoreError, match="searching failed"):
        server.call("searching", request)
    assert len(made) == calls
