"""The cache of file times: what it may skip, and what it must read again."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from ingestion.ids import sha256
from ingestion.state import stat_cache
from ingestion.state.stat_cache import StatCache

LONG_AGO = 1_600_000_000_000_000_000


@pytest.fixture
def book(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with one file, in a world where two seconds have always passed."""
    monkeypatch.setattr(stat_cache, "SETTLED_NS", -(10**12))
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/a.md").write_text("one")
    return tmp_path / "docs"


def cache_of(book: Path, *, trusted: bool = True) -> StatCache:
    return StatCache(book.parent / "index", book, trusted=trusted)


def read_all(book: Path, cache: StatCache) -> list[str]:
    """Look up every file, read those that must be, save; returns what was read."""
    read = []
    for file in sorted(book.iterdir()):
        if cache.hash_of(file.name, file) is None:
            read.append(file.name)
            cache.note(file.name, sha256(file.read_text()))
    cache.save()
    return read


def test_a_file_that_did_not_change_is_read_once(book: Path) -> None:
    assert read_all(book, cache_of(book)) == ["a.md"]
    assert read_all(book, cache_of(book)) == []
    assert cache_of(book).hash_of("a.md", book / "a.md") == sha256("one")


def test_nothing_is_written_where_nothing_was_read(book: Path) -> None:
    read_all(book, cache_of(book))
    saved = next((book.parent / "index").glob("files-*.json"))
    before = saved.stat().st_mtime_ns, saved.read_bytes()
    read_all(book, cache_of(book))
    assert (saved.stat().st_mtime_ns, saved.read_bytes()) == before


def test_a_file_of_the_same_size_whose_time_was_put_back_is_read_again(book: Path) -> None:
    file = book / "a.md"
    os.utime(file, ns=(LONG_AGO, LONG_AGO))
    read_all(book, cache_of(book))
    file.write_text("two")
    os.utime(file, ns=(LONG_AGO, LONG_AGO))
    assert read_all(book, cache_of(book)) == ["a.md"]


def test_a_file_that_takes_the_place_of_another_is_read_again(book: Path) -> None:
    read_all(book, cache_of(book))
    other = book.parent / "other"
    other.write_text("two")
    status = (book / "a.md").stat()
    os.utime(other, ns=(status.st_atime_ns, status.st_mtime_ns))
    os.replace(other, book / "a.md")
    assert read_all(book, cache_of(book)) == ["a.md"]


def test_a_file_written_in_the_last_two_seconds_is_read_again(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/a.md").write_text("one")
    read_all(tmp_path / "docs", cache_of(tmp_path / "docs"))
    assert read_all(tmp_path / "docs", cache_of(tmp_path / "docs")) == ["a.md"]


def test_files_that_are_gone_leave_the_cache(book: Path) -> None:
    (book / "b.md").write_text("two")
    read_all(book, cache_of(book))
    (book / "b.md").unlink()
    (book / "c.md").write_text("three")
    read_all(book, cache_of(book))
    saved = json.loads(next((book.parent / "index").glob("files-*.json")).read_text())
    assert sorted(saved["files"]) == ["a.md", "c.md"]


def test_a_run_that_reads_everything_trusts_no_cache(book: Path) -> None:
    read_all(book, cache_of(book))
    assert read_all(book, cache_of(book, trusted=False)) == ["a.md"]


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[:-9],
        lambda text: "[]",
        lambda text: text.replace('"format":1', '"format":2'),
        lambda text: text.replace('"machine":"', '"machine":"other '),
        lambda text: text.replace('"files":{', '"files":{"a.md":3,"x":{'),
    ],
)
def test_a_torn_or_foreign_cache_is_ignored(book: Path, damage: object) -> None:
    read_all(book, cache_of(book))
    saved = next((book.parent / "index").glob("files-*.json"))
    saved.write_text(damage(saved.read_text()))  # type: ignore[operator]
    assert read_all(book, cache_of(book)) == ["a.md"]


def test_another_checkout_has_a_cache_of_its_own(book: Path, tmp_path: Path) -> None:
    read_all(book, cache_of(book))
    other = tmp_path / "elsewhere"
    other.mkdir()
    (other / "a.md").write_text("one")
    assert read_all(other, StatCache(book.parent / "index", other)) == ["a.md"]


def test_a_folder_that_cannot_be_written_fails_nothing(book: Path) -> None:
    (book.parent / "index").write_text("a file is in the way")
    assert read_all(book, cache_of(book)) == ["a.md"]


def test_what_a_link_points_to_is_never_taken_for_unchanged(book: Path) -> None:
    (book / "link.md").symlink_to(book / "a.md")
    assert read_all(book, cache_of(book)) == ["a.md", "link.md"]
    assert read_all(book, cache_of(book)) == ["link.md"]
