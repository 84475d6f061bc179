"""One run over one book: plan, then preview or apply it group by group, recording what is safe."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from ingestion.embedding.protocol import Embedder
from ingestion.errors import Interrupted, LessonError, PointRefused
from ingestion.models import DocumentChunk, IngestionRecord, IngestionState, utc_now
from ingestion.report import ChunkCounts, IngestReport
from ingestion.settings import Settings
from ingestion.source.crawler import Crawl
from ingestion.state.batch_ledger import SentBatch, refuse_paying_twice, texts_in_batches
from ingestion.state.state_file import StateStore
from ingestion.sync.guards import refuse_deletion, refuse_spending
from ingestion.sync.known_vectors import KnownVectors, VectorCache
from ingestion.sync.plan import Plan, make_plan
from ingestion.sync.recorder import Recorder
from ingestion.sync.scan import expected_chunks, fingerprint_of, hashes_of, paths_below, survey_files
from ingestion.sync.target import Target, carry_over, refuse_losses, would_be_lost
from ingestion.vector_stores.filters import Equals, Where
from ingestion.vector_stores.protocol import VectorStore

if TYPE_CHECKING:
    from ingestion.embedding.workers import StartWorkers
    from ingestion.sync.file_groups import ChunkedFile, ChunkGroup
    from ingestion.sync.stages import EmbeddedGroup
    from ingestion.sync.writer import GroupWriter

Progress = Callable[[int, int, IngestReport], None]
"""Called at the start and after each group and request, with the files done and to do, and the report so far."""


class Run:
    """The state of one run; `report` is its result at any time."""

    def __init__(
        self,
        *,
        found: Crawl,
        state: IngestionState,
        states: StateStore,
        target: Target,
        embedder: Embedder,
        cache: VectorCache | None,
        settings: Settings,
        report: IngestReport,
        refused: Mapping[str, LessonError],
        apart: StartWorkers | None,
    ) -> None:
        self.report = report
        self._refused = refused
        self._found = found
        self._state = state
        self._folder = states.folder
        self._target = target
        self._settings = settings
        self._book = Where((Equals("book_id", state.book_id),))
        self._embedding = f"{embedder.model}/{embedder.dimensions}"
        self._fingerprint = fingerprint_of(settings, self._embedding, found.fingerprint)
        self._recorder = Recorder(state, states, target, self._fingerprint)
        self._embedder = embedder
        self._apart = apart
        self._cache = cache
        self._plan = Plan((), (), ())
        self._done = 0

    @cached_property
    def _known(self) -> KnownVectors:
        return KnownVectors(stores=self._target.vector_stores, cache=self._cache)

    @property
    def pending(self) -> bool:
        """Whether there is anything to do."""
        return self._plan.pending or not self._target.in_use

    def plan(self, *, allow_delete: bool) -> None:
        """Compare files, records and store; raises SourceError or DeletionRefused before anything is written."""
        rebuild = not self._target.in_use
        records = {} if rebuild else self._state.records
        stored = None if rebuild else self._stored_counts()
        survey = survey_files(self._found, records, self._fingerprint, self._settings, refused=self._refused)
        failed = [error.path for error in survey.failures] + paths_below(self._found.unreadable, self._state.records)
        self._plan = make_plan(
            survey.facts,
            records,
            book_id=self._state.book_id,
            fingerprint=self._fingerprint,
            failed=failed,
            stored=stored,
            stored_hashes=self._stored_hashes({} if stored is None else stored, records),
            everything=self.report.mode != "incremental",
        )
        self.report.failures.extend(survey.failures)
        self.report.skipped = tuple(sorted((*self._found.skipped, *survey.unpublished)))
        self.report.total_files = len(self._found.files)
        self.report.total_chunks = self._state.total_chunks
        self.report.files["unchanged"] = len(self._plan.unchanged)
        for path in self._plan.deleted:
            self.report.note(path, "deleted")
        if not allow_delete:
            refuse_deletion(
                book_id=self._state.book_id,
                present={facts.path for facts in survey.facts} | set(failed),
                known=self._state.records.keys() | (stored or {}).keys(),
                moved={each.moved_from for each in self._plan.files if each.moved_from},
                root=self._relative_root(),
                last_root=self._state.docs_root,
                max_percent=self._settings.index.max_delete,
                unpublished=len(survey.unpublished),
            )
        if rebuild:
            refuse_losses(self._target, would_be_lost(self._book, self.report.failures))

    def preview(self, lacking: Callable[[DocumentChunk], object], sent: Callable[[], Sequence[SentBatch]]) -> None:
        """Fill the report with what applying the plan would do, as `look_through` says; writes nothing.

        `sent`, the open batches, is asked only where something is to be embedded.
        """
        wanted: set[str] = set()

        def note(chunk: DocumentChunk) -> None:
            wanted.add(chunk.embed_key)
            lacking(chunk)

        for file in self._look_through(self.report, note):
            self._note(file)
        if wanted:
            self.report.in_batches = texts_in_batches(wanted, sent())
        if self._plan.deleted and self._target.store:
            gone = self._state.get_chunks_to_delete(list(self._plan.deleted))
            self.report.chunks.deleted += len(gone)

    def _keep_to_budget(self, sent: Sequence[SentBatch]) -> None:
        most_tokens, most_cost = self._settings.embedding.max_tokens, self._settings.embedding.max_cost
        if most_tokens is None and most_cost is None and not sent:
            return
        estimate = replace(self.report, chunks=ChunkCounts(), failures=[], findings=[])
        wanted: set[str] = set()
        for _ in self._look_through(estimate, lambda chunk: wanted.add(chunk.embed_key)):
            pass
        refuse_paying_twice(wanted, sent, self.report.mode)
        refuse_spending(estimate.chunks.tokens, estimate.price, most_tokens=most_tokens, most_cost=most_cost)

    def _look_through(
        self, report: IngestReport, lacking: Callable[[DocumentChunk], object] | None = None
    ) -> Iterator[ChunkedFile]:
        from ingestion.sync.preview import look_through

        return look_through(self._groups(report), self._target.store, self._known, report.chunks, lacking)

    def apply(
        self, progress: Progress | None, still_ours: Callable[[], None], sent: Sequence[SentBatch] = ()
    ) -> None:
        """Carry the plan out; on any error what is finished is recorded before the error goes on.

        Raises BudgetExceeded, before anything is embedded, where that would take more than the settings allow, or
        embed what was `sent` in a batch.
        `still_ours` is called before each write, and raises where another writer took over.
        """
        self._keep_to_budget(sent)
        store = self._target.store
        assert store is not None
        before = dict(self._state.records)
        if not self._target.in_use:
            self._state.records = {}
        try:
            expected = expected_chunks(self._found, self._plan, self._settings)
            with self._target.generations.loading(store, expected):
                self._write_all(store, progress or (lambda *_: None), still_ours)
            still_ours()
            self._remove_deleted(store)
            if not self._target.in_use:
                self._carry_over(before)
            self._finish()
        except KeyboardInterrupt:
            self._recorder.save_what_is_safe()
            left = len(self._plan.files) - self._done
            raise Interrupted(
                f"interrupted: {self._done} lessons are done and recorded, {left} are left for the next run"
            ) from None
        except BaseException:
            self._recorder.save_what_is_safe()
            raise
        self._recorder.save()

    def _write_all(self, store: VectorStore, progress: Progress, still_ours: Callable[[], None]) -> None:
        """Write and record group by group, while those after it are chunked and embedded."""
        from ingestion.sync.stages import embedded_groups
        from ingestion.sync.writer import GroupWriter

        def show() -> None:
            progress(self._done, len(self._plan.files), self.report)

        show()
        writer = GroupWriter(store)
        with embedded_groups(
            self._groups(self.report),
            store=store,
            embedder=self._embedder,
            cache=self._cache,
            known=self._known,
            counts=self.report.chunks,
            on_reply=show,
            apart=self._apart,
        ) as groups:
            for group in groups:
                still_ours()
                for file in self._write(writer, group):
                    self._recorder.add(file)
                    self._note(file)
                self._done += len(group.files)
                self._recorder.save_in_time()
                show()

    def _remove_deleted(self, store: VectorStore) -> None:
        from ingestion.sync.writer import delete_files

        if self._plan.deleted:
            self.report.chunks.deleted += delete_files(store, self._state.book_id, self._plan.deleted)
            self._recorder.remove(self._plan.deleted)

    def _write(self, writer: GroupWriter, group: EmbeddedGroup) -> list[ChunkedFile]:
        """Write the group; a file with a text or point that is refused is a failure, and returned are the others."""
        self.report.failures.extend(group.failures)
        files = group.embedded
        while files:
            try:
                writer.write(files, group.vectors, self.report.chunks)
                break
            except PointRefused as refused:
                path = refused.source_file
                rest = [file for file in files if file.plan.facts.path != path]
                if path is None or len(rest) == len(files):
                    raise
                self.report.failures.append(LessonError(path, str(refused)))
                files = rest
        return files

    def _carry_over(self, before: Mapping[str, IngestionRecord]) -> None:
        """Take other books and lessons that failed into the new generation, so that readers lose neither."""
        carry_over(self._target, would_be_lost(self._book, self.report.failures))
        failed = {failure.path for failure in self.report.failures}
        self._state.records |= {path: record for path, record in before.items() if path in failed}

    def _groups(self, report: IngestReport) -> Iterator[ChunkGroup]:
        # Imported late: a run with nothing to do chunks nothing.
        from ingestion.sync.file_groups import chunk_groups

        sources = {file.path: file for file in self._found.files}
        limits = self._embedder.limits
        return chunk_groups(
            self._plan, sources, settings=self._settings, embedding=self._embedding, limits=limits, report=report
        )

    def _stored_counts(self) -> dict[str, int] | None:
        """Points a path has in the store; None where their sum agrees with the records (DESIGN decision 7)."""
        known = self._target.count(self._state.book_id)
        if self.report.mode == "incremental" and known == self._state.total_chunks:
            return None
        store = self._target.store
        return store.values("source_file", self._book) if store else {}

    def _stored_hashes(self, stored: Mapping[str, int], records: Mapping[str, IngestionRecord]) -> dict[str, str]:
        """The hash of each file that is stored but neither recorded nor present: it may have moved."""
        present = {file.path for file in self._found.files}
        lost = tuple(sorted(stored.keys() - records.keys() - present))
        return hashes_of(self._target.store, self._state.book_id, lost) if lost and self._target.store else {}

    def _note(self, file: ChunkedFile) -> None:
        # Equal counts hide chunks of another version: a store restored from an older copy, say.
        change = "damaged" if file.change == "unchanged" and file.chunks.pending else file.change
        self.report.note(file.plan.facts.path, change, file.plan.moved_from)
        if not file.wanted:
            self.report.empty.append(file.plan.facts.path)

    def _finish(self) -> None:
        failed = {failure.path for failure in self.report.failures}
        self._target.finish(self._state, failed)
        self._state.docs_root = self._relative_root()
        self._state.last_incremental_update = utc_now()
        if self.report.mode != "incremental":
            self._state.last_full_ingest = self._state.last_incremental_update
        self.report.total_chunks = self._state.total_chunks

    def _relative_root(self) -> str:
        base = self._folder.resolve()
        return Path(os.path.relpath(self._found.root, base)).as_posix()
