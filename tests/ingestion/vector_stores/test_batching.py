"""What is sent to an engine is cut, and nothing is lost or repeated by it."""

from itertools import pairwise
from threading import Event, Lock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingestion.vector_stores.batching import batches, deletions, do_all, sized_batches
from ingestion.vector_stores.filters import Equals, HasId, Where
from tests.support.vector_points import point_id
from tests.support.waits import LONGEST


@given(items=st.lists(st.integers()), most=st.integers(1, 9))
def test_batches_hold_everything_once_in_order(items: list[int], most: int) -> None:
    cut = [list(batch) for batch in batches(items, most)]
    assert [item for batch in cut for item in batch] == items
    assert all(1 <= len(batch) <= most for batch in cut)


@given(sizes=st.lists(st.integers(1, 50)), most=st.integers(1, 9))
def test_sized_batches_keep_both_limits_and_are_as_full_as_they_can_be(sizes: list[int], most: int) -> None:
    cut = list(sized_batches([(size, size) for size in sizes], max_items=most, max_bytes=50))
    assert [size for batch in cut for size in batch] == sizes
    assert all(len(batch) <= most and sum(batch) <= 50 for batch in cut)
    for batch, following in pairwise(cut):
        assert len(batch) == most or sum(batch) + following[0] > 50


def test_a_deletion_of_many_ids_is_cut_and_keeps_its_other_conditions() -> None:
    ids = tuple(point_id(number) for number in range(5))
    where = Where((HasId(ids), Equals("book_id", "robots")), (Equals("module", "isaac"),))
    parts = list(deletions(where, 2))
    assert [condition.ids for part in parts for condition in part.must if isinstance(condition, HasId)] == [
        ids[:2],
        ids[2:4],
        ids[4:],
    ]
    for part in parts:
        assert Equals("book_id", "robots") in part.must
        assert part.must_not == where.must_not


def test_a_deletion_without_ids_stays_as_it_is() -> None:
    where = Where((Equals("book_id", "robots"),))
    assert list(deletions(where, 2)) == [where]


@given(st.lists(st.integers(), max_size=30), st.integers(1, 4))
def test_all_is_done_and_never_more_than_so_many_at_a_time(items: list[int], most: int) -> None:
    lock, running, peak, done = Lock(), 0, 0, []

    def action(item: int) -> None:
        nonlocal running, peak
        with lock:
            running += 1
            peak = max(peak, running)
        with lock:
            running -= 1
            done.append(item)

    do_all(items, action, workers=most)
    assert sorted(done) == sorted(items)
    assert peak <= most


def test_after_an_error_no_more_calls_are_begun() -> None:
    begun: list[int] = []

    def action(item: int) -> None:
        begun.append(item)
        if item == 2:
            raise ValueError("refused")

    with pytest.raises(ValueError, match="refused"):
        do_all(range(100), action, workers=1)
    assert begun == [0, 1, 2]


def test_an_error_is_raised_when_the_other_calls_have_ended() -> None:
    failing, ended = Event(), []

    def action(item: int) -> None:
        if item == 0:
            failing.set()
            raise ValueError("refused")
        failing.wait(LONGEST)
        ended.append(item)

    with pytest.raises(ValueError, match="refused"):
        do_all(range(2), action, workers=2)
    assert ended == [1]
