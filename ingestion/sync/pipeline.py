"""The one pass: crawl, compare, and make the index equal to the lessons.

Per group of files: embed → upsert → patch payloads → delete stale (DESIGN decision 6), while those after it are
chunked and embedded; every two seconds: checkpoint → record. At every moment a file answers with its old or its new
chunks, and what is recorded is safe in the store.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from ingestion.embedding.prices import price_of
from ingestion.embedding.protocol import Embedder
from ingestion.errors import BookwiseError, LessonError
from ingestion.models import DocumentChunk, IngestionMode, IngestionState
from ingestion.report import IngestReport
from ingestion.settings import Settings
from ingestion.source.book_folder import crawl_book
from ingestion.source.crawler import Crawl
from ingestion.state.batch_ledger import BatchLedger, SentBatch
from ingestion.state.job_ledger import JobLedger
from ingestion.state.state_file import StateStore
from ingestion.state.writer_lock import writer_lock
from ingestion.sync.known_vectors import VectorCache
from ingestion.sync.run import Progress, Run
from ingestion.sync.target import Target
from ingestion.vector_stores.lease import Lease
from ingestion.vector_stores.protocol import Generations
from ingestion.vector_stores.types import Schema

if TYPE_CHECKING:
    from ingestion.embedding.workers import StartWorkers

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Parts:
    """What a run works with. The embedder does not load its model before it embeds; `apart` has a process embed as it
    would, for a run with many texts, where that is worth it."""

    settings: Settings
    embedder: Embedder
    generations: Generations
    states: StateStore
    cache: VectorCache | None
    lock: Path
    jobs: JobLedger | None = None
    batches: BatchLedger | None = None
    apart: StartWorkers | None = None

    def close(self) -> None:
        """Release the cache and the ledgers; the stores are released by each run."""
        for part in (self.cache, self.jobs, self.batches):
            if part:
                part.close()

    @contextmanager
    def as_writer(self) -> Iterator[Lease]:
        """Acquire the lock of the one writer, on this machine and on a shared server; see Generations.writer.

        Waits as long as `index.wait` says for both together.
        """
        wait, began = self.settings.index.wait, time.monotonic()
        with writer_lock(self.lock, wait):
            left = max(0.0, wait - (time.monotonic() - began))
            with self.generations.writer(left) as lease:
                yield lease

    def open_batches(self, book_id: str) -> list[SentBatch]:
        """The batches of a book that are to be fetched."""
        return self.batches.open_batches(book_id) if self.batches else []

    @property
    def price(self) -> float | None:
        """Dollars a million tokens that the embedder takes: as set, else as published, None if neither is known."""
        set_price = self.settings.embedding.price
        return price_of(self.embedder.model) if set_price is None else set_price

    @property
    def schema(self) -> Schema:
        """The schema of the index that these settings make."""
        return Schema(self.embedder.model, self.embedder.dimensions)


def ingest(
    parts: Parts,
    root: Path,
    *,
    book_id: str,
    mode: IngestionMode = "incremental",
    allow_delete: bool = False,
    dry_run: bool = False,
    progress: Progress | None = None,
    lacking: Callable[[DocumentChunk], object] | None = None,
    refused: Mapping[str, LessonError] = MappingProxyType({}),
    ignore_batches: bool = False,
) -> IngestReport:
    """Make the index of one book equal to the lessons below `root`, or with `dry_run` say what that would take.

    `incremental` looks at what changed, `full` at every file, `recreate` builds a new generation and switches to
    it at the end. Lessons that fail, or are `refused` beforehand, keep their old points and are in the report; a dry
    run calls `lacking` with each chunk to write whose text has no vector. Raises SourceError, DeletionRefused,
    BudgetExceeded (also where a text is in an open batch, unless these are ignored), IndexLocked, StateError,
    EmbeddingError or VectorStoreError; what was done until then stays so.
    """
    started = time.monotonic()
    settings = parts.settings
    report = IngestReport(book_id=book_id, mode=mode, root=str(root), dry_run=dry_run, price=parts.price)
    found = crawl_book(root, settings)
    with nullcontext() if dry_run else parts.as_writer() as lease:
        state = parts.states.load(book_id, settings.qdrant.collection)
        with closing(Target.open(parts.generations, parts.schema, mode, lease)) as target:
            run = _run_of(parts, found, state, target, report, refused)
            run.plan(allow_delete=allow_delete)
            if lease is None:
                run.preview(lacking or (lambda _: None), lambda: parts.open_batches(book_id))
            elif run.pending:
                with job_of(parts.jobs, report):
                    run.apply(progress, lease, [] if ignore_batches else parts.open_batches(book_id))
    report.seconds = time.monotonic() - started
    return report


def _run_of(
    parts: Parts,
    found: Crawl,
    state: IngestionState,
    target: Target,
    report: IngestReport,
    refused: Mapping[str, LessonError],
) -> Run:
    return Run(
        found=found,
        state=state,
        states=parts.states,
        target=target,
        embedder=parts.embedder,
        cache=parts.cache,
        settings=parts.settings,
        report=report,
        refused=refused,
        apart=parts.apart,
    )


@contextmanager
def job_of(jobs: JobLedger | None, report: IngestReport) -> Iterator[None]:
    """Keep a run in the ledger while the block does its work: running, then completed or failed."""
    if jobs is None:
        yield
        return
    job = jobs.begin(report.book_id, report.mode)
    try:
        yield
    except BaseException as error:
        try:
            jobs.finish(job, report, error=str(error) or type(error).__name__)
        except BookwiseError as second:
            # The ledger must not hide why the run failed.
            logger.warning("the run stays open in the job ledger: %s", second)
        raise
    jobs.finish(job, report)
