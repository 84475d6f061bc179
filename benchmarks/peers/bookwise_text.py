"""bookwise's parser and chunker, from the text of a lesson to its chunks with their metadata."""

from __future__ import annotations

import json
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks.peers.timing import timed
from ingestion.chunking.chunks import chunk_lesson
from ingestion.errors import LessonError
from ingestion.ids import LessonKey
from ingestion.models import DocumentChunk
from ingestion.settings.loader import load_settings
from ingestion.source.book_folder import crawl_book
from ingestion.source.metadata.page import UnpublishedPage
from ingestion.source.parser import parse_lesson
from ingestion.source.reader import read_source


def chunks_of(docs: Path) -> list[DocumentChunk]:
    settings = load_settings({"book.id": "book"}, environ={})
    found = []
    for file in crawl_book(docs, settings).files:
        try:
            lesson = parse_lesson(read_source(file), settings)
        except (LessonError, UnpublishedPage):  # as in a run: drafts are left out, a bad lesson stops no other
            continue
        key = LessonKey(
            book_id="book",
            module=lesson.module,
            chapter=lesson.chapter,
            lesson=lesson.lesson,
            source_file=lesson.path,
        )
        found += chunk_lesson(lesson, key, settings, embedding="m")
    return found


def split(docs: Path) -> dict[str, Any]:
    seconds, found = timed(lambda: chunks_of(docs))
    chunks = [
        {
            "path": chunk.metadata.source_file,
            "text": chunk.text,
            "line": chunk.metadata.line_start,
            "headings": [chunk.metadata.page_title, *chunk.metadata.heading_path],
            "anchor": chunk.metadata.anchor,
        }
        for chunk in found
    ]
    return {"seconds": seconds, "chunks": chunks}


if __name__ == "__main__":
    result = split(Path(sys.argv[2]))
    print(json.dumps(result | {"versions": {"bookwise": version("bookwise")}}))
