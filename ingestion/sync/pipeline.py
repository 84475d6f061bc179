"""The one pass: crawl, compare, and make the index equal to the lessons.

Per group of files: embed → upsert → patch payloads → delete stale (docs/design.md, decision 6), while those after it
are chunked and embedded; every two seconds: checkpoint → record. At every moment a file answers with its old or its
new chunks, and what is recorded is safe in the store.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ingestion.errors import BookwiseError, StateError
from ingestion.models import IngestionJob, IngestionMode
from ingestion.report import IngestReport, Tally
from ingestion.state.job_ledger import JobLedger
from ingestion.sync.parts import Parts
from ingestion.sync.run import planned_run

logger = logging.getLogger(__name__)

Progress = Callable[[int, int, IngestReport], None]
"""Called at the start and after each group and request, with the files done and to do, and the report so far."""


def ingest(
    parts: Parts,
    root: Path,
    *,
    book_id: str,
    mode: IngestionMode = "incremental",
    allow_delete: bool = False,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> IngestReport:
    """Make the index of one book equal to the lessons below `root`, or with `dry_run` say what that would take.

    `incremental` looks at what changed, `full` at every file, `recreate` builds a new generation and switches to
    it at the end. Lessons that fail keep their old points and are in the report. Raises SourceError, DeletionRefused,
    BudgetExceeded, IndexLocked, StateError, EmbeddingError or VectorStoreError; what was done until then stays so.
    """
    started = time.monotonic()
    tally = Tally(
        book_id=book_id, mode=mode, root=str(root), dry_run=dry_run, price=parts.price, recipient=parts.recipient
    )
    with planned_run(parts, root, book_id=book_id, mode=mode, allow_delete=allow_delete, dry_run=dry_run) as run:
        run.describe(tally)
        run.announce(sends=not dry_run)
        tally.spend("plan", time.monotonic() - started)
        # Imported late: a run with nothing to do needs neither.
        if dry_run:
            from ingestion.sync.preview import preview

            preview(run, tally)
        elif run.pending:
            from ingestion.sync.apply import apply

            with job_of(parts.jobs, tally.report):
                apply(run, tally, progress or (lambda *_: None))
        tally.set_followed(run.followed())
    return tally.report(time.monotonic() - started)


@contextmanager
def job_of(jobs: JobLedger | None, report: Callable[[], IngestReport]) -> Iterator[None]:
    """Keep a run in the ledger while the block does its work: running, then completed or failed as `report` says."""
    if jobs is None:
        yield
        return
    begun = report()
    try:
        job = jobs.begin(begun.book_id, begun.mode)
    except StateError as error:
        logger.warning("the run could not be added to the run history: %s", error)
        yield
        return
    try:
        yield
    except BaseException as error:
        _finish(jobs, job, report(), str(error) or type(error).__name__)
        raise
    _finish(jobs, job, report())


def _finish(jobs: JobLedger, job: IngestionJob, report: IngestReport, error: str | None = None) -> None:
    """Close the job; a ledger that fails neither hides why a run failed nor makes a good run fail."""
    try:
        jobs.finish(job, report, error=error)
    except BookwiseError as failure:
        logger.warning("the end of the run could not be saved in the run history: %s", failure)
