"""The one pass: crawl, compare, and make the index equal to the lessons.

Per group of files: embed → upsert → patch payloads → delete stale → checkpoint → record (DESIGN decision 6). At
every moment a file answers with its old or its new chunks, and what is recorded is in the store.
"""

from __future__ import annotations

import time
from contextlib import closing, nullcontext
from dataclasses import dataclass
from pathlib import Path

from ingestion.crawler import crawl
from ingestion.embedders import Embedder
from ingestion.lock import writer_lock
from ingestion.models import IngestionMode
from ingestion.report import IngestReport
from ingestion.run import Progress, Run
from ingestion.settings import Settings
from ingestion.state_store import StateFile
from ingestion.target import Target
from ingestion.vector_stores import Generations, Schema
from ingestion.vectors import VectorCache


@dataclass(frozen=True, slots=True)
class Parts:
    """What a run works with. The embedder does not load its model before it embeds."""

    settings: Settings
    embedder: Embedder
    generations: Generations
    states: StateFile
    cache: VectorCache | None
    lock: Path

    def close(self) -> None:
        """Release the cache; the stores are released by each run."""
        if self.cache:
            self.cache.close()

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
) -> IngestReport:
    """Make the index of one book equal to the lessons below `root`, or with `dry_run` say what that would take.

    `incremental` looks at what changed, `full` at every file, `recreate` builds a new generation and switches to
    it at the end. Lessons that fail keep their old points and are in the report. Raises SourceError for an
    unusable root, DeletionGuard before deleting too much, Locked, StateError, EmbeddingError or VectorStoreError;
    what was done until then stays done and recorded.
    """
    started = time.monotonic()
    settings = parts.settings
    found = crawl(root, exclude=settings.exclude, include=settings.include, translations=settings.translations)
    with nullcontext() if dry_run else writer_lock(parts.lock):
        state = parts.states.load(book_id, settings.collection)
        with closing(Target.open(parts.generations, parts.schema, mode, dry_run=dry_run)) as target:
            run = Run(
                found=found,
                state=state,
                states=parts.states,
                target=target,
                embedder=parts.embedder,
                cache=parts.cache,
                settings=settings,
                report=IngestReport(book_id=book_id, mode=mode, root=str(root), dry_run=dry_run),
            )
            run.plan(allow_delete=allow_delete)
            if dry_run:
                run.preview()
            elif run.pending:
                run.apply(progress)
    run.report.seconds = time.monotonic() - started
    return run.report
