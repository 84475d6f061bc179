"""Plan one run over one book: files, records and store are compared before anything is written."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ingestion.errors import LessonError, RecordsDamaged
from ingestion.models import IngestionMode, IngestionRecord, IngestionState
from ingestion.report import Tally
from ingestion.source.book_folder import crawl_book
from ingestion.source.checkout import left_out
from ingestion.source.crawler import Crawl
from ingestion.source.findings import Finding
from ingestion.state.stat_cache import StatCache
from ingestion.sync.guards import WORDS_KEPT, exceeds, refuse_deletion
from ingestion.sync.known import Known, hashes_of, known_files, words_of
from ingestion.sync.known_vectors import KnownVectors
from ingestion.sync.parts import Parts
from ingestion.sync.plan import Plan, make_plan
from ingestion.sync.scan import Scan, fingerprint_of, scan_files
from ingestion.sync.target import Target
from ingestion.vector_stores.lease import Lease

if TYPE_CHECKING:
    from ingestion.models import PublishedPage
    from ingestion.sync.published import Build

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedRun:
    """One run whose plan is made: `preview` tells what it would do, `apply` does it; a dry run has no lease.

    `kept` are paths that are neither looked at nor deleted, since what they hold now is not known. `pages` are those
    of the built site by lesson, and `without_page` the lessons of which it has none.
    """

    parts: Parts
    mode: IngestionMode
    found: Crawl
    state: IngestionState
    target: Target
    known: Known
    scan: Scan
    plan: Plan
    kept: frozenset[str]
    missing: tuple[LessonError, ...]
    fingerprint: Mapping[str, str]
    lease: Lease | None
    pages: Mapping[str, PublishedPage]
    without_page: frozenset[str]

    @property
    def pending(self) -> bool:
        """Return whether there is anything to do."""
        return self.plan.pending or not self.target.in_use

    @property
    def relative_root(self) -> str:
        """Return the docs root as it is recorded."""
        base = self.parts.states.folder.resolve()
        return Path(os.path.relpath(self.found.root, base)).as_posix()

    def announce(self, *, sends: bool) -> None:
        """Tell who gets the texts of a book that has none in the index; they are sent now, or only would be."""
        recipient = self.parts.recipient
        is_first = not self.state.records or not self.target.in_use
        if recipient and is_first and self.pending:
            self.parts.tell(recipient.announcement(sends=sends))

    def known_vectors(self) -> KnownVectors:
        """Return where vectors of texts that were embedded before are looked up."""
        return KnownVectors(
            # Where vectors are checked, a stored one is no proof of itself.
            stores=lambda: [] if self.parts.vectors else self.target.vector_stores,
            cache=self.parts.cache,
            dimensions=self.parts.schema.dimensions,
        )

    def unsettled(self) -> set[str]:
        """Return the files of which records and points may disagree until the run has looked at them."""
        planned = {file.facts.path for file in self.plan.files}
        return planned | set(self.plan.deleted) | self.known.doubtful(self.kept)

    def followed(self) -> Iterator[str]:
        """Yield the files beside the lessons that decide what is indexed, relative to the root of the lessons."""
        for record in self.state.records.values():
            yield from record.includes
        if site := self.found.site:
            yield Path(os.path.relpath(site.config, self.found.root)).as_posix()

    def remark(self) -> None:
        """Log where the index is not as the settings say."""
        for remark in self.target.remarks:
            logger.warning("%s", remark)

    def describe(self, tally: Tally) -> None:
        """Note what the plan found before any file is looked at."""
        records = self.state.records
        tally.start(
            unchanged=len(self.plan.unchanged),
            findings=[Finding(path, *found) for path in self.plan.unchanged for found in records[path].findings],
            skipped=tuple(sorted((*self.found.skipped, *self.scan.unpublished))),
            total_files=len(self.found.files),
            total_chunks=self.state.total_chunks,
        )
        tally.add_failures((*self.scan.failures, *self.missing))


@contextmanager
def planned_run(
    parts: Parts, root: Path, *, book_id: str, mode: IngestionMode, allow_delete: bool, dry_run: bool
) -> Iterator[PlannedRun]:
    """Crawl, make the plan, and be the one writer if there is anything to do, unless nothing may be written.

    Raises SourceError, IndexLocked, or DeletionRefused, before anything is written.
    """
    found = crawl_book(root, parts.settings)
    hashes = StatCache(Path(parts.settings.index.directory), found.root, trusted=mode == "incremental")
    build = _built_site(parts, mode)
    planning = _Planning(parts, found, hashes, build, book_id, mode, allow_delete=allow_delete)
    if dry_run:
        with planning.planned(None) as run:
            yield run
        return
    with parts.alone_in_folder() as left:
        parts.generations.repair()
        before = None
        if parts.generations.is_remote and mode == "incremental":
            with planning.planned(None) as before:
                if not before.pending and not before.target.is_unfinished:
                    before.remark()
                    planning.save_caches()
                    yield before
                    return
        with parts.generations.writer(left) as lease, planning.planned(lease, before) as run:
            planning.save_caches()
            yield run


@dataclass(frozen=True, slots=True)
class _Planning:
    """What the plans of one run have in common: on a server it is planned before the lease is taken, and after."""

    parts: Parts
    found: Crawl
    hashes: StatCache
    build: Build | None
    book_id: str
    mode: IngestionMode
    allow_delete: bool

    def save_caches(self) -> None:
        """Keep what was found of files for the next run."""
        self.hashes.save()
        if self.build:
            self.build.cache.save()

    @contextmanager
    def planned(self, lease: Lease | None, before: PlannedRun | None = None) -> Iterator[PlannedRun]:
        """Plan by what the index and its records say now; `before` is a plan of this run that may be out of date."""
        generations, schema = self.parts.generations, self.parts.schema
        state = _recorded(self.parts, self.book_id, lease)
        takes_others = self.parts.takes_others
        opened = Target.open(generations, schema, self.book_id, self.mode, lease, takes_others=takes_others)
        with closing(opened) as target:
            if lease and target.is_unfinished:
                target.mend()
            run = self._plan(state, target, lease, before)
            if not self.allow_delete:
                _refuse_deletion(run)
            if not target.in_use:
                target.refuse_losses(run.kept)
            yield run

    def _plan(
        self, state: IngestionState, target: Target, lease: Lease | None, before: PlannedRun | None
    ) -> PlannedRun:
        found, settings = self.found, self.parts.settings
        fingerprint = fingerprint_of(settings, self.parts.embedding, found.fingerprint)
        known = known_files(target, state, self.mode)
        records = known.records if target.in_use else {}
        if before and before.state.records == state.records:
            scan, pages, without = before.scan, before.pages, before.without_page
        else:
            scan, pages, without = self._scan(records, fingerprint, state, target)
        kept, missing = _not_here(found, known, scan)
        plan = make_plan(
            scan.facts,
            records,
            book_id=state.book_id,
            fingerprint=fingerprint,
            failed=kept,
            stored=known.stored if target.in_use else None,
            stored_hashes=_other_hashes(target, known, found, records),
            known=known.paths,
            look_at=known.in_doubt,
            everything=self.mode != "incremental" or not known.is_trusted,
        )
        return PlannedRun(
            parts=self.parts,
            mode=self.mode,
            found=found,
            state=state,
            target=target,
            known=known,
            scan=scan,
            plan=plan,
            kept=kept,
            missing=missing,
            fingerprint=fingerprint,
            lease=lease,
            pages=pages,
            without_page=without,
        )

    def _scan(
        self,
        records: Mapping[str, IngestionRecord],
        fingerprint: Mapping[str, str],
        state: IngestionState,
        target: Target,
    ) -> tuple[Scan, Mapping[str, PublishedPage], frozenset[str]]:
        """Return the scan of what the built site publishes, the pages of its lessons, and the lessons without one."""
        scan = scan_files(self.found, records, fingerprint, self.parts.settings, self.hashes)
        if not self.build and not any(record.published for record in state.records.values()):
            return scan, {}, frozenset()
        from ingestion.sync.published import pages_in, published_lessons

        lost = {file.path for file in self.found.files} - state.records.keys()
        store = target.readers_store if lost and self.build and self.build.site is None else None
        indexed = pages_in(store, state.book_id, lost) if store else {}
        settings = self.parts.settings
        found = published_lessons(self.build, scan.facts, scan.unchanged, self.found, state, settings, indexed)
        scan = replace(scan, facts=found.facts, unpublished=(*scan.unpublished, *found.without))
        return scan, found.pages, frozenset(skipped.path for skipped in found.without)


def _built_site(parts: Parts, mode: IngestionMode) -> Build | None:
    """Return the built site that the settings name, and tell where it is not there."""
    if not parts.settings.book.built:
        return None
    # Imported late: few books name one.
    from ingestion.sync.published import Build, say_what_is_missing

    build = Build.open(parts.settings, mode)
    say_what_is_missing(build, parts.settings, parts.tell)
    return build


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


def _not_here(found: Crawl, known: Known, scan: Scan) -> tuple[frozenset[str], tuple[LessonError, ...]]:
    """Return the paths that must be kept, since what they hold now is not known, and what the checkout lacks."""
    kept = known.at_risk((error.path for error in scan.failures), [folder.path for folder in found.unreadable])
    gone = known.paths - {file.path for file in found.files} - kept
    missing = left_out(found.root, gone) if gone else {}
    return kept | missing.keys(), tuple(LessonError(*each) for each in sorted(set(missing.values())))


def _refuse_deletion(run: PlannedRun) -> None:
    gone, limit = len(run.plan.gone), run.parts.settings.index.max_delete
    changed = {file.facts.path: file.facts.words for file in run.plan.files if run.known.may_differ(file.facts)}
    # Counting words takes a look at the points: only where they could decide.
    decides = exceeds(gone + len(changed), len(run.known.paths), limit)
    refuse_deletion(
        book_id=run.state.book_id,
        present={facts.path for facts in run.scan.facts} | run.kept,
        known=run.known.paths,
        moved={file.moved_from for file in run.plan.files if file.moved_from},
        root=run.relative_root,
        last_root=run.state.docs_root,
        max_percent=limit,
        unpublished=len(run.scan.unpublished),
        emptied=_emptied(run.target, changed) if decides else 0,
    )


def _emptied(target: Target, changed: Mapping[str, int]) -> int:
    """Return how many of these files, given with the words that they have, had more than ten times as many."""
    before = words_of(store, target.book_id, changed) if changed and (store := target.readers_store) else {}
    return sum(words * WORDS_KEPT < before.get(path, 0) for path, words in changed.items())


def _other_hashes(
    target: Target, known: Known, found: Crawl, records: Mapping[str, IngestionRecord]
) -> dict[str, str]:
    """Return the hash of each file that is gone and not in the plan's records: it may have moved."""
    gone = known.paths - {file.path for file in found.files} - records.keys()
    recorded = {path: known.records[path].file_hash for path in gone & known.records.keys()}
    lost = (known.stored or {}).keys() & gone - recorded.keys()
    store = target.readers_store if lost else None
    return recorded | (hashes_of(store, target.book_id, lost) if store else {})
