"""The ledger of runs: one IngestionJob a run that had something to do, in a file of ours or a database by its URL."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ingestion.errors import UsageError
from ingestion.models import IngestionJob, IngestionMode, utc_now
from ingestion.state.database import Execute, assignments, insertion, json_value, open_database

if TYPE_CHECKING:
    from ingestion.report import IngestReport

_JOB_FIELDS = tuple(field.name for field in fields(IngestionJob))
OPEN = ("queued", "running")
_TALLY = ("embedded", "reused", "tokens")

PAGES_KEPT = 100
"""The pages that a job lists; how many a run changed is kept besides."""


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """A job, and what it cost: texts embedded, vectors reused, tokens, dollars (None: unknown), failed lessons.

    `changed` counts the pages that it changed (None: not known), `changes` lists the first of them.
    """

    job: IngestionJob
    embedded: int
    reused: int
    tokens: int
    cost: float | None
    failures: tuple[dict[str, Any], ...]
    changed: int | None = None
    changes: tuple[dict[str, Any], ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return one JSON object."""
        return asdict(self.job) | {
            "embedded": self.embedded,
            "reused": self.reused,
            "tokens": self.tokens,
            "cost": self.cost,
            "failures": list(self.failures),
            "changed": self.changed,
            "changes": list(self.changes),
        }


class JobLedger:
    """The jobs in one database; opened at the first call. Raises StateError where it cannot be used."""

    def __init__(self, where: str | Path) -> None:
        self._database = open_database(where, _TABLE, _INDEX)

    def queue(self, book_id: str, mode: IngestionMode) -> IngestionJob:
        """Return a job that is to run soon; `begin` or `finish` go on with it."""
        with self._database.transaction() as execute:
            return _inserted(execute, IngestionJob(job_id=0, book_id=book_id, mode=mode))

    def begin(self, book_id: str, mode: IngestionMode, *, queued: IngestionJob | None = None) -> IngestionJob:
        """Start a job, or the one that was queued. One of the same book left open by a run that died is closed.

        The caller holds the writer's lock, so that no other run of the book is alive.
        """
        job = queued.start() if queued else IngestionJob(job_id=0, book_id=book_id, mode=mode).start()
        with self._database.transaction() as execute:
            _close_dead(execute, book_id, alive=job.job_id)
            if queued is None:
                return _inserted(execute, job)
            running = "UPDATE ingestion_jobs SET status = :status, started_at = :started_at WHERE job_id = :job_id"
            execute(running, {name: getattr(job, name) for name in ("status", "started_at", "job_id")})
        return job

    def close_dead(self, book_id: str) -> None:
        """Close as failed what is open of this book; the caller knows that all of it died."""
        with self._database.transaction() as execute:
            _close_dead(execute, book_id)

    def finish(self, job: IngestionJob, report: IngestReport, *, error: str | None = None) -> IngestionJob:
        """Close a job with what its report says; failed where an error ended the run.

        A file found is either processed or skipped (unchanged, failed, or not reached); a deleted one is neither.
        """
        counts = report.chunks
        processed = sum(change != "deleted" for change in report.changes.values())
        ended = job.finish(
            error=error,
            files_processed=processed,
            files_skipped=report.total_files - processed,
            chunks_created=counts.written,
            chunks_deleted=counts.deleted,
        )
        values = {name: getattr(ended, name) for name in _JOB_FIELDS if name != "job_id"}
        values |= {name: getattr(counts, name) for name in _TALLY} | {"cost": report.cost}
        failures = [
            {"path": failure.path, "line": failure.line, "reason": failure.reason} for failure in report.failures
        ]
        values["failures"] = json.dumps(failures)
        values |= {"changed": len(report.changes), "changes": json.dumps(_first_changes(report))}
        with self._database.transaction() as execute:
            closed = f"UPDATE ingestion_jobs SET {assignments(values)} WHERE job_id = :job_id"
            execute(closed, values | {"job_id": job.job_id})
        return ended

    def open_jobs(self, book_id: str) -> list[int]:
        """Return the ids of the book's jobs that have not ended, the oldest first."""
        query = f"SELECT job_id FROM ingestion_jobs WHERE book_id = :book_id AND {_IS_OPEN} ORDER BY job_id"
        with self._database.transaction() as execute:
            return [row["job_id"] for row in execute(query, {"book_id": book_id})]

    def entries(self, *, limit: int = 20, book_id: str | None = None) -> list[LedgerEntry]:
        """Return the latest jobs, newest first."""
        condition = "WHERE book_id = :book_id " if book_id else ""
        query = f"SELECT * FROM ingestion_jobs {condition}ORDER BY job_id DESC LIMIT :limit"
        with self._database.transaction() as execute:
            return [_entry(row) for row in execute(query, {"book_id": book_id, "limit": limit})]

    def entry(self, job_id: int) -> LedgerEntry:
        """Return one job; raises UsageError where there is none."""
        with self._database.transaction() as execute:
            rows = execute("SELECT * FROM ingestion_jobs WHERE job_id = :job_id", {"job_id": job_id})
        if not rows:
            raise UsageError(f"no job {job_id}; `bookwise jobs` lists them")
        return _entry(rows[0])

    def close(self) -> None:
        """Release the database."""
        self._database.close()


_TABLE = """CREATE TABLE IF NOT EXISTS ingestion_jobs (
job_id {key} PRIMARY KEY, book_id VARCHAR(200) NOT NULL, mode VARCHAR(40), status VARCHAR(40), started_at VARCHAR(40),
completed_at VARCHAR(40), host VARCHAR(40), files_processed INTEGER, files_skipped INTEGER, chunks_created INTEGER,
chunks_deleted INTEGER, embedded INTEGER, reused INTEGER, tokens INTEGER, duration_seconds INTEGER, pid INTEGER,
cost FLOAT, error_message TEXT, failures JSON, changed INTEGER, changes JSON)"""
_INDEX = "CREATE INDEX IF NOT EXISTS ix_ingestion_jobs_book_id ON ingestion_jobs (book_id)"
_IS_OPEN = f"status IN ({', '.join(map(repr, OPEN))})"


def _inserted(execute: Execute, job: IngestionJob) -> IngestionJob:
    values = {name: getattr(job, name) for name in _JOB_FIELDS if name != "job_id"}
    values |= {"pid": os.getpid(), "host": socket.gethostname(), "failures": "[]"}
    [row] = execute(f"{insertion('ingestion_jobs', values)} RETURNING job_id", values)
    return replace(job, job_id=row["job_id"])


def _close_dead(execute: Execute, book_id: str, alive: int = 0) -> None:
    values = {"status": "failed", "completed_at": utc_now(), "error_message": "the process died before it finished"}
    is_dead = f"book_id = :book_id AND {_IS_OPEN} AND job_id <> :alive"
    found = {"book_id": book_id, "alive": alive}
    execute(f"UPDATE ingestion_jobs SET {assignments(values)} WHERE {is_dead}", values | found)


def _entry(row: Mapping[str, Any]) -> LedgerEntry:
    return LedgerEntry(
        job=IngestionJob(**{name: row[name] for name in _JOB_FIELDS}),
        embedded=row["embedded"] or 0,
        reused=row["reused"] or 0,
        tokens=row["tokens"] or 0,
        cost=row["cost"],
        failures=tuple(json_value(row["failures"]) or ()),
        changed=row["changed"],
        changes=tuple(json_value(row["changes"]) or ()),
    )


def _first_changes(report: IngestReport) -> list[dict[str, Any]]:
    """Return what became of the first pages by path; a page that moved is one, with where it was."""
    first = sorted(report.changes.items())[:PAGES_KEPT]
    return [{"path": path, "change": change, "moved_from": report.moved_from.get(path)} for path, change in first]
