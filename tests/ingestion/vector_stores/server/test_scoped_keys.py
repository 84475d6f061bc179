"""Keys that may do less than everything: what they are enough for, and which right is missing for the rest."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from ingestion.errors import VectorStoreError
from ingestion.vector_stores.filters import Equals, Where
from ingestion.vector_stores.server.client import connect
from ingestion.vector_stores.server.generations import ServerGenerations
from tests.support.qdrant_access import token
from tests.support.qdrant_server import KEY, QdrantServer, running
from tests.support.vector_points import SCHEMA, make_point, unit_vector

pytestmark = pytest.mark.filterwarnings("ignore:Payload indexes have no effect:UserWarning")


@pytest.fixture
def qdrant() -> Iterator[QdrantServer]:
    """An index of eight points, made with the server's own key."""
    with running(QdrantServer(read_only_key="reader")) as server:
        generations = generations_with(server, KEY)
        with generations.writer(0) as lease:
            store = generations.create(SCHEMA, lease)
            store.upsert([make_point(number) for number in range(8)])
            generations.activate(store)
        yield server


def generations_with(server: QdrantServer, key: str) -> ServerGenerations:
    return ServerGenerations(connect(server.url, key), "book")


def scoped(**collections: str) -> str:
    """A token for these collections, `r` or `rw`."""
    access: list[dict[str, Any]] = [{"collection": name, "access": mode} for name, mode in collections.items()]
    return token(KEY, {"access": access})


@pytest.mark.parametrize("key", ["reader", scoped(book="r")])
def test_a_key_that_reads_the_alias_is_enough_for_readers(qdrant: QdrantServer, key: str) -> None:
    generations = generations_with(qdrant, key)
    assert generations.active().schema == SCHEMA
    store = generations.open_active()
    assert store is not None
    where = Where((Equals("book_id", "robots"),))
    assert store.count(where) == 8 and store.values("book_id", Where()) == {"robots": 8}
    near, _ = store.search(dense=unit_vector(3), sparse=None, where=where, limit=1)
    assert near[0].id == make_point(3).id and store.retrieve([near[0].id])


def test_a_token_for_the_generation_and_the_state_writes(qdrant: QdrantServer) -> None:
    generation = next(name for name in qdrant.collections if "__" in name)
    generations = generations_with(qdrant, scoped(book="rw", book_state="rw", **{generation: "rw"}))
    with generations.writer(0) as lease:
        store = generations.open_active(lease)
        assert store is not None
        store.upsert([make_point(9)])
        store.delete(Where((Equals("source_file", "docs/module/00.md"),)))
        assert store.count(Where()) == 6


def test_what_needs_rights_on_the_whole_server_names_them(qdrant: QdrantServer) -> None:
    generation = next(name for name in qdrant.collections if "__" in name)
    generations = generations_with(qdrant, scoped(book="rw", book_state="rw", **{generation: "rw"}))
    with (
        generations.writer(0) as lease,
        pytest.raises(VectorStoreError, match=r"403 .*need a key with manage access to the whole server"),
    ):
        generations.create(SCHEMA, lease)


@pytest.mark.parametrize("key", ["reader", scoped(book="r", book_state="r")])
def test_a_writer_with_a_key_that_may_only_read_is_told(qdrant: QdrantServer, key: str) -> None:
    with (
        pytest.raises(VectorStoreError, match=r"taking the writer's lease failed: 403 Forbidden"),
        generations_with(qdrant, key).writer(0),
    ):
        pytest.fail("it may not write")


def test_a_key_for_something_else_is_told_what_it_does_not_cover(qdrant: QdrantServer) -> None:
    with pytest.raises(VectorStoreError, match=r"Access to collection book is required; the key .* does not cover"):
        generations_with(qdrant, scoped(other="r")).open_active()


def test_a_reader_that_may_not_add_an_index_is_warned_and_reads(
    qdrant: QdrantServer, caplog: pytest.LogCaptureFixture
) -> None:
    for collection in qdrant.collections.values():
        collection.indexed.pop("language", None)
    store = generations_with(qdrant, "reader").open_active()
    assert store is not None and store.count(Where()) == 8
    assert "has no index on 'language', and this key may not add it" in caplog.text


def test_the_health_says_what_a_key_may_not_see(qdrant: QdrantServer) -> None:
    health = generations_with(qdrant, scoped(book="r")).health()
    assert ("points", "8") in health.facts
    assert "the key may not see the cluster" in health.warnings
    assert "the key may not see book_state" in health.warnings
