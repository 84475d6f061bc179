"""Runs in the background, one at a time a book; the last hundred are remembered."""

from __future__ import annotations

import asyncio
import logging
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from uuid import UUID, uuid4

from ingestion.build import book_to_write, build_parts, generations_of, states_of
from ingestion.errors import BookwiseError
from ingestion.models import utc_now
from ingestion.pipeline import ingest
from ingestion.report import IngestReport
from ingestion.settings import Settings
from ingestion.vector_stores import Generations
from rag.api.index import SharedIndex
from rag.api.schemas import IngestJob, IngestRequest

logger = logging.getLogger("bookwise.api")

REMEMBERED = 100


class AlreadyRunning(Exception):
    """The book is being written; `job_id` is the run."""

    def __init__(self, job_id: UUID) -> None:
        self.job_id = job_id
        super().__init__(f"run {job_id} of this book has not ended")


class IngestJobs:
    """Starts runs of the configured book and tells how far they are."""

    def __init__(self, settings: Settings, docs: Path, index: SharedIndex) -> None:
        self._settings = settings
        self._docs = docs
        self._index = index
        self._jobs: dict[UUID, IngestJob] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, request: IngestRequest) -> IngestJob:
        """A run that has begun; raises AlreadyRunning."""
        book_id = book_to_write(self._settings, states_of(self._settings, generations_of(self._settings)))
        for job in self._jobs.values():
            if job.book_id == book_id and job.status == "running":
                raise AlreadyRunning(job.job_id)
        job = IngestJob(job_id=uuid4(), book_id=book_id, mode=request.mode, status="running", started_at=utc_now())
        self._jobs[job.job_id] = job
        for old in list(self._jobs)[:-REMEMBERED]:
            del self._jobs[old]
        task = asyncio.create_task(self._run(job, request))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return job

    def get(self, job_id: UUID) -> IngestJob | None:
        """A run that this server started, None where it did not."""
        return self._jobs.get(job_id)

    async def finish(self) -> None:
        """Wait for the runs that have begun; what they finish is recorded, whatever ends the server."""
        if self._tasks:
            await asyncio.wait(set(self._tasks), timeout=5)

    async def _run(self, job: IngestJob, request: IngestRequest) -> None:
        try:
            async with self._index.for_writing() as generations:
                report = await asyncio.to_thread(self._ingest, job, request, generations)
            job.report, job.status = report.as_json(), "completed"
        except BookwiseError as error:
            job.error, job.status = str(error), "failed"
        except Exception:
            logger.exception("a bug in a run")
            job.error, job.status = "an error that was not foreseen; the log has more", "failed"
        job.completed_at = utc_now()

    def _ingest(self, job: IngestJob, request: IngestRequest, generations: Generations) -> IngestReport:
        def progress(done: int, total: int, report: IngestReport) -> None:
            job.lessons_done, job.lessons_total = done, total

        parts = replace(build_parts(self._settings), generations=generations)
        with closing(parts):
            return ingest(
                parts,
                self._docs,
                book_id=job.book_id,
                mode=request.mode,
                allow_delete=request.allow_delete,
                progress=progress,
            )
