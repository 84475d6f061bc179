"""Records, states and jobs: what changed since the last run, and how a run goes on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingestion.models import IngestionJob, IngestionRecord, IngestionState, utc_now


def record(path: str, file_hash: str, *chunk_ids: str) -> IngestionRecord:
    return IngestionRecord(
        source_file=path,
        file_hash=file_hash,
        chunk_ids=chunk_ids,
        ingested_at=utc_now(),
        book_id="b",
        module="ros2",
        chapter=1,
        lesson=1,
        shares_lesson=False,
        fingerprint={},
    )


def state(*records: IngestionRecord) -> IngestionState:
    return IngestionState(book_id="b", collection_name="c", records={each.source_file: each for each in records})


def test_total_chunks_is_the_sum_over_the_records() -> None:
    assert state().total_chunks == 0
    assert state(record("a.md", "1", "x", "y"), record("b.md", "2"), record("c.md", "3", "z")).total_chunks == 3


def test_changed_files_are_new_modified_or_deleted() -> None:
    known = state(record("same.md", "1"), record("edited.md", "2"), record("gone.md", "3"))
    assert known.get_changed_files({"same.md": "1", "edited.md": "9", "new.md": "3"}) == (
        ["new.md"],
        ["edited.md"],
        ["gone.md"],
    )


FILES = st.dictionaries(st.sampled_from("abcdef"), st.sampled_from("12"))


@given(FILES, FILES)
def test_each_path_is_in_exactly_one_class_of_changes(before: dict[str, str], now: dict[str, str]) -> None:
    new, modified, deleted = state(*(record(*each) for each in before.items())).get_changed_files(now)
    unchanged = {path for path in now if before.get(path) == now[path]}
    classes = [set(new), set(modified), set(deleted), unchanged]
    assert sum(map(len, classes)) == len(before.keys() | now.keys())
    assert set().union(*classes) == before.keys() | now.keys()


def test_chunks_to_delete_are_those_recorded_for_the_files() -> None:
    known = state(record("a.md", "1", "x", "y"), record("b.md", "2", "z"))
    assert known.get_chunks_to_delete(["b.md", "unknown.md", "a.md"]) == ["z", "x", "y"]
    assert known.get_chunks_to_delete([]) == []


def queued(**changes: Any) -> IngestionJob:
    return replace(IngestionJob(job_id=1, book_id="b", mode="incremental"), **changes)


def test_a_job_runs_and_completes() -> None:
    running = queued().start()
    assert (running.status, running.completed_at) == ("running", None)
    done = running.finish(files_processed=2, files_skipped=3, chunks_created=7, chunks_deleted=1)
    assert (done.status, done.error_message) == ("completed", None)
    assert done.completed_at is not None and done.completed_at >= done.started_at
    assert done.duration_seconds is not None and done.duration_seconds >= 0
    assert (done.files_processed, done.files_skipped, done.chunks_created, done.chunks_deleted) == (2, 3, 7, 1)


def test_a_job_runs_and_fails_with_its_reason() -> None:
    failed = queued().start().finish(error="no service", chunks_created=1)
    assert (failed.status, failed.error_message, failed.chunks_created) == ("failed", "no service", 1)
    assert failed.completed_at is not None


def test_no_other_transition_is_possible() -> None:
    running = queued().start()
    for step in (queued().finish, running.start, running.finish().start, running.finish().finish):
        with pytest.raises(ValueError, match="status"):
            step()


@pytest.mark.parametrize(
    "changes",
    [
        {"mode": "partial"},
        {"status": "paused"},
        {"status": "completed"},
        {"status": "failed"},
        {"status": "running", "completed_at": "2026-01-01T00:00:00+00:00"},
        {"completed_at": "2026-01-01T00:00:00+00:00"},
        {"chunks_created": -1},
        {"chunks_deleted": -1},
        {"error_message": "but it runs", "status": "running"},
    ],
)
def test_a_job_that_breaks_an_invariant_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        queued(**changes)
