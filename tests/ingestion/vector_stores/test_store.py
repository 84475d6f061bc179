"""What every vector store promises to readers, on the embedded engine, the contract server and a real one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingestion.vector_stores.bm25 import query_vector
from ingestion.vector_stores.edge.generations import EdgeGenerations
from ingestion.vector_stores.filters import AnyOf, Condition, Equals, HasId, Range, Where
from ingestion.vector_stores.protocol import Generations, VectorStore
from ingestion.vector_stores.server.client import connect
from ingestion.vector_stores.server.generations import ServerGenerations
from ingestion.vector_stores.types import Point, SparseVector
from tests.support.fakes import matches
from tests.support.qdrant_server import KEY, QdrantServer, running
from tests.support.real_qdrant import real_server
from tests.support.vector_points import SCHEMA, index_directory, make_point, point_id, unit_vector

pytestmark = pytest.mark.filterwarnings("ignore:Payload indexes have no effect:UserWarning")


POINTS = [make_point(number, book=book) for book in ("robots", "ros") for number in range(24)]
IDS = [point.id for point in POINTS]

Engine = Callable[[str], Generations]


@pytest.fixture(scope="module", params=["edge", "http", "real"])
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    """Opens the generations of a named collection."""
    with ExitStack() as stack:
        if request.param == "edge":
            directory = stack.enter_context(index_directory())
            yield lambda name: EdgeGenerations(directory / name)
        elif request.param == "http":
            server = stack.enter_context(running(QdrantServer()))
            yield lambda name: ServerGenerations(connect(server.url, KEY), name)
        else:
            yield stack.enter_context(real_server())


@pytest.fixture(scope="module")
def filled(engine: Engine) -> Iterator[VectorStore]:
    """A store with POINTS, which no test changes."""
    with closing(engine("filled").create(SCHEMA)) as store:
        store.upsert(POINTS)
        yield store


@pytest.fixture(scope="module")
def scratch(engine: Engine) -> Iterator[VectorStore]:
    with closing(engine("scratch").create(SCHEMA)) as store:
        yield store


@pytest.fixture
def store(scratch: VectorStore) -> VectorStore:
    """An empty store."""
    empty(scratch)
    return scratch


def empty(store: VectorStore) -> None:
    if ids := ids_in(store):
        store.delete(Where((HasId(tuple(ids)),)))


def ids_in(store: VectorStore, where: Where | None = None) -> list[str]:
    return [point.id for point in store.scroll(where or Where(), fields=[])]


# --- reading


def test_a_scroll_gives_every_point_once_in_id_order(filled: VectorStore) -> None:
    assert ids_in(filled) == sorted(IDS)


def test_a_scroll_gives_the_fields_asked_for(filled: VectorStore) -> None:
    for point in filled.scroll(Where((HasId((IDS[0],)),)), fields=["module", "chunk_index", "absent"]):
        assert point.payload == {"module": "ros2", "chunk_index": 0}
        assert point.dense is None and point.sparse is None


def test_payload_and_vectors_come_back_as_written(filled: VectorStore) -> None:
    found = filled.retrieve(IDS[:3], vectors=True)
    for point in POINTS[:3]:
        stored = found[point.id]
        assert stored.payload == point.payload
        assert stored.dense is not None and stored.dense.dtype == np.float32
        np.testing.assert_allclose(stored.dense, point.dense, atol=1e-6)
        assert stored.sparse is not None and stored.sparse.indices == point.sparse.indices
        np.testing.assert_allclose(stored.sparse.values, point.sparse.values, rtol=1e-6)


def test_the_rarity_of_a_term_is_what_makes_its_weight_its_score(filled: VectorStore) -> None:
    point = POINTS[0]
    where = Where((Equals("book_id", point.payload["book_id"]),))
    rarity = filled.rarity(point.sparse.indices, where)
    assert set(rarity) == set(point.sparse.indices)
    for term, weight in zip(point.sparse.indices, point.sparse.values, strict=True):
        only = Where((*where.must, HasId((point.id,))))
        [hit] = filled.search(dense=None, sparse=SparseVector((term,), (1.0,)), where=only, limit=1)[1]
        assert hit.score == pytest.approx(weight * rarity[term], rel=1e-4)


def test_a_term_that_no_matching_point_has_has_no_rarity(filled: VectorStore) -> None:
    assert filled.rarity([7], Where()) == filled.rarity([], Where()) == {}
    nowhere = Where((Equals("book_id", "nowhere"),))
    assert filled.rarity(POINTS[0].sparse.indices, nowhere) == {}


def test_the_rarity_of_a_term_follows_what_is_written(store: VectorStore) -> None:
    [term] = query_vector("gripper").indices
    store.upsert([make_point(number) for number in range(9)])
    assert store.rarity([term], Where()) == {}
    store.upsert([make_point(0, text="The gripper closes.")])
    rare = store.rarity([term], Where())[term]
    store.upsert([make_point(number, text="A gripper opens.") for number in range(1, 5)])
    assert 0 < store.rarity([term], Where())[term] < rare
    store.delete(Where((AnyOf("book_id", ("robots",)),)))
    assert store.rarity([term], Where()) == {}


def test_a_value_of_null_stays_a_value(store: VectorStore) -> None:
    store.upsert([make_point(0, chapter=None)])
    assert store.retrieve([make_point(0).id])[make_point(0).id].payload["chapter"] is None


def test_retrieve_passes_over_ids_that_are_not_there(filled: VectorStore) -> None:
    assert set(filled.retrieve([IDS[0], point_id("nowhere")])) == {IDS[0]}
    assert filled.retrieve([]) == {}


def test_values_are_counted_exactly_also_those_of_lists(filled: VectorStore) -> None:
    robots = Where((Equals("book_id", "robots"),))
    assert filled.values("book_id", Where()) == {"robots": 24, "ros": 24}
    assert filled.values("module", robots) == {"gazebo": 9, "isaac": 6, "ros2": 9}
    assert filled.values("proficiency_levels", robots) == {"A2": 12, "B1": 24}
    assert filled.values("module", Where((Equals("book_id", "absent"),))) == {}


# --- filters

words = st.sampled_from(["robots", "ros", "ros2", "gazebo", "isaac", "A2", "B1", "docs/module/03.md", "", "absent"])
word_fields = st.sampled_from(["book_id", "module", "proficiency_levels", "source_file"])
numbers = st.integers(-1, 5)
number_fields = st.sampled_from(["chapter", "lesson", "hardware_tier"])
conditions: st.SearchStrategy[Condition] = st.one_of(
    st.builds(Equals, word_fields, words),
    st.builds(Equals, number_fields, numbers),
    st.builds(AnyOf, word_fields, st.lists(words, min_size=1, max_size=3).map(tuple)),
    st.builds(AnyOf, number_fields, st.lists(numbers, min_size=1, max_size=3).map(tuple)),
    st.builds(Range, number_fields, gte=numbers, lte=numbers),
    st.builds(Range, number_fields, gte=numbers),
    st.builds(Range, number_fields, lte=numbers),
    st.builds(HasId, st.lists(st.sampled_from([*IDS, point_id("nowhere")]), min_size=1, max_size=30).map(tuple)),
)
filters = st.builds(Where, st.lists(conditions, max_size=3).map(tuple), st.lists(conditions, max_size=2).map(tuple))


@given(where=filters)
@settings(max_examples=40, deadline=None)
def test_a_filter_means_what_it_means_in_plain_python(filled: VectorStore, where: Where) -> None:
    expected = sorted(point.id for point in POINTS if matches(point.id, point.payload, where))
    assert ids_in(filled, where) == expected
    assert filled.count(where) == len(expected)


@given(where=filters, limit=st.integers(1, 60))
@settings(max_examples=20, deadline=None)
def test_a_search_stays_inside_its_filter(filled: VectorStore, where: Where, limit: int) -> None:
    dense, _ = filled.search(dense=unit_vector(3), sparse=None, where=where, limit=limit)
    inside = {point.id for point in POINTS if matches(point.id, point.payload, where)}
    assert len(dense) == min(limit, len(inside))
    assert {hit.id for hit in dense} <= inside


# --- search


def test_dense_scores_are_cosines_best_first(filled: VectorStore) -> None:
    dense, sparse = filled.search(dense=unit_vector(3), sparse=None, where=Where(), limit=48)
    cosines = {point.id: float(point.dense @ unit_vector(3)) for point in POINTS}
    assert sparse == []
    assert [hit.id for hit in dense[:2]] == sorted(
        point.id for point in POINTS if point.dense @ unit_vector(3) > 0.99
    )
    assert [hit.score for hit in dense] == sorted((hit.score for hit in dense), reverse=True)
    for hit in dense:
        assert hit.score == pytest.approx(cosines[hit.id], abs=1e-5)


def test_a_keyword_search_finds_only_what_holds_a_term_rarest_terms_first(store: VectorStore) -> None:
    texts = ["the gripper opens", "the gripper and the lidar", "a camera", "a gripper"]
    points = [make_point(number, text=text) for number, text in enumerate(texts)]
    store.upsert(points)
    dense, sparse = store.search(dense=None, sparse=query_vector("lidar of the gripper"), where=Where(), limit=10)
    assert dense == []
    assert sparse[0].id == points[1].id
    assert {hit.id for hit in sparse} == {points[0].id, points[1].id, points[3].id}


def test_a_question_without_terms_finds_nothing_by_keyword(filled: VectorStore) -> None:
    assert filled.search(dense=None, sparse=SparseVector((), ()), where=Where(), limit=5) == ([], [])


def test_equal_scores_are_ordered_by_id_also_where_the_list_ends(store: VectorStore) -> None:
    twins = [make_point(number) for number in range(40)]
    twins = [Point(point.id, unit_vector(1), twins[0].sparse, point.payload) for point in twins]
    store.upsert([*twins[20:], make_point(50, text="unrelated"), *twins[:20]])
    for limit in (1, 7, 40):
        dense, sparse = store.search(dense=unit_vector(1), sparse=query_vector("topic0"), where=Where(), limit=limit)
        first = sorted(point.id for point in twins)[:limit]
        assert [hit.id for hit in dense] == first
        assert [hit.id for hit in sparse] == first
