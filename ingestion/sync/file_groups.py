"""The files of a plan in groups of bounded size: parsed and chunked, then compared with the store."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ingestion.errors import LessonError
from ingestion.models import DocumentChunk
from ingestion.report import ChunkCounts, FileOutcome
from ingestion.source.findings import Finding
from ingestion.sync.chunked_files import ChunkedFile, ChunkFiles, ChunkJob, chunk_files_here
from ingestion.sync.diff import ChunkDiff, diff_chunks, refine_change
from ingestion.sync.plan import FileChange, FilePlan
from ingestion.sync.scan import sizes_of
from ingestion.tokens import expect_characters
from ingestion.vector_stores.filters import of_files
from ingestion.vector_stores.protocol import PointReader

if TYPE_CHECKING:
    from ingestion.sync.run import PlannedRun
    from ingestion.sync.vector_check import VectorCheck

CHUNKS_PER_GROUP = 256
"""A group of more than one file has no more, so that one write holds it and no file is seen half written."""

MIN_CHUNKS_PER_GROUP = 64
"""Where the embedder takes little at a time, groups are small, so that lessons are done soon, but worth a flush."""

FILES_PER_GROUP = 64


@dataclass(frozen=True, slots=True)
class ChunkedGroup:
    """Files that are chunked, and those before and between them that could not be."""

    files: tuple[ChunkedFile, ...]
    failures: tuple[LessonError, ...]


@dataclass(frozen=True, slots=True)
class ComparedFile:
    """One file ready to be written: what differs, and the payloads the store holds now, by id.

    `moved` are those of the path that it had before, if it moved, by the hash of their text.
    """

    chunked: ChunkedFile
    change: FileChange
    diff: ChunkDiff
    stored: Mapping[str, Mapping[str, Any]]
    moved: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def before(self, chunk: DocumentChunk) -> Mapping[str, Any] | None:
        """Return the payload that the chunk had until now, None for a new one."""
        return self.stored.get(chunk.id) or self.moved.get(chunk.metadata.content_hash)

    @property
    def plan(self) -> FilePlan:
        """Return the plan of the file."""
        return self.chunked.plan

    @property
    def path(self) -> str:
        """Return the path of the file."""
        return self.chunked.plan.facts.path

    @property
    def chunks(self) -> tuple[DocumentChunk, ...]:
        """Return all chunks that the file is to have."""
        return self.chunked.chunks

    @property
    def counts(self) -> ChunkCounts:
        """Return what becomes of its chunks."""
        diff = self.diff
        return ChunkCounts(
            kept=len(diff.keep), patched=len(diff.patch), written=len(diff.write), deleted=len(diff.stale)
        )

    @property
    def outcome(self) -> FileOutcome:
        """Return what becomes of the file."""
        # Equal counts hide chunks of another version: a store restored from an older copy, say.
        change = "damaged" if self.change == "unchanged" and self.diff.pending else self.change
        return FileOutcome(
            path=self.path,
            change=change,
            moved_from=self.plan.moved_from,
            empty=not self.chunks,
            findings=tuple(Finding(self.path, *finding) for finding in self.chunked.findings),
        )


@dataclass(frozen=True, slots=True)
class ComparedGroup:
    """Files compared with the store, and those that failed before that."""

    files: tuple[ComparedFile, ...]
    failures: tuple[LessonError, ...] = ()

    @property
    def to_write(self) -> list[DocumentChunk]:
        """Return the chunks that need a vector."""
        return [chunk for file in self.files for chunk in file.diff.write]

    @property
    def counts(self) -> ChunkCounts:
        """Return what becomes of all its chunks."""
        return sum((file.counts for file in self.files), ChunkCounts())

    @property
    def outcomes(self) -> list[FileOutcome]:
        """Return what becomes of its files."""
        return [file.outcome for file in self.files]


def chunked_groups(run: PlannedRun, chunk_files: ChunkFiles = chunk_files_here) -> Iterator[ChunkedGroup]:
    """Yield the plan's files in path order, chunked; a lesson that fails is a failure of its group."""
    expect_characters(sum(sizes_of(run.found, run.plan).values()))
    limits = run.parts.embedder.limits
    max_chunks = min(CHUNKS_PER_GROUP, max(MIN_CHUNKS_PER_GROUP, limits.inputs * limits.in_flight))
    files: list[ChunkedFile] = []
    failures: list[LessonError] = []
    pending = 0
    for chunked in chunk_files(_jobs_of(run), run.parts.settings, run.parts.embedding):
        if isinstance(chunked, LessonError):
            failures.append(chunked)
            continue
        if files and (pending + len(chunked.chunks) > max_chunks or len(files) == FILES_PER_GROUP):
            yield ChunkedGroup(tuple(files), tuple(failures))
            files, failures, pending = [], [], 0
        files.append(chunked)
        pending += len(chunked.chunks)
    if files or failures:
        yield ChunkedGroup(tuple(files), tuple(failures))


def _jobs_of(run: PlannedRun) -> Iterator[ChunkJob]:
    sources = {file.path: file for file in run.found.files}
    for plan in run.plan.files:
        path = plan.facts.path
        yield ChunkJob(plan, replace(sources[path], published=run.pages.get(path)))


def compared_groups(run: PlannedRun, groups: Iterable[ChunkedGroup] | None = None) -> Iterator[ComparedGroup]:
    """Yield the groups compared with the store; those of the plan, unless they are made elsewhere."""
    if run.parts.vectors:
        run.parts.vectors.begin(run.state.total_chunks)
    for group in chunked_groups(run) if groups is None else groups:
        yield compare_group(group, run.target.store, run.parts.vectors)


def compare_group(
    group: ChunkedGroup, store: PointReader | None, vectors: VectorCheck | None = None
) -> ComparedGroup:
    """Return what each file's chunks change in the store; with `vectors` points of another's are written anew."""
    stored = _stored_of(group.files, store)
    files = [_compared(file, stored) for file in group.files]
    if vectors and store:
        wrong = vectors.wrong([chunk for file in files for chunk in (*file.diff.keep, *file.diff.patch)], store)
        files = [replace(file, diff=file.diff.rewriting(wrong)) for file in files]
    return ComparedGroup(tuple(files), group.failures)


def _stored_of(
    files: Sequence[ChunkedFile], store: PointReader | None
) -> Mapping[str, Mapping[str, Mapping[str, Any]]]:
    """Return the payloads that the store holds for each path that the files have or had, by id."""
    stored = defaultdict[str, dict[str, Mapping[str, Any]]](dict)
    if not store or not files:
        return stored
    paths = {path for file in files for path in (file.plan.facts.path, file.plan.moved_from) if path}
    for where in of_files(files[0].plan.key.book_id, paths):
        for point in store.scroll(where):
            stored[point.payload["source_file"]][point.id] = point.payload
    return stored


def _compared(file: ChunkedFile, by_path: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> ComparedFile:
    stored = by_path[file.plan.facts.path]
    diff = diff_chunks(file.chunks, stored)
    earlier = by_path[file.plan.moved_from].values() if file.plan.moved_from else ()
    moved = {payload["content_hash"]: payload for payload in earlier}
    return ComparedFile(file, refine_change(file.plan.change, diff, stored), diff, stored, moved)
