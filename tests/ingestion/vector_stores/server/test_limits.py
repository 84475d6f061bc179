"""Limits of strict mode: each is kept, or named in one sentence before anything is written."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from qdrant_client import models as rest

from ingestion.errors import VectorStoreError
from ingestion.models import IngestionState
from ingestion.settings.qdrant import QdrantSettings
from ingestion.vector_stores.bm25 import query_vector
from ingestion.vector_stores.filters import PAYLOAD_INDEXES, AnyOf, Equals, HasId, Where
from ingestion.vector_stores.server.client import connect
from ingestion.vector_stores.server.generations import ServerGenerations
from ingestion.vector_stores.server.limits import limits_of
from ingestion.vector_stores.server.store import ServerStore
from tests.support.qdrant_server import KEY, QdrantServer, running
from tests.support.vector_points import SCHEMA, make_point, unit_vector

pytestmark = pytest.mark.filterwarnings("ignore:Payload indexes have no effect:UserWarning")

POINTS = [make_point(number) for number in range(24)]
BOOK = Where((Equals("book_id", "robots"),))


@contextmanager
def server_with(**limits: Any) -> Iterator[tuple[QdrantServer, ServerGenerations]]:
    with running(QdrantServer()) as server:
        server.limits = limits
        yield (
            server,
            ServerGenerations(
                connect(server.url, KEY),
                "book",
                QdrantSettings(options={"quantization_config": {"scalar": {"type": "int8"}}}),
            ),
        )


def everything(store: ServerStore) -> tuple[Any, ...]:
    """What all kinds of requests of a store answer."""
    ids = tuple(point.id for point in POINTS)
    near, worded = store.search(dense=unit_vector(1), sparse=query_vector("node"), where=BOOK, limit=3)
    return (
        sorted(point.id for point in store.scroll(BOOK)),
        store.count(BOOK),
        store.values("module", BOOK),
        store.values("lesson", BOOK),
        sorted(store.retrieve(ids)),
        store.count(Where((HasId(ids),))),
        store.count(Where((*BOOK.must, AnyOf("lesson", tuple(range(20)))), (AnyOf("chapter", (7, 8, 9)),))),
        near,
        # Of equal scores beyond its limit the server chooses.
        [hit.score for hit in worded],
        store.rarity(query_vector("node topic graph").indices, BOOK),
    )


@pytest.fixture(scope="module")
def unlimited() -> tuple[Any, ...]:
    with server_with() as (_, generations):
        store = generations.create(SCHEMA)
        store.upsert(POINTS)
        return everything(store)


@pytest.mark.parametrize(
    "limits",
    [
        {"max_query_limit": 5},
        {"search_allow_exact": False},
        {"search_allow_exact": False, "max_query_limit": 5},
        {"upsert_max_batchsize": 3},
        {"search_max_batchsize": 2},
        {"condition_max_size": 4},
        {"search_max_oversampling": 1.5},
        {"filter_max_conditions": 12},
        {"max_payload_index_count": len(PAYLOAD_INDEXES)},
    ],
    ids=lambda limits: "+".join(limits),
)
def test_a_store_answers_the_same_within_the_limits_of_the_server(
    limits: dict[str, Any], unlimited: tuple[Any, ...]
) -> None:
    with server_with(**limits) as (_, generations):
        store = generations.create(SCHEMA)
        with generations.loading(store, len(POINTS)):
            store.upsert(POINTS)
        assert everything(store) == unlimited
        generations.activate(store)
        opened = generations.open_active()
        assert opened is not None and opened.count(BOOK) == len(POINTS)
        opened.delete(Where((HasId(tuple(point.id for point in POINTS)),)))
        assert opened.count(Where()) == 0


@pytest.mark.parametrize("limits", [{"max_query_limit": 5}, {"search_allow_exact": False}])
def test_records_on_the_server_are_read_within_its_limits(limits: dict[str, Any]) -> None:
    with server_with(**limits) as (_, generations):
        for book in ("one", "two"):
            with generations.writer(0):
                generations.states().save(IngestionState(book_id=book, collection_name="book"))
        assert ServerGenerations(connect(_.url, KEY), "book").states().books() == ["one", "two"]


@pytest.mark.parametrize(
    ("limits", "points", "sentence"),
    [
        ({"max_payload_index_count": 3}, 1, "max_payload_index_count is 3"),
        ({"filter_max_conditions": 2}, 1, "filter_max_conditions is 2"),
        ({"max_points_count": 10}, 24, "max_points_count is 10; the index will have 24 points"),
        ({"max_collection_vector_size_bytes": 64}, 24, "max_collection_vector_size_bytes is 64"),
    ],
)
def test_what_cannot_work_is_said_before_a_point_is_written(
    limits: dict[str, Any], points: int, sentence: str
) -> None:
    with (
        server_with(**limits) as (server, generations),
        pytest.raises(VectorStoreError, match=sentence),
        generations.loading(generations.create(SCHEMA), points),
    ):
        raise AssertionError("the load began")
    assert not server.paths("PUT", "/points")


def test_a_plan_and_the_doctor_name_a_limit_of_the_index_in_use() -> None:
    with server_with(max_points_count=30) as (_, generations):
        store = generations.create(SCHEMA)
        store.upsert(POINTS)
        generations.activate(store)
        assert generations.refusals(25) == []
        assert "max_points_count is 30; the index will have 31 points" in generations.refusals(31)[0]
    with server_with(search_allow_exact=False) as (_, generations):
        generations.activate(generations.create(SCHEMA))
        assert any("search_allow_exact is false" in warning for warning in generations.health().warnings)


def test_a_collection_that_is_not_strict_sets_no_limits() -> None:
    assert limits_of(rest.StrictModeConfig(enabled=False, max_query_limit=1)) == limits_of(None)


def test_more_values_than_one_request_tells_are_counted_all_the_same() -> None:
    with server_with(max_query_limit=2) as (server, generations):
        store = generations.create(SCHEMA)
        store.upsert(POINTS)
        counted = store.values("parent_doc_id", BOOK)
        assert len(counted) > 2 and sum(counted.values()) == len(POINTS)
        assert all(body["limit"] <= 2 for body in server.paths("POST", "/points/scroll"))
