"""Counts remembered beside a closed index are told only while the index is what it was when they were noted."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from ingestion.vector_stores.edge import count_cache
from ingestion.vector_stores.edge.count_cache import remembered_counts
from ingestion.vector_stores.edge.generations import EdgeGenerations
from ingestion.vector_stores.filters import Equals, Where
from tests.support.vector_points import opened, shard_of


def books_in(generations: EdgeGenerations) -> dict[str, int]:
    with closing(opened(generations)) as store:
        return store.values("book_id", Where())


def test_a_closed_index_tells_the_points_of_each_book_unopened(own: EdgeGenerations) -> None:
    books = books_in(own)
    assert books
    assert {book: own.known_count(book) for book in books} == books
    assert own.known_count("another-book") == 0


def test_counts_follow_what_was_deleted(own: EdgeGenerations) -> None:
    book, points = next(iter(books_in(own).items()))
    with closing(opened(own)) as store:
        store.delete(Where((Equals("book_id", book),)))
    assert points > 0
    assert own.known_count(book) == 0


def test_counts_hold_while_the_index_is_open_for_reading(own: EdgeGenerations) -> None:
    books = books_in(own)
    with closing(opened(own)) as store:
        list(store.scroll(Where()))
        assert {book: own.known_count(book) for book in books} == books


def test_no_counts_are_told_once_it_is_written(own: EdgeGenerations) -> None:
    book = next(iter(books_in(own)))
    with closing(opened(own)) as store:
        store.set_payloads({})
        assert own.known_count(book) is not None
        store.delete(Where((Equals("book_id", "another-book"),)))
        assert own.known_count(book) is None
    assert own.known_count(book) is not None


def shorten(folder: Path) -> None:
    largest = max((path for path in folder.rglob("*") if path.is_file()), key=lambda path: path.stat().st_size)
    with largest.open("r+b") as file:
        file.truncate(1)


def add(folder: Path) -> None:
    (folder / "segments" / "another").write_text("")


def remove(folder: Path) -> None:
    (folder / "edge_config.json").unlink()


def tear_note(folder: Path) -> None:
    note = folder.parent / "counts.json"
    note.write_bytes(note.read_bytes()[:-9])


def foreign_note(folder: Path) -> None:
    (folder.parent / "counts.json").write_text('{"format": 1, "books": []}')


@pytest.mark.parametrize("change", [shorten, add, remove, tear_note, foreign_note])
def test_an_index_that_changed_since_has_to_be_opened(
    own: EdgeGenerations, own_directory: Path, change: Callable[[Path], None]
) -> None:
    books_in(own)
    folder = shard_of(own_directory)
    assert remembered_counts(folder.parent) is not None
    change(folder)
    assert own.known_count("any-book") is None


def test_a_store_that_failed_a_write_leaves_no_counts(own: EdgeGenerations, monkeypatch: pytest.MonkeyPatch) -> None:
    book = next(iter(books_in(own)))
    with closing(opened(own)) as store:
        monkeypatch.setattr(store, "_failed", True)
        store._shard.flush()  # type: ignore[attr-defined]
    assert own.known_count(book) is None


def test_counts_that_cannot_be_noted_do_not_matter(own: EdgeGenerations, own_directory: Path) -> None:
    note = shard_of(own_directory).parent / "counts.json"
    note.unlink(missing_ok=True)
    note.mkdir()
    assert books_in(own)
    assert own.known_count("any-book") is None


def test_nothing_indexed_is_no_count(tmp_path: Path) -> None:
    assert EdgeGenerations(tmp_path / "none").known_count("any-book") is None


def test_the_files_of_the_index_are_looked_at_once_for_many_books(
    own: EdgeGenerations, own_directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    books_in(own)
    looked: list[Path] = []
    files_seen = count_cache.files_seen
    monkeypatch.setattr(count_cache, "_TRUSTED_SECONDS", 600.0)
    monkeypatch.setattr(count_cache, "files_seen", lambda folder: looked.append(folder) or files_seen(folder))
    assert [own.known_count(f"book-{number}") for number in range(100)] == [0] * 100
    assert len(looked) == 1
    monkeypatch.setattr(count_cache, "_TRUSTED_SECONDS", 0.0)
    own._counts = count_cache.CountReader()
    assert own.known_count("any-book") == 0
    add(shard_of(own_directory))
    assert own.known_count("any-book") is None
