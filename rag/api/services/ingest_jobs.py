"""Ingest in the background, one run per book at a time; the job ledger keeps the runs when the server ends."""

from __future__ import annotations

import asyncio
import logging
from concurrent.futures import Future
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from ingestion.books import book_to_write
from ingestion.embedding.recipient import Recipient
from ingestion.errors import AlreadyRunning, BookwiseError, IndexLocked, Interrupted
from ingestion.factory import build_parts, generations_of, ledger_of, recipient_of, settle_embedder, states_of
from ingestion.models import IngestionJob, IngestionMode
from ingestion.report import IngestReport
from ingestion.settings import Settings
from ingestion.sync.pipeline import ingest
from rag.api.http.failures import FailureReporter
from rag.api.http.threadpool import DatabaseThreads
from rag.api.schemas import IngestJob, IngestRequest
from rag.serving.embedders import STOPPED, StoppableEmbedder
from rag.serving.shared_index import SharedIndex

if TYPE_CHECKING:
    from ingestion.state.job_ledger import JobLedger
    from ingestion.vector_stores.protocol import Generations

logger = logging.getLogger("bookwise.api")


@dataclass(slots=True)
class _Run:
    """Progress of a run of this server."""

    job: IngestionJob
    lessons_done: int = 0
    lessons_total: int = 0


class IngestJobs:
    """Starts runs of the configured book and returns their progress."""

    def __init__(
        self,
        settings: Settings,
        docs: Path,
        index: SharedIndex,
        failures: FailureReporter,
        database: DatabaseThreads,
    ) -> None:
        self._settings = settings
        self._docs = docs
        self._index = index
        self._failures = failures
        self._database = database
        self._ledger = ledger_of(settings)
        self._running: dict[int, _Run] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._starting = asyncio.Lock()
        self._stopped: Future[None] = Future()

    async def start(self, request: IngestRequest) -> IngestJob:
        """Start a run; raises AlreadyRunning."""
        async with self._starting:
            book_id = await asyncio.to_thread(self._book)
            if open_jobs := await self._database.run(self._alive, book_id):
                raise AlreadyRunning(open_jobs[0])
            recipient = await asyncio.to_thread(self._recipient)
            run = _Run(await self._database.run(self._ledger.queue, book_id, request.mode))
            self._running[run.job.job_id] = run
        task = asyncio.create_task(self._run(run, request))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        started = await self.get(run.job.job_id)
        return started.model_copy(update={"recipient": recipient})

    async def get(self, job_id: int) -> IngestJob:
        """Return a run, of this server or another process; raises UsageError if there is none."""
        entry = await self._database.run(self._ledger.entry, job_id)
        if entry.job.completed_at is None and job_id not in self._running:
            await self._database.run(self._alive, entry.job.book_id)
            entry = await self._database.run(self._ledger.entry, job_id)
        done = total = entry.job.files_processed
        if entry.job.completed_at is None and (run := self._running.get(job_id)):
            done, total = run.lessons_done, run.lessons_total
        progress = {"lessons_done": done, "lessons_total": total}
        return IngestJob.model_validate(entry.as_json() | progress)

    async def finish(self, *, seconds: float) -> None:
        """Stop the runs at their next step, also where they wait for a service; completed work is saved."""
        if not self._stopped.done():
            self._stopped.set_result(None)
        if self._tasks:
            await asyncio.wait(set(self._tasks), timeout=seconds)
        self._ledger.close()

    def _book(self) -> str:
        generations = generations_of(self._settings)
        return book_to_write(self._settings, self._docs, states_of(self._settings, generations), generations)

    def _recipient(self) -> Recipient | None:
        return recipient_of(settle_embedder(self._settings))

    def _alive(self, book_id: str) -> list[int]:
        """Return the book's open jobs; closes those whose process died, which only a writer can know."""
        ours = [job_id for job_id in self._running if self._running[job_id].job.book_id == book_id]
        found = self._ledger.open_jobs(book_id)
        if ours or not found:
            return ours
        try:
            with closing(build_parts(self._settings)) as parts, parts.as_writer(wait=0):
                self._ledger.close_dead(book_id)
        except IndexLocked:
            return found
        return []

    async def _run(self, run: _Run, request: IngestRequest) -> None:
        ledger = _Announced(self._ledger, run)
        error = None
        try:
            async with self._index.for_writing() as generations:
                report = await asyncio.to_thread(self._ingest, run, request, generations, ledger)
        except Exception as failure:
            self._failures.report(failure)
            is_bug = not isinstance(failure, BookwiseError)
            report, error = _nothing(run), "unexpected error; see the server log" if is_bug else str(failure)
        try:
            if not ledger.has_ended:
                await self._database.run(ledger.finish, run.job, report, error=error)
        except BookwiseError:
            logger.exception("run stays open in the job ledger")
        finally:
            del self._running[run.job.job_id]

    def _ingest(
        self, run: _Run, request: IngestRequest, generations: Generations, ledger: _Announced
    ) -> IngestReport:
        def progress(done: int, total: int, report: IngestReport) -> None:
            run.lessons_done, run.lessons_total = done, total
            if self._stopped.done():
                raise Interrupted(STOPPED)

        built = build_parts(self._settings)
        embedder = StoppableEmbedder(built.embedder, self._stopped)
        parts = replace(built, embedder=embedder, generations=generations, jobs=cast("JobLedger", ledger))
        with closing(parts):
            return ingest(
                parts,
                self._docs,
                book_id=run.job.book_id,
                mode=request.mode,
                allow_delete=request.allow_delete,
                progress=progress,
            )


class _Announced:
    """Ledger of one run whose job is already in it; a run without work never begins it."""

    def __init__(self, ledger: JobLedger, run: _Run) -> None:
        self.has_ended = False
        self._ledger = ledger
        self._run = run

    def begin(self, book_id: str, mode: IngestionMode) -> IngestionJob:
        self._run.job = self._ledger.begin(book_id, mode, queued=self._run.job)
        return self._run.job

    def finish(self, job: IngestionJob, report: IngestReport, *, error: str | None = None) -> None:
        self._ledger.finish(job.start() if job.status == "queued" else job, report, error=error)
        self.has_ended = True

    def close(self) -> None:
        """Do nothing: the ledger belongs to the server."""


def _nothing(run: _Run) -> IngestReport:
    return IngestReport(book_id=run.job.book_id, mode=run.job.mode, root="", dry_run=False)
