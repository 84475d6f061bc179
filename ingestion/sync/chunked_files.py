"""From the bytes of one lesson file to its chunks: pure, so that it can be done on this machine or on another."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from ingestion.chunking.chunks import chunk_lesson
from ingestion.errors import BookwiseError, LessonError
from ingestion.models import DocumentChunk, PublishedPage, RecordedFinding
from ingestion.settings import Settings
from ingestion.source.crawler import SourceFile
from ingestion.source.metadata.front_matter import FrontMatter
from ingestion.source.metadata.page import UnpublishedPage
from ingestion.source.parser import parse_lesson
from ingestion.source.reader import SourceText, read_source
from ingestion.sync.plan import FilePlan

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ChunkedFile:
    """One file's chunks, and what its record keeps besides them; see IngestionRecord."""

    plan: FilePlan
    chunks: tuple[DocumentChunk, ...]
    findings: tuple[RecordedFinding, ...] = ()
    includes: Mapping[str, str] = field(default_factory=dict)
    published_until: str = ""
    published: PublishedPage | None = None


@dataclass(frozen=True, slots=True)
class ChunkJob:
    """A file to read and chunk, and what the plan says of it."""

    plan: FilePlan
    file: SourceFile


ChunkFiles = Callable[[Iterable[ChunkJob], Settings, str], Iterator[ChunkedFile | LessonError]]
"""Chunks files in order for a named embedding; a lesson that fails is a LessonError in its place."""


def chunk_files_here(
    jobs: Iterable[ChunkJob], settings: Settings, embedding: str
) -> Iterator[ChunkedFile | LessonError]:
    """Chunk each file on the caller's thread, as it is asked for."""
    for job in jobs:
        text = read_planned(job)
        yield text if isinstance(text, LessonError) else chunk_text(job.plan, text, settings, embedding)


def read_planned(job: ChunkJob) -> SourceText | LessonError:
    """Read a file; one whose content is no longer what was planned is a LessonError."""
    try:
        text = read_source(job.file)
    except LessonError as error:
        return error
    if text.sha256 != job.plan.facts.file_hash:
        return LessonError(text.path, "changed while it was being read; run again")
    return text


def chunk_text(
    plan: FilePlan, text: SourceText, settings: Settings, embedding: str, front: FrontMatter | None = None
) -> ChunkedFile | LessonError:
    """Return the file's chunks, or why it has none; an error that is not the lesson's is raised.

    `front` is its metadata, where they are read already.
    """
    try:
        lesson = parse_lesson(text, settings, front)
        chunks = chunk_lesson(lesson, plan.key, settings, embedding=embedding)
    except LessonError as error:
        return error
    except UnpublishedPage as page:
        return LessonError(plan.facts.path, f"{page.reason} since the run started; run again")
    except BookwiseError:
        raise
    except Exception as error:
        logger.debug("chunking %s failed", plan.facts.path, exc_info=True)
        return LessonError(plan.facts.path, f"cannot be chunked: {error!r}; please report this")
    found = tuple(RecordedFinding(finding.line, finding.rule, finding.message) for finding in lesson.findings)
    return ChunkedFile(plan, tuple(chunks), found, lesson.includes, lesson.published_until, text.published)
