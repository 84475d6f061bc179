"""The health of a server and a cluster: what `info` and `doctor` show, and what a run on a degraded one says."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ingestion.settings.qdrant import QdrantSettings
from ingestion.vector_stores.server.client import connect
from ingestion.vector_stores.server.generations import ServerGenerations
from tests.support.qdrant_server import KEY, QdrantServer, running
from tests.support.vector_points import SCHEMA, make_point

pytestmark = pytest.mark.filterwarnings("ignore:Payload indexes have no effect:UserWarning")

REPLICATED = QdrantSettings(options={"shard_number": 3, "replication_factor": 2, "write_consistency_factor": 1})


@pytest.fixture
def cluster() -> Iterator[QdrantServer]:
    """Two nodes with an index of eight points on both."""
    with running(QdrantServer(nodes=2)) as server:
        build(generations_on(server))
        yield server


def generations_on(server: QdrantServer, settings: QdrantSettings = REPLICATED) -> ServerGenerations:
    return ServerGenerations(connect(",".join(server.urls), KEY, sleep=lambda _: None), "book", settings)


def build(generations: ServerGenerations) -> None:
    with generations.writer(0) as lease:
        store = generations.create(SCHEMA, lease)
        store.upsert([make_point(number) for number in range(8)])
        generations.activate(store)


def test_a_healthy_cluster_is_shown_with_its_parts_and_no_warning(cluster: QdrantServer) -> None:
    health = generations_on(cluster).health()
    facts = dict(health.facts)
    assert health.version == "1.19.0" and health.warnings == ()
    assert {name: facts[name] for name in ("nodes", "shards", "replicas", "write consistency")} == {
        "nodes": "2",
        "shards": "3",
        "replicas": "2",
        "write consistency": "1",
    }
    assert (facts["strict mode"], facts["points"], facts["replicas of book"]) == ("on", "8", "6 active")
    assert facts["replicas of book_state"] == "2 active" and facts["status"] == "green, optimizer ok"


def test_a_single_server_has_one_node() -> None:
    with running(QdrantServer()) as server:
        build(generations_on(server, QdrantSettings()))
        health = generations_on(server, QdrantSettings()).health()
    assert ("nodes", "1") in health.facts and health.warnings == ()


def test_where_nothing_is_indexed_there_is_still_a_version() -> None:
    with running(QdrantServer()) as server:
        health = generations_on(server).health()
    assert health.version == "1.19.0" and health.warnings == ()


def test_a_lost_node_is_a_warning_for_each_replica_and_a_run_says_so_and_continues(
    cluster: QdrantServer, caplog: pytest.LogCaptureFixture
) -> None:
    cluster.lose(1)
    health = generations_on(cluster).health()
    assert any("cannot be reached" in warning for warning in health.warnings)
    assert "shard 0 of book on node 2 is dead" in health.warnings
    assert "shard 0 of book_state on node 2 is dead" in health.warnings
    generations = generations_on(cluster)
    with generations.writer(0) as lease:
        store = generations.open_active(lease)
        assert store is not None
        store.upsert([make_point(9)])
    assert "the cluster is degraded: shard 0 of book on node 2 is dead" in caplog.text


def test_a_reader_is_not_told_of_a_degraded_cluster(cluster: QdrantServer, caplog: pytest.LogCaptureFixture) -> None:
    cluster.lose(1)
    assert generations_on(cluster).open_active()
    assert "degraded" not in caplog.text


def test_a_missing_index_and_too_few_replicas_of_the_state_are_warnings(cluster: QdrantServer) -> None:
    cluster.collections["book_state"].made.replication_factor = 1
    cluster.collections["book_state"].replicas = [0]
    for name, collection in cluster.collections.items():
        if "__" in name:
            collection.indexed.pop("module")
            collection.strict = None
    warnings = " | ".join(generations_on(cluster).health().warnings)
    assert "collection book has no index on module" in warnings
    assert "collection book is not in strict mode" in warnings
    assert "collection book_state has 1 of 2 replicas" in warnings


def test_settings_that_the_collection_was_not_made_with_are_warnings(cluster: QdrantServer) -> None:
    health = generations_on(cluster, QdrantSettings(options={"shard_number": 4})).health()
    assert any("qdrant.options.shard_number is 3, not 4" in warning for warning in health.warnings)
