"""What the one pass never does unasked: delete most of a book, touch another, write in a dry run, or beside a run."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ingestion.errors import DeletionRefused, IndexLocked, SourceError
from ingestion.state.writer_lock import writer_lock
from tests.ingestion.sync.test_pipeline import NODES, PAGES, TOPICS, indexed, library
from tests.support.books import Library

__all__ = ["indexed", "library"]


def test_a_folder_without_lessons_never_wipes_the_index(indexed: Library) -> None:
    before = indexed.contents()
    indexed.write({})
    with pytest.raises(DeletionRefused, match="nothing was deleted"):
        indexed.run()
    for mode in ("full", "recreate"):
        with pytest.raises(DeletionRefused):
            indexed.run(mode)
    assert indexed.contents() == before


def test_an_empty_folder_and_an_empty_index_is_an_unusable_source(tmp_path: Path) -> None:
    library = Library(tmp_path)
    library.docs.mkdir()
    with pytest.raises(SourceError, match=r"no \.md or \.mdx files"):
        library.run()


def test_most_of_a_book_is_deleted_only_when_allowed(indexed: Library) -> None:
    indexed.write({NODES: PAGES[NODES]})
    with pytest.raises(DeletionRefused, match="2 of 3"):
        indexed.run()
    assert indexed.texts_of(TOPICS) and indexed.run(allow_delete=True).files["deleted"] == 2


def test_another_root_deletes_nothing_unasked(indexed: Library) -> None:
    indexed.docs.rename(indexed.folder / "elsewhere")
    indexed.write({NODES: PAGES[NODES], TOPICS: PAGES[TOPICS]})
    (indexed.folder / "docs").rename(indexed.folder / "other-docs")
    (indexed.folder / "docs").symlink_to(indexed.folder / "other-docs")
    with pytest.raises(DeletionRefused, match="was last indexed from docs, now from other-docs"):
        indexed.run()


def test_a_dry_run_says_what_a_run_then_does_and_changes_nothing(indexed: Library) -> None:
    indexed.write({NODES: PAGES[NODES].replace("beta", "iota"), TOPICS: PAGES[TOPICS]})
    writes, state = indexed.generations.writes, indexed.state_path.read_bytes()
    planned = indexed.run(dry_run=True)
    assert indexed.embedder.texts == []
    assert indexed.generations.writes == writes and indexed.state_path.read_bytes() == state
    done = indexed.run()
    assert (planned.changes, planned.chunks) == (done.changes, done.chunks)


def test_a_dry_run_over_nothing_indexed_creates_nothing(library: Library) -> None:
    report = library.run(dry_run=True)
    assert report.files["new"] == 3 and report.chunks.embedded >= 7
    assert library.generations.active_name is None and not library.state_path.exists()


def test_two_runs_cannot_write_at_once(library: Library) -> None:
    library.flags["index.wait"] = 0
    with writer_lock(library.folder / "writer.lock"), pytest.raises(IndexLocked, match=f"pid {os.getpid()}"):
        library.run()


def test_a_book_never_touches_another(indexed: Library) -> None:
    first = indexed.contents()
    indexed.run(book="second")
    indexed.write({NODES: PAGES[NODES]})
    indexed.run(book="second", allow_delete=True)
    assert indexed.contents() == first
    assert {each["source_file"] for each in indexed.contents("second").values()} == {NODES}
