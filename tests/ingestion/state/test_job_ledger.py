"""The ledger of runs over a real SQLite file, alone and behind the one pass."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from ingestion.embedding.factory import build_embedder
from ingestion.errors import EmbeddingError, LessonError, StateError, UsageError
from ingestion.models import IngestionMode
from ingestion.report import ChunkCounts, IngestReport
from ingestion.state.job_ledger import JobLedger, LedgerEntry
from ingestion.sync.pipeline import ingest, job_of
from tests.support.books import BOOK, Library, long_text, page, write_book
from tests.support.command_line import run as run_command
from tests.support.fakes import FakeEmbedder, Faults
from tests.support.postgres import database_url, postgres_server
from tests.support.processes import Desk

__all__ = ["database_url", "postgres_server"]

ONE, TWO, THREE = "module-1-ros2/01-one.md", "module-1-ros2/02-two.md", "module-1-ros2/03-three.md"
PAGES = {
    ONE: page("One", long_text("alpha")),
    TWO: page("Two", long_text("beta")),
    THREE: page("Three", "Gamma rays."),
}


HEAVY = {
    "markdown_it",
    "numpy",
    "onnxruntime",
    "openai",
    "pydantic",
    "qdrant_client",
    "qdrant_edge",
    "rich.table",
    "sqlalchemy",
    "toktok",
}


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[JobLedger]:
    with closing(JobLedger(tmp_path / "jobs.sqlite")) as ledger:
        yield ledger


@pytest.fixture
def library(tmp_path: Path) -> Library:
    library = Library(tmp_path)
    library.write(PAGES)
    return library


def run(library: Library, ledger: JobLedger, mode: IngestionMode = "incremental") -> IngestReport:
    """One run that keeps a job."""
    return ingest(replace(library.parts(), jobs=ledger), library.docs, book_id=BOOK, mode=mode)


def last(ledger: JobLedger) -> LedgerEntry:
    return ledger.entries()[0]


def test_a_run_with_work_is_one_completed_job_with_its_counts(library: Library, ledger: JobLedger) -> None:
    report = run(library, ledger)
    [entry] = ledger.entries()
    job = entry.job
    assert (job.book_id, job.mode, job.status, job.error_message) == (BOOK, "incremental", "completed", None)
    assert (job.files_processed, job.files_skipped) == (3, 0)
    assert job.chunks_created == entry.embedded == len(library.contents()) and job.chunks_deleted == 0
    assert entry.tokens == report.chunks.tokens > 0 and entry.failures == ()
    assert job.completed_at is not None and job.completed_at >= job.started_at and job.duration_seconds is not None


def test_a_run_with_nothing_to_do_makes_no_job(library: Library, ledger: JobLedger) -> None:
    run(library, ledger)
    run(library, ledger)
    assert len(ledger.entries()) == 1


@pytest.mark.parametrize("mode", ["incremental", "full", "recreate"])
def test_every_file_found_is_processed_or_skipped(library: Library, ledger: JobLedger, mode: IngestionMode) -> None:
    """files_processed + files_skipped = total_files_discovered."""
    run(library, ledger)
    library.write({ONE: PAGES[ONE].replace("alpha", "omega"), TWO: PAGES[TWO], "new.md": page("New", "Text of it.")})
    (library.docs / TWO).write_bytes(b"caf\xe9")
    report = run(library, ledger, mode)
    job = last(ledger).job
    assert report.files["deleted"] == 1 and len(report.failures) == 1
    assert (job.files_processed, job.files_skipped, report.total_files) == (2, 1, 3)
    assert run(library, ledger, "full").total_files == last(ledger).job.files_skipped == 3


def test_a_job_lists_the_pages_that_it_changed_and_a_rename_once(library: Library, ledger: JobLedger) -> None:
    run(library, ledger)
    assert [each["change"] for each in last(ledger).changes] == ["new"] * 3
    library.write({ONE: PAGES[ONE] + "\nMore.\n", "elsewhere/two.md": PAGES[TWO]})
    planned = ingest(library.parts(), library.docs, book_id=BOOK, dry_run=True)
    report = run(library, ledger)
    assert report.files == planned.files == {"modified": 1, "moved": 1, "deleted": 1, "unchanged": 0}
    assert report.as_json()["changes"] == {ONE: "modified", "elsewhere/two.md": "moved", THREE: "deleted"}
    entry = last(ledger)
    assert (entry.changed, entry.job.files_processed) == (3, 2)
    assert entry.changes == (
        {"path": "elsewhere/two.md", "change": "moved", "moved_from": TWO},
        {"path": ONE, "change": "modified", "moved_from": None},
        {"path": THREE, "change": "deleted", "moved_from": None},
    )


def test_a_job_lists_a_hundred_pages_and_counts_all(clean_surroundings: Path) -> None:
    report = IngestReport(
        book_id=BOOK,
        mode="full",
        root="docs",
        total_files=250,
        changes={f"{number:03}.md": "new" for number in range(250)},
    )
    with closing(JobLedger("sqlite:///.bookwise/jobs.sqlite")) as ledger, job_of(ledger, lambda: report):
        pass
    with closing(JobLedger("sqlite:///.bookwise/jobs.sqlite")) as ledger:
        assert (last(ledger).changed, len(last(ledger).changes)) == (250, 100)
    shown = command("show", "1").stdout
    assert "099.md" in shown and "100.md" not in shown and shown.endswith("… and 150 more pages\n")


def test_the_ledger_of_an_earlier_release_gets_the_columns_that_it_lacks(database_url: str, tmp_path: Path) -> None:
    report = IngestReport(book_id=BOOK, mode="full", root="docs", total_files=1, changes={ONE: "new"})
    for where in (database_url, tmp_path / "jobs.sqlite"):
        with closing(JobLedger(where)) as ledger:
            ledger.finish(ledger.begin(BOOK, "full"), report)
            with ledger._database.transaction() as execute:
                for column in ("changed", "changes"):
                    execute(f"ALTER TABLE ingestion_jobs DROP COLUMN {column}")
        with closing(JobLedger(where)) as ledger:
            [old] = ledger.entries()
            assert (old.changed, old.changes) == (None, ())
            with job_of(ledger, lambda: report):
                pass
            assert last(ledger).changed == 1


def test_failed_lessons_are_kept_with_line_and_reason(library: Library, ledger: JobLedger) -> None:
    (library.docs / TWO).write_bytes(b"# Two\n\ncaf\xe9")
    run(library, ledger)
    [failure] = last(ledger).failures
    assert (failure["path"], failure["line"]) == (TWO, 3) and "0xe9" in failure["reason"]
    assert last(ledger).job.status == "completed"


def test_a_run_that_ends_in_an_error_is_a_failed_job_that_names_it(library: Library, ledger: JobLedger) -> None:
    library.embedder.faults = Faults(1, EmbeddingError)
    with pytest.raises(EmbeddingError):
        run(library, ledger)
    job = last(ledger).job
    assert job.status == "failed" and job.error_message == "call 1: embed"
    assert (job.files_processed, job.files_skipped) == (0, 3)


def test_a_ledger_that_breaks_during_a_run_does_not_hide_why_the_run_failed(
    library: Library, ledger: JobLedger, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise StateError("the database is gone")

    monkeypatch.setattr(ledger, "finish", broken)
    library.embedder.faults = Faults(1, EmbeddingError)
    with pytest.raises(EmbeddingError, match="embed"):
        run(library, ledger)
    assert "the database is gone" in caplog.text


def test_an_interrupted_run_is_a_failed_job_that_says_what_is_left(library: Library, ledger: JobLedger) -> None:
    library.embedder.faults = Faults(1, KeyboardInterrupt)
    with pytest.raises(BaseException, match="3 are left"):
        run(library, ledger)
    assert "3 are left for the next run" in (last(ledger).job.error_message or "")


def test_a_job_of_a_run_that_died_is_closed_by_the_next_of_its_book_alone(ledger: JobLedger) -> None:
    dead, other = ledger.begin(BOOK, "full"), ledger.begin("other-book", "full")
    ledger.begin(BOOK, "incremental")
    assert ledger.entry(dead.job_id).job.status == "failed"
    assert ledger.entry(dead.job_id).job.error_message == "the process died before it finished"
    assert ledger.entry(other.job_id).job.status == last(ledger).job.status == "running"
    assert last(ledger).job.completed_at is None


def test_jobs_are_listed_newest_first_within_the_limit_and_by_book(ledger: JobLedger) -> None:
    ids = [ledger.begin(book, "full").job_id for book in (BOOK, "other-book", BOOK)]
    assert [entry.job.job_id for entry in ledger.entries(limit=2)] == ids[:0:-1]
    assert [entry.job.job_id for entry in ledger.entries(book_id=BOOK)] == [ids[2], ids[0]]
    with pytest.raises(UsageError, match="no job 99"):
        ledger.entry(99)


def test_a_ledger_outlives_its_process(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'deep' / 'jobs.sqlite'}"
    failures = [LessonError("a.md", "is binary", 4)]
    counts = ChunkCounts(tokens=500_000)
    report = IngestReport(book_id=BOOK, mode="full", root="docs", price=2.0, chunks=counts, failures=failures)
    with closing(JobLedger(url)) as ledger, job_of(ledger, lambda: report):
        pass
    with closing(JobLedger(url)) as ledger:
        [entry] = ledger.entries()
    assert entry.cost == 1.0 and entry.failures == ({"path": "a.md", "line": 4, "reason": "is binary"},)


def test_a_ledger_in_the_database_of_a_url_keeps_jobs_as_a_file_does(database_url: str) -> None:
    failures = [LessonError("a.md", 'costs 5 %: "a" is binary', 4)]
    report = IngestReport(book_id=BOOK, mode="full", root="docs", failures=failures)
    with closing(JobLedger(database_url)) as ledger:
        dead, queued = ledger.queue(BOOK, "full"), ledger.queue(BOOK, "incremental")
        assert ledger.open_jobs(BOOK) == [dead.job_id, queued.job_id]
        job = ledger.begin(BOOK, "incremental", queued=queued)
        assert ledger.open_jobs(BOOK) == [job.job_id] == [queued.job_id]
        ledger.finish(job, report)
        later = ledger.begin("other-book", "full")
    with closing(JobLedger(database_url)) as ledger:
        assert [entry.job.job_id for entry in ledger.entries()] == [later.job_id, job.job_id, dead.job_id]
        assert [entry.job.job_id for entry in ledger.entries(limit=1, book_id=BOOK)] == [job.job_id]
        assert [each["reason"] for each in ledger.entry(job.job_id).failures] == [failures[0].reason]
        ledger.close_dead("other-book")
        assert ledger.entry(later.job_id).job.status == ledger.entry(dead.job_id).job.status == "failed"


def command(*arguments: str) -> Result:
    return run_command("jobs", *arguments)


@pytest.fixture
def kept(clean_surroundings: Path) -> int:
    """The id of one job in the ledger where the command looks for it."""
    with closing(JobLedger("sqlite:///.bookwise/jobs.sqlite")) as ledger:
        failures = [LessonError("a.md", "is binary", 4)]
        report = IngestReport(book_id=BOOK, mode="full", root="docs", price=0.0, failures=failures)
        with job_of(ledger, lambda: report):
            pass
        return last(ledger).job.job_id


def test_the_command_lists_jobs_and_shows_one(kept: int) -> None:
    assert f"Jobs of {BOOK}:" in command().stdout and "full  completed" in command().stdout
    listed: list[Any] = json.loads(command("--json").stdout)["jobs"]
    shown = json.loads(command("show", str(kept), "--json").stdout)
    assert listed == [shown] and shown["job_id"] == kept and shown["mode"] == "full"
    assert "failed: a.md: is binary" in command("show", str(kept)).stdout
    assert command("--book", "other").stdout == "No runs yet.\n"


def test_an_unknown_job_is_exit_2_and_no_runs_at_all_are_none(clean_surroundings: Path) -> None:
    assert command().stdout == "No runs yet.\n"
    refused = command("show", "7")
    assert refused.exit_code == 2 and "no job 7" in refused.stderr


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("no-url-hunter2", 4),
        ("oracle9://me:hunter2@127.0.0.1/x", 4),
        ("sqlite:////proc/hunter2/jobs.sqlite", 8),
        ("sqlite:////dev/null/hunter2/jobs.sqlite", 8),
    ],
)
def test_an_unusable_database_is_refused_without_its_password(
    monkeypatch: pytest.MonkeyPatch, url: str, code: int
) -> None:
    monkeypatch.setenv("DATABASE_URL", url)
    refused = command("--json")
    assert refused.exit_code == code and "DATABASE_URL" in refused.stderr
    assert "hunter2" not in refused.output + repr(getattr(refused.exception, "__cause__", None))


def test_a_process_with_nothing_to_do_imports_nothing_heavy_and_keeps_no_job(tmp_path: Path) -> None:
    local = build_embedder("local", model="", dimensions=None, api_key=None, base_url=None, threads=0)
    desk = Desk(tmp_path, FakeEmbedder(local.model, local.dimensions))
    write_book(tmp_path / "docs", PAGES)
    desk.ingest()
    script = f"import cli, sys, atexit; atexit.register(lambda: print({HEAVY} & sys.modules.keys())); cli.app()"
    process = desk.start("ingest", program=script)
    printed, said = process.communicate(timeout=20)
    assert (process.returncode, said) == (0, "") and "3 unchanged" in printed
    assert printed.endswith("set()\n")
    with closing(JobLedger(f"sqlite:///{desk.directory / 'jobs.sqlite'}")) as ledger:
        assert len(ledger.entries()) == 1
