"""Carry a plan out: embed, write and record group by group, then remove what is gone."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack

from ingestion.errors import BookwiseError, Interrupted, LessonError, PointRefused
from ingestion.models import IngestionRecord, utc_now
from ingestion.report import ChunkCounts, FileOutcome, IngestReport, Tally
from ingestion.sync.chunked_files import chunk_files_here
from ingestion.sync.embed_scheduler import EmbedRequests
from ingestion.sync.file_groups import ComparedFile, ComparedGroup, chunked_groups, compared_groups
from ingestion.sync.guards import refuse_spending
from ingestion.sync.parts import Parts
from ingestion.sync.preview import previewed_groups
from ingestion.sync.read_ahead import running_ahead
from ingestion.sync.recorder import Recorder
from ingestion.sync.run import PlannedRun
from ingestion.sync.scan import sizes_of
from ingestion.sync.spool import GroupSpool
from ingestion.sync.stages import EmbeddedGroup, EmbeddingStage
from ingestion.sync.writer import GroupWriter, delete_files
from ingestion.vector_stores.lease import Lease

logger = logging.getLogger(__name__)

GROUPS_AHEAD = 2
BYTES_PER_TOKEN = 4


def apply(run: PlannedRun, tally: Tally, progress: Callable[[int, int, IngestReport], None]) -> None:
    """Carry the plan out; on any error what is finished is recorded before the error is raised.

    Raises BudgetExceeded, before anything is embedded, where that would take more than the settings allow.
    """
    assert run.lease is not None
    if run.parts.cluster:
        run.parts.cluster.connect()
    with ExitStack() as stack:
        groups = _groups(run, stack)
        _Application(run, run.lease, tally, progress).carry_out(groups)


def _groups(run: PlannedRun, stack: ExitStack) -> Iterator[ComparedGroup]:
    """Yield the compared groups: chunked ahead on a thread of their own, or with a budget all of them before."""
    limits, cluster = run.parts.settings.embedding, run.parts.cluster
    chunked = chunked_groups(run, cluster.chunk_files if cluster else chunk_files_here)
    if limits.max_tokens is None and limits.max_cost is None:
        return compared_groups(run, stack.enter_context(running_ahead(chunked, GROUPS_AHEAD)))
    spool = stack.enter_context(GroupSpool())
    tokens = 0
    for previewed in previewed_groups(compared_groups(run, chunked), run.known_vectors()):
        tokens += previewed.counts.tokens
        spool.put(previewed.group)
    refuse_spending(tokens, run.parts.price, max_tokens=limits.max_tokens, max_cost=limits.max_cost)
    return spool.groups()


def _requests(parts: Parts) -> EmbedRequests:
    if cluster := parts.cluster:
        return EmbedRequests(parts.embedder, parts.cache, cluster.start_workers, cluster.limits)
    return EmbedRequests(parts.embedder, parts.cache)


class _Application:
    """One plan while it is carried out."""

    def __init__(
        self,
        run: PlannedRun,
        lease: Lease,
        tally: Tally,
        progress: Callable[[int, int, IngestReport], None],
    ) -> None:
        self._run = run
        self._lease = lease
        self._tally = tally
        self._progress = progress
        self._writer: GroupWriter | None = None
        self._loading = ExitStack()
        self._recorder = Recorder(run.state, run.parts.states, run.target, run.fingerprint, run.unsettled())
        self._sizes = sizes_of(run.found, run.plan)
        self._done = self._bytes_done = 0

    def carry_out(self, groups: Iterator[ComparedGroup]) -> None:
        run = self._run
        before = dict(run.state.records)
        run.state.without_page = set(run.without_page)
        # A first run that is interrupted has its folder recorded, so that the next one knows the book again.
        run.state.docs_root = run.state.docs_root or run.relative_root
        if not run.target.in_use:
            run.state.records = {}
        try:
            with self._loading:
                self._write_all(groups)
            self._lease()
            self._delete_stale()
            self._remove_deleted()
            if not run.target.in_use:
                self._carry_over(before)
            self._finish()
        except KeyboardInterrupt:
            self._save_what_is_done()
            left = len(run.plan.files) - self._done
            raise Interrupted(
                f"interrupted: {self._done} lessons are done and saved, {left} are left for the next run"
            ) from None
        except BaseException:
            self._save_what_is_done()
            raise
        self._recorder.save()

    def _write_all(self, groups: Iterator[ComparedGroup]) -> None:
        """Write and record group by group, while those after it are embedded."""
        run = self._run
        self._show()
        requests = _requests(run.parts)
        stage = EmbeddingStage(requests, run.known_vectors(), lambda: self._count(stage))
        try:
            with requests:
                begun = time.monotonic()
                for group in stage.run(groups):
                    came = time.monotonic()
                    self._tally.spend("embed", came - begun)
                    self._lease()
                    self._write(group)
                    self._done += len(group.group.files) + len(group.group.failures)
                    paths = [file.path for file in group.group.files]
                    paths += [failure.path for failure in group.group.failures]
                    self._bytes_done += sum(self._sizes.get(path, 0) for path in paths)
                    if self._writer and self._writer.has_much_stale:
                        self._delete_stale()
                    self._recorder.save_in_time()
                    self._count(stage)
                    begun = time.monotonic()
                    self._tally.spend("write", begun - came)
        finally:
            # Requests under way when the run ended may have come back since.
            self._tally.set_embedding(stage.counts)

    def _write(self, embedded: EmbeddedGroup) -> None:
        """Write the group and note what became of it; a file with a text or point that is refused is a failure."""
        self._tally.add_failures(embedded.failures)
        files = self._write_accepted(embedded.embedded, embedded)
        for file in files:
            self._recorder.add(file)
        self._tally.add_files((file.outcome for file in files), sum((file.counts for file in files), ChunkCounts()))

    def _write_accepted(self, files: list[ComparedFile], embedded: EmbeddedGroup) -> list[ComparedFile]:
        """Write the files and return them, without those that hold a point which is refused."""
        while files:
            try:
                if any(file.diff.pending for file in files):
                    self._writing().write(files, embedded.chunks)
                break
            except PointRefused as refused:
                path = refused.source_file
                rest = [file for file in files if file.path != path]
                if path is None or len(rest) == len(files):
                    raise
                self._tally.add_failures([LessonError(path, str(refused))])
                files = rest
        return files

    def _writing(self) -> GroupWriter:
        """Return what writes; the first that is written opens the store for it."""
        if self._writer is None:
            run = self._run
            store = run.target.to_write()
            # Most chunks are near the target size.
            expected = sum(self._sizes.values()) // (BYTES_PER_TOKEN * run.parts.settings.chunk.tokens)
            self._loading.enter_context(run.target.generations.loading(store, expected))
            self._writer = GroupWriter(store, run.parts.embedder.model)
        return self._writer

    def _count(self, stage: EmbeddingStage) -> None:
        self._tally.set_embedding(stage.counts)
        self._show()

    def _show(self) -> None:
        self._tally.set_work(self._bytes_done // BYTES_PER_TOKEN, sum(self._sizes.values()) // BYTES_PER_TOKEN)
        self._progress(self._done, len(self._run.plan.files), self._tally.report())

    def _delete_stale(self) -> None:
        if self._writer:
            self._recorder.settle(self._writer.delete_stale())

    def _save_what_is_done(self) -> None:
        """After a failure, which this must not hide: the next run finds stale points that are left."""
        try:
            self._lease()
            self._delete_stale()
        except BookwiseError as error:
            logger.warning("stale points are left for the next run: %s", error)
        self._recorder.save_what_is_safe()

    def _remove_deleted(self) -> None:
        run, points = self._run, 0
        if not run.plan.deleted:
            return
        if run.target.in_use and run.target.store:
            points = delete_files(run.target.to_write(), run.state.book_id, run.plan.deleted)
        self._recorder.remove(run.plan.deleted)
        outcomes = (FileOutcome(path=path, change="deleted") for path in run.plan.gone)
        self._tally.add_files(outcomes, ChunkCounts(deleted=points))

    def _kept(self) -> frozenset[str]:
        """Return the files that the run leaves as they were."""
        return self._run.kept | self._tally.failed

    def _carry_over(self, before: Mapping[str, IngestionRecord]) -> None:
        """Take other books and lessons that failed into the new generation, so that readers lose neither."""
        kept = self._kept()
        self._run.target.carry_over(kept)
        self._run.state.records |= {path: record for path, record in before.items() if path in kept}

    def _finish(self) -> None:
        run = self._run
        run.target.finish(run.state, self._kept())
        run.state.docs_root = run.relative_root
        run.state.last_incremental_update = utc_now()
        if not run.plan.unchanged:
            run.state.last_full_ingest = run.state.last_incremental_update
        self._tally.set_total_chunks(run.state.total_chunks)
