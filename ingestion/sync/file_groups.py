"""The files of a plan in groups of bounded size: parsed and chunked, then compared with the store."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ingestion.chunking.chunks import chunk_lesson
from ingestion.embedding.batching import Limits
from ingestion.errors import LessonError
from ingestion.models import DocumentChunk, RecordedFinding
from ingestion.report import ChunkCounts, IngestReport
from ingestion.settings import Settings
from ingestion.source.crawler import SourceFile
from ingestion.source.parser import Lesson, parse_lesson
from ingestion.source.reader import read_source
from ingestion.sync.plan import ChunkPlan, FileChange, FilePlan, Plan, plan_chunks, refine_change
from ingestion.vector_stores.filters import AnyOf, Equals, Where
from ingestion.vector_stores.protocol import VectorStore

logger = logging.getLogger(__name__)

CHUNKS_A_GROUP = 256
"""A group of more than one file has no more, so that one write holds it and no file is seen half written."""

FEWEST_CHUNKS_A_GROUP = 64
"""Where the embedder takes little at a time, groups are small, so that lessons are done soon, but worth a flush."""

FILES_A_GROUP = 64


@dataclass(frozen=True, slots=True)
class LessonNotes:
    """What a record keeps of a lesson besides its chunks; see IngestionRecord."""

    findings: tuple[RecordedFinding, ...] = ()
    includes: Mapping[str, str] = field(default_factory=dict)
    links: tuple[str, ...] = ()

    @classmethod
    def of(cls, lesson: Lesson) -> LessonNotes:
        """Return the notes on a parsed lesson."""
        found = tuple(RecordedFinding(each.line, each.rule, each.message) for each in lesson.findings)
        return cls(found, lesson.includes, lesson.links)


@dataclass(frozen=True, slots=True)
class ChunkedFile:
    """One file ready to be written: its chunks, what differs, and the payloads the store holds now, by id."""

    plan: FilePlan
    change: FileChange
    wanted: tuple[DocumentChunk, ...]
    chunks: ChunkPlan
    stored: Mapping[str, Mapping[str, Any]]
    lesson: LessonNotes

    def count(self, counts: ChunkCounts) -> None:
        """Add what becomes of its chunks."""
        counts.kept += len(self.chunks.keep)
        counts.patched += len(self.chunks.patch)
        counts.written += len(self.chunks.write)
        counts.deleted += len(self.chunks.stale)


ChunkGroup = list[tuple[FilePlan, list[DocumentChunk], LessonNotes]]
"""Files with their chunks, not yet compared with the store."""


def chunk_groups(
    plan: Plan,
    sources: Mapping[str, SourceFile],
    *,
    settings: Settings,
    embedding: str,
    limits: Limits,
    report: IngestReport,
) -> Iterator[ChunkGroup]:
    """The plan's files in path order, chunked; a lesson that fails goes to the report instead."""
    most = min(CHUNKS_A_GROUP, max(FEWEST_CHUNKS_A_GROUP, limits.inputs * limits.in_flight))
    group: ChunkGroup = []
    pending = 0
    for each in plan.files:
        try:
            lesson = _parse(each, sources[each.facts.path], settings)
            chunks = chunk_lesson(lesson, each.key, settings, embedding=embedding)
        except LessonError as error:
            report.failures.append(error)
            continue
        except Exception as error:
            logger.debug("chunking %s failed", each.facts.path, exc_info=True)
            report.failures.append(LessonError(each.facts.path, f"cannot be chunked: {error!r}; please report this"))
            continue
        report.findings.extend(lesson.findings)
        if group and (pending + len(chunks) > most or len(group) == FILES_A_GROUP):
            yield group
            group, pending = [], 0
        group.append((each, chunks, LessonNotes.of(lesson)))
        pending += len(chunks)
    if group:
        yield group


def _parse(each: FilePlan, source: SourceFile, settings: Settings) -> Lesson:
    text = read_source(source)
    if text.sha256 != each.facts.file_hash:
        raise LessonError(text.path, "changed while the run was reading it; run again")
    return parse_lesson(text, settings)


def compare_group(group: ChunkGroup, store: VectorStore | None) -> list[ChunkedFile]:
    """What each file's chunks change in the store."""
    stored: dict[str, dict[str, Mapping[str, Any]]] = {each.facts.path: {} for each, _, _ in group}
    if store:
        where = Where((Equals("book_id", group[0][0].key.book_id), AnyOf("source_file", tuple(stored))))
        for point in store.scroll(where):
            stored[point.payload["source_file"]][point.id] = point.payload
    compared = []
    for each, wanted, notes in group:
        there = stored[each.facts.path]
        chunks = plan_chunks(wanted, there)
        change = refine_change(each.change, chunks, there)
        compared.append(ChunkedFile(each, change, tuple(wanted), chunks, there, notes))
    return compared
