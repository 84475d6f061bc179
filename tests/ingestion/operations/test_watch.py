"""Saves on a real disk: one run a burst, whatever the run says."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty, Queue

import pytest

from ingestion.errors import BookwiseError, DeletionRefused, SourceError
from ingestion.operations.watch import watch
from ingestion.report import IngestReport

SOON, A_WHILE = 30.0, 0.25
Outcomes = Queue[IngestReport | BookwiseError]


def report() -> IngestReport:
    return IngestReport(book_id="test-book", mode="incremental", root="docs")


@contextmanager
def watching(root: Path, run: Callable[[], IngestReport]) -> Iterator[Outcomes]:
    """What the watch gives, after its first run; leaving the block stops it."""
    outcomes: Outcomes = Queue()
    stop = threading.Event()

    def follow() -> None:
        for outcome in watch(root, run, stop=stop, debounce=100):
            outcomes.put(outcome)

    thread = threading.Thread(target=follow)
    thread.start()
    try:
        outcomes.get(timeout=SOON)
        yield outcomes
    finally:
        stop.set()
        thread.join(SOON)
    assert not thread.is_alive()


def no_more(outcomes: Outcomes) -> bool:
    with pytest.raises(Empty):
        outcomes.get(timeout=A_WHILE)
    return True


def test_a_burst_of_saves_is_one_run(tmp_path: Path) -> None:
    with watching(tmp_path, report) as outcomes:
        for text in ("one", "two", "three"):
            (tmp_path / "a.md").write_text(text)
            (tmp_path / "b.mdx").write_text(text)
        assert outcomes.get(timeout=SOON) == report()
        assert no_more(outcomes)


def test_only_lessons_and_ignore_rules_start_a_run(tmp_path: Path) -> None:
    with watching(tmp_path, report) as outcomes:
        for name in ("a.png", "a.md.swp", ".a.md~", "notes.txt"):
            (tmp_path / name).write_text("x")
        assert no_more(outcomes)
        (tmp_path / ".bookwiseignore").write_text("drafts/\n")
        assert outcomes.get(timeout=SOON)


def test_a_refused_run_is_told_and_the_next_save_tried_again(tmp_path: Path) -> None:
    refusals = [None, DeletionRefused("too many are gone"), None]

    def run() -> IngestReport:
        if refusal := refusals.pop(0):
            raise refusal
        return report()

    (tmp_path / "a.md").write_text("x")
    with watching(tmp_path, run) as outcomes:
        (tmp_path / "a.md").unlink()
        refused = outcomes.get(timeout=SOON)
        assert isinstance(refused, DeletionRefused) and "too many" in str(refused)
        (tmp_path / "a.md").write_text("x")
        assert outcomes.get(timeout=SOON) == report()


def test_what_is_saved_during_the_first_run_is_not_missed(tmp_path: Path) -> None:
    runs: list[str] = []

    def run() -> IngestReport:
        runs.append("begun")
        if len(runs) == 1:
            (tmp_path / "late.md").write_text("saved while the first run works")
        return report()

    with watching(tmp_path, run) as outcomes:
        assert outcomes.get(timeout=SOON) and len(runs) == 2


def test_what_pages_include_is_followed_outside_of_the_lessons_too(tmp_path: Path) -> None:
    """Editors save a file in place, or put a new one over it."""
    root, listing = tmp_path / "docs", tmp_path / "code/listing.rs"
    root.mkdir()
    listing.parent.mkdir()
    listing.write_text("one")
    (root / "shown.py").write_text("one")
    followed = frozenset(("../code/listing.rs", "../code/missing.rs", "shown.py"))
    indexed: list[str] = []

    def run() -> IngestReport:
        indexed.append(listing.read_text())
        changes = {"page.md": "modified"} if len(set(indexed[-2:])) > 1 else {}
        return IngestReport(book_id="b", mode="incremental", root="docs", followed=followed, changes=changes)

    with watching(root, run) as outcomes:
        assert no_more(outcomes), "the watch begins again without a word"
        for text in ("two", "three"):
            listing.write_text(text)
            assert outcomes.get(timeout=SOON)
            (tmp_path / "new").write_text(f"{text} anew")
            (tmp_path / "new").replace(listing)
            assert outcomes.get(timeout=SOON)
        assert no_more(outcomes)
        (root / "shown.py").write_text("two")
        assert outcomes.get(timeout=SOON)
        (listing.parent / "other.rs").write_text("x")
        (root / "other.py").write_text("x")
        assert no_more(outcomes)


def test_a_missing_folder_is_an_error_at_once(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="no such folder"):
        next(watch(tmp_path / "gone", report))
