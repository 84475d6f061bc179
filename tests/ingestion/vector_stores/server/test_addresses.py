"""Several addresses of one cluster: the next one is used where one is gone, for reading and for writing."""

from __future__ import annotations

import logging
import socket
from collections.abc import Iterator

import pytest

from ingestion.errors import ConfigurationError, VectorStoreError
from ingestion.settings.loader import load_settings
from ingestion.settings.qdrant import QdrantSettings, addresses
from ingestion.vector_stores.filters import Where
from ingestion.vector_stores.server.client import connect
from ingestion.vector_stores.server.generations import ServerGenerations
from tests.support.qdrant_server import KEY, Fault, QdrantServer, running
from tests.support.vector_points import SCHEMA, make_point

pytestmark = pytest.mark.filterwarnings("ignore:Payload indexes have no effect:UserWarning")

REPLICATED = QdrantSettings(options={"replication_factor": 2, "write_consistency_factor": 1})


@pytest.fixture
def cluster() -> Iterator[QdrantServer]:
    with running(QdrantServer(nodes=2)) as server:
        yield server


def generations_on(urls: list[str], pauses: list[float]) -> ServerGenerations:
    return ServerGenerations(connect(",".join(urls), KEY, REPLICATED, sleep=pauses.append), "book", REPLICATED)


def test_the_addresses_are_read_from_one_setting() -> None:
    settings = load_settings({}, environ={"QDRANT_URL": "http://a:6333/, https://b:6333"})
    assert settings.qdrant.url == "http://a:6333,https://b:6333"
    assert addresses(settings.qdrant.url) == ("http://a:6333", "https://b:6333")
    with pytest.raises(ConfigurationError, match="QDRANT_URL"):
        load_settings({}, environ={"QDRANT_URL": "http://a:6333,nothing"})


@pytest.mark.parametrize("lost", [0, 1])
def test_a_run_and_a_reader_continue_when_a_node_is_lost(cluster: QdrantServer, lost: int) -> None:
    pauses: list[float] = []
    generations = generations_on(cluster.urls, pauses)
    with generations.writer(0) as lease:
        store = generations.create(SCHEMA, lease)
        store.upsert([make_point(number) for number in range(300)])
        cluster.lose(lost)
        store.upsert([make_point(number) for number in range(300, 600)])
        generations.activate(store)
    reader = generations_on(cluster.urls, pauses).open_active()
    assert reader is not None and reader.count(Where()) == 600
    assert pauses == [], "the other node is asked at once"
    cluster.bring_back(lost)
    cluster.lose(1 - lost)
    again = generations_on(cluster.urls, pauses).open_active()
    assert again is not None and again.count(Where()) == 600


def test_the_lost_node_is_named_once_and_not_asked_again(
    cluster: QdrantServer, caplog: pytest.LogCaptureFixture
) -> None:
    generations = generations_on(cluster.urls, [])
    store = generations.create(SCHEMA)
    cluster.lose(0)
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            store.count(Where())
    assert caplog.text.count("; using 127.0.0.1:") == 1


def test_an_address_where_nobody_listens_costs_no_pause(cluster: QdrantServer) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        nobody = f"http://127.0.0.1:{unused.getsockname()[1]}"
        pauses: list[float] = []
        assert generations_on([nobody, cluster.urls[0]], pauses).open_active() is None
    assert pauses == []


def test_where_every_address_is_gone_the_error_names_one_and_comes_soon(cluster: QdrantServer) -> None:
    cluster.lose(0)
    cluster.lose(1)
    pauses: list[float] = []
    with pytest.raises(VectorStoreError, match=r"Qdrant at 127\.0\.0\.1:\d+: .*is the server running"):
        generations_on(cluster.urls, pauses).open_active()
    assert len(pauses) == 2


def test_a_refusal_is_not_asked_of_the_next_node(cluster: QdrantServer) -> None:
    generations = generations_on(cluster.urls, [])
    store = generations.create(SCHEMA)
    cluster.requests.clear()
    cluster.faults = [Fault("/points/count", 400, times=10)]
    with pytest.raises(VectorStoreError, match="400"):
        store.count(Where())
    assert len(cluster.requests) == 1


def test_an_index_of_one_replica_is_gone_with_its_node_and_the_state_is_not(cluster: QdrantServer) -> None:
    """What `replication_factor = 2` changes: the records and the lease outlive a node as the chunks do."""
    generations = generations_on(cluster.urls, [])
    with generations.writer(0):
        pass
    assert cluster.collections["book_state"].replicas in ([0, 1], [1, 0])
    for node in (0, 1):
        cluster.lose(node)
        with generations.writer(0):
            pass
        cluster.bring_back(node)
