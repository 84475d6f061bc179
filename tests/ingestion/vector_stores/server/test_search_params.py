"""How dense vectors are searched: exactly where few points match, with ACORN where many do, told by `--explain`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from ingestion.settings.qdrant import QdrantSettings
from ingestion.vector_stores.filters import AnyOf, Equals, HasId, Range, Where
from ingestion.vector_stores.server import search_params
from ingestion.vector_stores.server.client import connect
from ingestion.vector_stores.server.generations import ServerGenerations
from ingestion.vector_stores.server.store import ServerStore
from tests.support.qdrant_server import KEY, QdrantServer, running
from tests.support.vector_points import SCHEMA, make_point, unit_vector

pytestmark = pytest.mark.filterwarnings("ignore:Payload indexes have no effect:UserWarning")

BOOK = Where((Equals("book_id", "robots"),))
NARROW = Where((Equals("book_id", "robots"), AnyOf("module", ("ros2",)), Range("hardware_tier", lte=2)))


@pytest.fixture
def qdrant() -> Iterator[QdrantServer]:
    with running(QdrantServer()) as server:
        yield server


def opened(qdrant: QdrantServer, settings: QdrantSettings | None = None) -> ServerStore:
    generations = ServerGenerations(connect(qdrant.url, KEY), "book", settings)
    store = generations.create(SCHEMA)
    store.upsert([make_point(number) for number in range(24)])
    generations.activate(store)
    active = generations.open_active()
    assert active is not None
    qdrant.requests.clear()
    return active


def sent(qdrant: QdrantServer, store: ServerStore, where: Where) -> Any:
    store.search(dense=unit_vector(1), sparse=None, where=where, limit=3)
    return qdrant.paths("POST", "/points/query/batch")[-1]["searches"][0].get("params")


@pytest.fixture
def ten_points(monkeypatch: pytest.MonkeyPatch) -> None:
    """Collections of more than ten points count as large."""
    monkeypatch.setattr(search_params, "EXACT_NUMBERS", 10 * SCHEMA.dimensions)


@pytest.mark.parametrize("where", [Where(), BOOK, NARROW])
def test_a_small_collection_is_searched_exactly_and_never_counted(qdrant: QdrantServer, where: Where) -> None:
    store = opened(qdrant)
    assert sent(qdrant, store, where) == {"exact": True}
    assert qdrant.paths("POST", "/points/count") == []
    assert store.search_method(where) == "exact search of the vectors of 24 points"


@pytest.mark.usefixtures("ten_points")
def test_in_a_large_one_few_matching_points_are_searched_exactly_and_many_with_acorn(qdrant: QdrantServer) -> None:
    store = opened(qdrant)
    assert 0 < store.count(NARROW) <= 10
    assert sent(qdrant, store, NARROW) == {"exact": True}
    assert sent(qdrant, store, BOOK) == {"acorn": {"enable": True, "max_selectivity": 1.0}}
    assert sent(qdrant, store, Where()) is None
    assert store.search_method(BOOK) == "graph search with ACORN among 24 points"


@pytest.mark.usefixtures("ten_points")
def test_codes_are_rescored_in_the_graph(qdrant: QdrantServer) -> None:
    store = opened(qdrant, QdrantSettings(options={"quantization_config": {"scalar": {"type": "int8"}}}))
    rescored = {"rescore": True, "oversampling": 2.0}
    assert sent(qdrant, store, Where()) == {"quantization": rescored}
    assert sent(qdrant, store, BOOK)["quantization"] == rescored
    assert store.search_method(Where()) == "graph search among 24 points, quantized and rescored"


@pytest.mark.usefixtures("ten_points")
def test_a_filter_is_counted_once_for_an_open_index(qdrant: QdrantServer) -> None:
    store = opened(qdrant)
    for _ in range(3):
        sent(qdrant, store, NARROW)
    assert len(qdrant.paths("POST", "/points/count")) == 1


def test_a_condition_that_must_and_must_not_hold_is_answered_with_nothing_and_not_asked(
    qdrant: QdrantServer,
) -> None:
    store = opened(qdrant)
    ids = (make_point(1).id,)
    for where in (
        Where(BOOK.must, BOOK.must),
        Where((HasId(ids),), (HasId(ids),)),
        Where(NARROW.must, (Equals("layer", "L1"), NARROW.must[2])),
    ):
        assert store.count(where) == 0 and list(store.scroll(where)) == [] and store.values("module", where) == {}
        assert store.search(dense=unit_vector(1), sparse=None, where=where, limit=3) == ([], [])
        assert store.rarity([1], where) == {}
        store.delete(where)
    assert qdrant.requests == []
    assert store.count(Where()) == 24
