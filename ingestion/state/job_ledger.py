"""The ledger of runs: one IngestionJob a run that had something to do, in any database SQLAlchemy knows.

SQLAlchemy takes half a second to import, so a run without work never opens the ledger.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Collection
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ingestion.errors import UsageError
from ingestion.models import IngestionJob, IngestionMode, utc_now
from ingestion.state.database import Database

if TYPE_CHECKING:
    from sqlalchemy import MetaData, Row, Table

    from ingestion.report import IngestReport

_JOB_FIELDS = tuple(field.name for field in fields(IngestionJob))
OPEN = ("queued", "running")
_TALLY = ("embedded", "reused", "tokens")


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """A job, and what it cost: texts embedded, vectors reused, tokens, dollars (None: unknown), failed lessons."""

    job: IngestionJob
    embedded: int
    reused: int
    tokens: int
    cost: float | None
    failures: tuple[dict[str, Any], ...]

    def as_json(self) -> dict[str, Any]:
        """Return one JSON object."""
        return asdict(self.job) | {
            "embedded": self.embedded,
            "reused": self.reused,
            "tokens": self.tokens,
            "cost": self.cost,
            "failures": list(self.failures),
        }


class JobLedger:
    """The jobs in one database; opened at the first call. Raises StateError where it cannot be used."""

    def __init__(self, where: str | Path) -> None:
        self._database = Database(where, _jobs_table)

    def queue(self, book_id: str, mode: IngestionMode) -> IngestionJob:
        """Return a job that is to run soon; `begin` or `finish` go on with it."""
        return self._insert(IngestionJob(job_id=0, book_id=book_id, mode=mode))

    def begin(self, book_id: str, mode: IngestionMode, *, queued: IngestionJob | None = None) -> IngestionJob:
        """Start a job, or the one that was queued. One of the same book left open by a run that died is closed.

        The caller holds the writer's lock, so that no other run of the book is alive.
        """
        self.close_dead(book_id, alive={queued.job_id} if queued else ())
        if queued is None:
            return self._insert(IngestionJob(job_id=0, book_id=book_id, mode=mode).start())
        job = queued.start()
        with self._database.transaction() as (connection, table):
            running = table.update().where(table.c.job_id == job.job_id)
            connection.execute(running.values(status=job.status, started_at=job.started_at))
        return job

    def close_dead(self, book_id: str, *, alive: Collection[int] = ()) -> None:
        """Close as failed what is open of this book, but for those alive; the caller knows that the rest died."""
        with self._database.transaction() as (connection, table):
            is_open = (table.c.book_id == book_id) & table.c.status.in_(OPEN) & table.c.job_id.not_in(alive)
            values = {"status": "failed", "completed_at": utc_now(), "error_message": "the run ended without a word"}
            connection.execute(table.update().where(is_open).values(values))

    def _insert(self, job: IngestionJob) -> IngestionJob:
        place = {"pid": os.getpid(), "host": socket.gethostname()}
        row = {name: getattr(job, name) for name in _JOB_FIELDS if name != "job_id"}
        with self._database.transaction() as (connection, table):
            key = connection.execute(table.insert().values(**row, **place, failures=[])).inserted_primary_key
        return replace(job, job_id=int(key[0]) if key else 0)

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
        values["failures"] = [
            {"path": failure.path, "line": failure.line, "reason": failure.reason} for failure in report.failures
        ]
        with self._database.transaction() as (connection, table):
            connection.execute(table.update().where(table.c.job_id == job.job_id).values(**values))
        return ended

    def open_jobs(self, book_id: str) -> list[int]:
        """Return the ids of the book's jobs that have not ended, the oldest first."""
        with self._database.transaction() as (connection, table):
            query = table.select().where(table.c.book_id == book_id, table.c.status.in_(OPEN))
            return [row.job_id for row in connection.execute(query.order_by(table.c.job_id))]

    def entries(self, *, limit: int = 20, book_id: str | None = None) -> list[LedgerEntry]:
        """Return the latest jobs, newest first."""
        with self._database.transaction() as (connection, table):
            query = table.select().order_by(table.c.job_id.desc()).limit(limit)
            query = query.where(table.c.book_id == book_id) if book_id else query
            return [_entry(row) for row in connection.execute(query)]

    def entry(self, job_id: int) -> LedgerEntry:
        """Return one job; raises UsageError where there is none."""
        with self._database.transaction() as (connection, table):
            row = connection.execute(table.select().where(table.c.job_id == job_id)).first()
        if row is None:
            raise UsageError(f"no job {job_id}; `bookwise jobs` lists them")
        return _entry(row)

    def close(self) -> None:
        """Release the database."""
        self._database.close()


def _jobs_table(metadata: MetaData) -> Table:
    from sqlalchemy import JSON, Column, Float, Integer, String, Table, Text

    return Table(
        "ingestion_jobs",
        metadata,
        Column("job_id", Integer, primary_key=True),
        Column("book_id", String(200), nullable=False, index=True),
        *(Column(name, String(40)) for name in ("mode", "status", "started_at", "completed_at", "host")),
        *(Column(name, Integer) for name in ("files_processed", "files_skipped", "chunks_created", "chunks_deleted")),
        *(Column(name, Integer, default=0) for name in ("embedded", "reused", "tokens")),
        *(Column(name, Integer) for name in ("duration_seconds", "pid")),
        Column("cost", Float),
        Column("error_message", Text),
        Column("failures", JSON),
    )


def _entry(row: Row[Any]) -> LedgerEntry:
    values = row._mapping
    return LedgerEntry(
        job=IngestionJob(**{name: values[name] for name in _JOB_FIELDS}),
        embedded=values["embedded"] or 0,
        reused=values["reused"] or 0,
        tokens=values["tokens"] or 0,
        cost=values["cost"],
        failures=tuple(values["failures"] or ()),
    )
