"""What only the server store promises: limits, keys, versions and foreign collections."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest

from ingestion.errors import ConfigurationError, PointRefused, VectorStoreError
from ingestion.vector_stores.filters import Equals, Where
from ingestion.vector_stores.server.client import Server, connect
from ingestion.vector_stores.server.generations import ServerGenerations
from ingestion.vector_stores.server.store import ServerStore
from tests.support.qdrant_server import KEY, QdrantServer, running
from tests.support.vector_points import SCHEMA, make_point

pytestmark = pytest.mark.filterwarnings("ignore:Payload indexes have no effect:UserWarning")


@pytest.fixture
def qdrant() -> Iterator[QdrantServer]:
    with running(QdrantServer()) as server:
        yield server


@pytest.fixture
def pauses() -> list[float]:
    """The pauses that were made, in seconds; nobody waits for them."""
    return []


@pytest.fixture
def server(qdrant: QdrantServer, pauses: list[float]) -> Server:
    return connect(qdrant.url, KEY, sleep=pauses.append)


@pytest.fixture
def store(qdrant: QdrantServer, server: Server) -> ServerStore:
    """A store over an empty collection that was made on the spot."""
    dense = {"dense": {"size": SCHEMA.dimensions, "distance": "Cosine"}}
    sparse = {"bm25": {"modifier": "idf"}}
    qdrant.answer("PUT", "/collections/book", {"vectors": dense, "sparse_vectors": sparse})
    return ServerStore(server, "book", SCHEMA)


@pytest.fixture
def active(server: Server) -> ServerStore:
    """The active generation, empty."""
    generations = ServerGenerations(server, "book")
    generations.activate(generations.create(SCHEMA))
    store = generations.open_active()
    assert store is not None
    return store


# --- limits


def test_a_write_is_cut_where_the_request_would_be_too_large(
    qdrant: QdrantServer, server: Server, store: ServerStore
) -> None:
    limited = ServerStore(server, "book", SCHEMA, request_bytes=20_000)
    text = "é" * 2_500
    limited.upsert([make_point(number, extra=text) for number in range(7)])
    limited.set_payloads({make_point(number).id: {"extra": text} for number in range(7)})
    writes = [size for (_, path, _), size in zip(qdrant.requests, qdrant.sizes, strict=True) if "/points" in path]
    assert sorted(len(body["points"]) for body in qdrant.paths("PUT", "/points")) == [1, 3, 3]
    assert sorted(len(body["operations"]) for body in qdrant.paths("POST", "/points/batch")) == [1, 3, 3]
    assert 15_000 < max(writes) < 20_000


def test_a_write_is_cut_at_so_many_points(qdrant: QdrantServer, store: ServerStore) -> None:
    store.upsert([make_point(number) for number in range(300)])
    assert sorted(len(body["points"]) for body in qdrant.paths("PUT", "/points")) == [44, 256]


def test_a_point_that_no_request_holds_fails_its_lesson_before_anything_is_sent(
    qdrant: QdrantServer, store: ServerStore
) -> None:
    with pytest.raises(PointRefused, match="40 MiB, a request holds 30 MiB") as caught:
        store.upsert([make_point(0), make_point(1, extra="x" * (40 << 20))])
    assert caught.value.source_file == "docs/module/00.md"
    assert qdrant.paths("PUT", "/points") == []


# --- connecting


def test_a_wrong_key_is_named_but_never_shown(qdrant: QdrantServer) -> None:
    generations = ServerGenerations(connect(qdrant.url, "wr0ng-key"), "book")
    with pytest.raises(VectorStoreError, match=r"401 Invalid API key or JWT; check QDRANT_API_KEY") as caught:
        generations.open_active()
    assert "wr0ng-key" not in str(caught.value)


def test_a_key_over_plain_http_is_warned_of_except_on_this_machine(
    qdrant: QdrantServer, caplog: pytest.LogCaptureFixture, pauses: list[float]
) -> None:
    connect(qdrant.url, KEY)
    assert "unencrypted" not in caplog.text
    with caplog.at_level(logging.WARNING):
        connect("http://127.0.0.2:1", KEY, sleep=pauses.append)
    assert "unencrypted" in caplog.text and KEY not in caplog.text


def test_a_server_that_is_not_there_is_found_out_within_seconds(pauses: list[float]) -> None:
    with pytest.raises(VectorStoreError, match=r"Qdrant at 127\.0\.0\.1:1: .* failed: .*is the server running"):
        ServerGenerations(connect("http://127.0.0.1:1", sleep=pauses.append), "book").open_active()
    assert pauses and sum(pauses) < 3


def test_a_server_that_is_too_old_is_refused(qdrant: QdrantServer) -> None:
    qdrant.version = "1.16.3"
    generations = ServerGenerations(connect(qdrant.url, KEY), "book")
    with (
        pytest.raises(VectorStoreError, match=r"is version 1\.16\.3; 1\.17 or newer is needed"),
        generations.writer(0),
    ):
        pytest.fail("it was written")


@pytest.mark.parametrize("url", ["ftp://host", "http://host:port", "http://[::1"])
def test_a_url_that_cannot_be_used_is_a_configuration_error(url: str) -> None:
    with pytest.raises(ConfigurationError, match="QDRANT_URL"):
        connect(url)


# --- collections


def test_every_payload_index_is_made_before_the_load_with_its_type(qdrant: QdrantServer, active: ServerStore) -> None:
    active.upsert([make_point(0)])
    made = {body["field_name"]: body["field_schema"] for body in qdrant.paths("PUT", "/index")}
    assert made["book_id"] == {"type": "keyword", "is_tenant": True}
    assert made["module"] == {"type": "keyword", "enable_hnsw": False}
    assert made["chapter"] == {"type": "integer", "lookup": True, "range": True, "enable_hnsw": False}
    order = [path.rpartition("/")[2] for verb, path, _ in qdrant.requests if verb == "PUT"]
    assert order == [order[0], *["index"] * len(made), "points"]


def test_a_collection_is_made_strict_and_says_how_its_vectors_were_made(
    qdrant: QdrantServer, active: ServerStore
) -> None:
    (created,) = [body for verb, path, body in qdrant.requests if verb == "PUT" and path.count("/") == 2]
    assert created["strict_mode_config"] == {
        "enabled": True,
        "unindexed_filtering_retrieve": False,
        "unindexed_filtering_update": False,
    }
    assert created["metadata"] == {"bookwise": {"format": 1, "embedding": "fake/1", "dimensions": 8}}
    assert created["vectors"] == {"dense": {"size": 8, "distance": "Cosine"}}
    assert created["sparse_vectors"] == {"bm25": {"modifier": "idf"}}


def test_an_index_that_a_collection_lacks_is_added_when_it_is_opened(
    qdrant: QdrantServer, server: Server, active: ServerStore
) -> None:
    for collection in qdrant.collections.values():
        collection.indexed.pop("module", None)
    with pytest.raises(VectorStoreError, match='Index required but not found for "module"'):
        active.count(Where((Equals("module", "ros2"),)))
    reopened = ServerGenerations(server, "book").open_active()
    assert reopened is not None
    assert reopened.count(Where((Equals("module", "ros2"),))) == 0


def test_an_index_of_another_type_is_reported(qdrant: QdrantServer, server: Server, active: ServerStore) -> None:
    for collection in qdrant.collections.values():
        collection.indexed["chapter"] = {"type": "keyword"}
    with pytest.raises(VectorStoreError, match=r"indexes 'chapter' as keyword, not as integer; .* --mode recreate"):
        ServerGenerations(server, "book").open_active()


@pytest.mark.parametrize("alias", [None, "book"])
def test_a_collection_that_bookwise_did_not_make_is_never_used(
    qdrant: QdrantServer, server: Server, alias: str | None
) -> None:
    name = "theirs" if alias else "book"
    qdrant.answer("PUT", f"/collections/{name}", {"vectors": {}})
    if alias:
        create = {"create_alias": {"collection_name": name, "alias_name": alias}}
        qdrant.answer("POST", "/collections/aliases", {"actions": [create]})
    with pytest.raises(VectorStoreError, match=r"did not make|does not say how its vectors were made"):
        ServerGenerations(server, "book").open_active()
    assert name in qdrant.collections


def test_readers_follow_the_alias_to_a_new_generation(server: Server, active: ServerStore) -> None:
    active.upsert([make_point(0)])
    generations = ServerGenerations(server, "book")
    created = generations.create(SCHEMA)
    created.upsert([make_point(1), make_point(2)])
    assert active.count(Where()) == 1
    generations.activate(created)
    assert active.count(Where()) == 2
