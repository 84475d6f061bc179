"""An iterator that runs ahead of its reader."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from ingestion.sync.read_ahead import running_ahead
from tests.support.waits import LONGEST


def test_all_items_come_in_order() -> None:
    with running_ahead(range(100), 3) as items:
        assert list(items) == list(range(100))


def test_it_is_ahead_by_no_more_than_its_bound() -> None:
    made: list[int] = []
    third = threading.Event()

    def source() -> Iterator[int]:
        for number in range(10):
            made.append(number)
            if number == 2:
                third.set()
            yield number

    with running_ahead(source(), 2) as items:
        assert third.wait(LONGEST)
        assert made == [0, 1, 2]
        assert next(items) == 0


def test_an_error_comes_after_the_items_before_it() -> None:
    def source() -> Iterator[int]:
        yield 1
        raise ValueError("broken")

    with running_ahead(source(), 5) as items:
        assert next(items) == 1
        with pytest.raises(ValueError, match="broken"):
            next(items)


def test_leaving_early_ends_its_thread() -> None:
    before = threading.active_count()
    with running_ahead(iter(int, 1), 2) as items:
        next(items)
    assert threading.active_count() == before
