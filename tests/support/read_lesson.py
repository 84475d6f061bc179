"""A file as a lesson: read, parsed and chunked, without an index."""

from __future__ import annotations

from contextlib import nullcontext, suppress
from functools import cache
from pathlib import Path

from ingestion.chunking.chunks import chunk_lesson
from ingestion.errors import LessonError
from ingestion.ids import LessonKey
from ingestion.models import DocumentChunk
from ingestion.settings import Settings
from ingestion.settings.loader import load_settings
from ingestion.source.crawler import SourceFile
from ingestion.source.metadata.page import UnpublishedPage
from ingestion.source.parser import parse_lesson
from ingestion.source.reader import read_source


@cache
def settings_of() -> Settings:
    """Return the settings of a book without a configuration."""
    return load_settings({}, environ={})


def chunks_of(path: Path, *, may_fail: bool = False) -> list[DocumentChunk]:
    """Return the chunks of a page; with `may_fail` none where it is refused or unpublished, and nothing else."""
    settings = settings_of()
    source = read_source(SourceFile(f"m/{path.name}", path, root=path.parent))
    with suppress(LessonError, UnpublishedPage) if may_fail else nullcontext():
        lesson = parse_lesson(source, settings)
        key = LessonKey(book_id="b", module=lesson.module, chapter=None, lesson=None, source_file=lesson.path)
        return chunk_lesson(lesson, key, settings, embedding="e")
    return []
