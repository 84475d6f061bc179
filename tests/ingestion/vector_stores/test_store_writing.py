"""What every vector store promises to writers, on the same engines: upserts, payloads, deletions and generations."""

from __future__ import annotations

from contextlib import closing

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingestion.errors import PointRefused
from ingestion.vector_stores.filters import Equals, HasId, Where
from ingestion.vector_stores.protocol import VectorStore
from ingestion.vector_stores.types import Point, SparseVector
from tests.ingestion.vector_stores.test_store import (
    IDS,
    POINTS,
    Engine,
    empty,
    engine,
    filled,
    filters,
    ids_in,
    scratch,
    store,
)
from tests.support.fakes import matches
from tests.support.vector_points import SCHEMA, make_point, point_id, unit_vector

__all__ = ["engine", "filled", "scratch", "store"]

pytestmark = pytest.mark.filterwarnings("ignore:Payload indexes have no effect:UserWarning")


def test_an_upsert_replaces_the_point_payload_included(store: VectorStore) -> None:
    first = make_point(0, extra="once")
    store.upsert([first, make_point(1)])
    store.upsert([Point(first.id, unit_vector(99), first.sparse, make_point(2).payload)])
    stored = store.retrieve([first.id], vectors=True)[first.id]
    assert stored.payload == make_point(2).payload
    np.testing.assert_allclose(stored.dense, unit_vector(99), atol=1e-6)
    assert store.count(Where()) == 2


def test_writing_nothing_is_fine(store: VectorStore) -> None:
    store.upsert([])
    store.set_payloads({})
    assert store.count(Where()) == 0


def test_more_points_than_a_batch_holds_are_written_and_read(store: VectorStore) -> None:
    points = [make_point(number, book="large") for number in range(1100)]
    store.upsert(points)
    assert ids_in(store) == sorted(point.id for point in points)
    assert len(store.retrieve([point.id for point in points])) == 1100
    store.delete(Where((HasId(tuple(point.id for point in points[1:])),)))
    assert ids_in(store) == [points[0].id]


def test_a_point_without_any_term_is_stored(store: VectorStore) -> None:
    point = make_point(0)
    store.upsert([Point(point.id, point.dense, SparseVector((), ()), point.payload)])
    stored = store.retrieve([point.id], vectors=True)[point.id]
    assert stored.dense is not None and stored.sparse is None


def test_set_payloads_replaces_the_payload_and_keeps_the_vectors(store: VectorStore) -> None:
    points = [make_point(0, extra="gone"), make_point(1)]
    store.upsert(points)
    before = store.retrieve([points[0].id], vectors=True)[points[0].id]
    store.set_payloads({points[0].id: {"book_id": "robots", "module": "isaac"}})
    after = store.retrieve([points[0].id], vectors=True)[points[0].id]
    assert after.payload == {"book_id": "robots", "module": "isaac"}
    np.testing.assert_array_equal(after.dense, before.dense)
    assert after.sparse == before.sparse
    assert ids_in(store, Where((Equals("module", "isaac"),))) == [points[0].id]


def test_set_payloads_makes_no_point(store: VectorStore) -> None:
    store.upsert([make_point(0)])
    store.set_payloads({point_id("nowhere"): {"module": "isaac"}, make_point(0).id: {"module": "isaac"}})
    assert ids_in(store) == [make_point(0).id]
    assert store.values("module", Where()) == {"isaac": 1}


@pytest.mark.parametrize("where", [Where(), Where(must_not=(Equals("book_id", "robots"),))])
def test_a_deletion_in_which_nothing_must_hold_is_refused(filled: VectorStore, where: Where) -> None:
    with pytest.raises(ValueError, match="must hold"):
        filled.delete(where)
    assert filled.count(Where()) == len(POINTS)


def test_ids_are_deleted_only_where_they_still_belong_to_the_file(store: VectorStore) -> None:
    store.upsert([make_point(0, source_file="a.md"), make_point(1, source_file="b.md")])
    both = HasId((make_point(0).id, make_point(1).id))
    store.delete(Where((both, Equals("source_file", "a.md"))))
    assert ids_in(store) == [make_point(1).id]


@given(wheres=st.lists(filters, min_size=1, max_size=3))
@settings(max_examples=5, deadline=None)
def test_deleting_in_one_book_never_touches_another(scratch: VectorStore, wheres: list[Where]) -> None:
    empty(scratch)
    scratch.upsert(POINTS)
    left = set(IDS)
    for where in wheres:
        within = Where((Equals("book_id", "robots"), *where.must), where.must_not)
        scratch.delete(within)
        left -= {point.id for point in POINTS if matches(point.id, point.payload, within)}
    assert ids_in(scratch) == sorted(left)
    assert scratch.count(Where((Equals("book_id", "ros"),))) == 24


@pytest.mark.parametrize("bad", ["write", "payload"])
def test_one_bad_point_keeps_the_whole_write_out(store: VectorStore, bad: str) -> None:
    good, wrong = make_point(0), make_point(1)
    with pytest.raises(PointRefused, match=r"docs/module/00\.md, chunk 1 .*"):
        if bad == "write":
            store.upsert([good, Point(wrong.id, unit_vector(1, 9), wrong.sparse, wrong.payload)])
        else:
            store.upsert([good])
            store.set_payloads({good.id: {"module": "new"}, wrong.id: wrong.payload | {"chapter": 2**63}})
    assert store.values("module", Where()) == ({} if bad == "write" else {"ros2": 1})


def test_a_new_generation_is_switched_to_rolled_back_and_dropped(engine: Engine) -> None:
    generations = engine("switched")
    for numbers in (range(3), range(4)):
        with closing(generations.create(SCHEMA)) as store:
            with generations.loading(store, len(numbers)):
                store.upsert([make_point(number) for number in numbers])
            generations.activate(store)
    new, old = generations.kept()
    assert (new.role, new.points, old.role, old.points) == ("active", 4, "former", 3)
    generations.rollback()
    assert [(each.role, each.points) for each in generations.kept()] == [("active", 3), ("former", 4)]
    store = generations.open_active()
    assert store is not None
    with closing(store):
        assert store.count(Where()) == 3
    assert generations.drop_former()
    assert generations.kept() == [old._replace(role="active")]
