"""Plan one run over one book: files, records and store are compared before anything is written."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

from ingestion.errors import LessonError, RecordsDamaged
from ingestion.models import IngestionMode, IngestionRecord, IngestionState
from ingestion.report import Tally
from ingestion.source.book_folder import crawl_book
from ingestion.source.crawler import Crawl
from ingestion.source.findings import Finding
from ingestion.sync.guards import refuse_deletion
from ingestion.sync.known_vectors import KnownVectors
from ingestion.sync.parts import Parts
from ingestion.sync.plan import Plan, make_plan
from ingestion.sync.scan import fingerprint_of, hashes_of, paths_below, scan_files
from ingestion.sync.target import Target, at_risk, refuse_losses
from ingestion.vector_stores.filters import Equals, Where
from ingestion.vector_stores.lease import Lease

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedRun:
    """One run whose plan is made: `preview` tells what it would do, `apply` does it; a dry run has no lease."""

    parts: Parts
    mode: IngestionMode
    found: Crawl
    state: IngestionState
    target: Target
    plan: Plan
    fingerprint: Mapping[str, str]
    failures: tuple[LessonError, ...]
    lease: Lease | None

    @property
    def pending(self) -> bool:
        """Return whether there is anything to do."""
        return self.plan.pending or not self.target.in_use

    @property
    def book(self) -> Where:
        """Return the filter for the points of the book."""
        return Where((Equals("book_id", self.state.book_id),))

    @property
    def relative_root(self) -> str:
        """Return the docs root as it is recorded."""
        base = self.parts.states.folder.resolve()
        return Path(os.path.relpath(self.found.root, base)).as_posix()

    def refuse_losses(self) -> None:
        """Raise DeletionRefused where a new generation would lose what it cannot take over."""
        if not self.target.in_use:
            refuse_losses(self.target, at_risk(self.book, {error.path for error in self.failures}))

    def announce(self, *, sends: bool) -> None:
        """Tell who gets the texts of a book that has none in the index; they are sent now, or only would be."""
        recipient = self.parts.recipient
        is_first = not self.state.records or not self.target.in_use
        if recipient and is_first and self.pending:
            self.parts.tell(recipient.announcement(sends=sends))

    def known_vectors(self) -> KnownVectors:
        """Return where vectors of texts that were embedded before are looked up."""
        return KnownVectors(
            stores=self.target.vector_stores, cache=self.parts.cache, dimensions=self.parts.schema.dimensions
        )

    def followed(self) -> Iterator[str]:
        """Yield the files beside the lessons that decide what is indexed, relative to the root of the lessons."""
        for record in self.state.records.values():
            yield from record.includes
        if site := self.found.site:
            yield Path(os.path.relpath(site.config, self.found.root)).as_posix()

    def describe(self, tally: Tally) -> None:
        """Note what the plan found before any file is looked at."""
        records = self.state.records
        tally.start(
            unchanged=len(self.plan.unchanged),
            findings=[finding for path in self.plan.unchanged for finding in _findings(records[path])],
            skipped=self.found.skipped,
            total_files=len(self.found.files),
            total_chunks=self.state.total_chunks,
        )
        tally.add_failures(self.failures)


@contextmanager
def planned_run(
    parts: Parts, root: Path, *, book_id: str, mode: IngestionMode, allow_delete: bool, dry_run: bool
) -> Iterator[PlannedRun]:
    """Crawl, acquire the writer lock unless nothing may be written, and make the plan.

    Raises SourceError, IndexLocked, or DeletionRefused, before anything is written.
    """
    settings = parts.settings
    found = crawl_book(root, settings)
    with nullcontext() if dry_run else parts.as_writer() as lease:
        if lease is not None:
            parts.generations.repair()
        state = _recorded(parts, book_id, lease)
        with closing(Target.open(parts.generations, parts.schema, mode, lease)) as target:
            yield _plan(parts, found, state, target, mode, lease=lease, allow_delete=allow_delete)


def _recorded(parts: Parts, book_id: str, lease: Lease | None) -> IngestionState:
    """Return what is recorded of a book; damaged records are set aside, and the index tells what they held."""
    collection = parts.settings.qdrant.collection
    try:
        return parts.states.load(book_id, collection)
    except RecordsDamaged as error:
        if lease is None:
            logger.warning("%s", error)
        else:
            logger.warning("%s (now: %s)", error, parts.states.set_aside(book_id))
        return IngestionState(book_id=book_id, collection_name=collection)


def _plan(
    parts: Parts,
    found: Crawl,
    state: IngestionState,
    target: Target,
    mode: IngestionMode,
    *,
    lease: Lease | None,
    allow_delete: bool,
) -> PlannedRun:
    fingerprint = fingerprint_of(parts.settings, parts.embedding, found.fingerprint)
    records = state.records if target.in_use else {}
    stored = _stored_counts(target, state, mode) if target.in_use else None
    scan = scan_files(found, records, fingerprint, parts.settings)
    failed = [error.path for error in scan.failures] + paths_below(found.unreadable, state.records)
    plan = make_plan(
        scan.facts,
        records,
        book_id=state.book_id,
        fingerprint=fingerprint,
        failed=failed,
        stored=stored,
        stored_hashes=_stored_hashes(target, state.book_id, found, stored or {}, records),
        everything=mode != "incremental",
    )
    run = PlannedRun(
        parts=parts,
        mode=mode,
        found=replace(found, skipped=tuple(sorted((*found.skipped, *scan.unpublished)))),
        state=state,
        target=target,
        plan=plan,
        fingerprint=fingerprint,
        failures=scan.failures,
        lease=lease,
    )
    if not allow_delete:
        _refuse_deletion(run, {facts.path for facts in scan.facts} | {*failed}, stored or {}, len(scan.unpublished))
    run.refuse_losses()
    return run


def _refuse_deletion(run: PlannedRun, present: set[str], stored: Mapping[str, int], unpublished: int) -> None:
    refuse_deletion(
        book_id=run.state.book_id,
        present=present,
        known=run.state.records.keys() | stored.keys(),
        moved={file.moved_from for file in run.plan.files if file.moved_from},
        root=run.relative_root,
        last_root=run.state.docs_root,
        max_percent=run.parts.settings.index.max_delete,
        unpublished=unpublished,
    )


def _stored_counts(target: Target, state: IngestionState, mode: IngestionMode) -> dict[str, int] | None:
    """Return the points of each path in the store; None where their sum agrees with the records (decision 7)."""
    if mode == "incremental" and target.count(state.book_id) == state.total_chunks:
        return None
    store = target.store
    return store.values("source_file", Where((Equals("book_id", state.book_id),))) if store else {}


def _stored_hashes(
    target: Target, book_id: str, found: Crawl, stored: Mapping[str, int], records: Mapping[str, IngestionRecord]
) -> dict[str, str]:
    """Return the hash of each file that is stored but neither recorded nor present: it may have moved."""
    present = {file.path for file in found.files}
    lost = tuple(sorted(stored.keys() - records.keys() - present))
    return hashes_of(target.store, book_id, lost) if lost and target.store else {}


def _findings(record: IngestionRecord) -> list[Finding]:
    return [Finding(record.source_file, *finding) for finding in record.findings]
