"""Chunks built by hand for the tests of models and plan, without parsing or chunking anything."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from ingestion.ids import LessonKey
from ingestion.models import DocumentChunk, DocumentMetadata

NOW = "2026-01-01T00:00:00+00:00"


def metadata(**changes: Any) -> DocumentMetadata:
    """The metadata of the only chunk of a lesson."""
    values: dict[str, Any] = {
        "book_id": "b",
        "module": "ros2",
        "chapter": 1,
        "lesson": 1,
        "section_title": "Section",
        "source_file": "module-1-ros2/chapter-1/01-a.md",
        "parent_doc_id": "00000000-0000-5000-8000-000000000000",
        "chunk_index": 0,
        "total_chunks": 1,
        "prev_chunk_id": None,
        "next_chunk_id": None,
        "content_hash": "c" * 64,
        "source_file_hash": "f" * 64,
        "created_at": NOW,
        "updated_at": NOW,
        "page_title": "Page",
        "page_url": "",
        "line_start": 1,
        "line_end": 2,
    }
    return DocumentMetadata(**values | changes)


def chunk(text: str = "Ten or more characters.", **changes: Any) -> DocumentChunk:
    """A chunk with its own embed_key for each text."""
    values: dict[str, Any] = {
        "id": "11111111-1111-5111-8111-111111111111",
        "text": text,
        "metadata": metadata(),
        "word_count": len(text.split()),
        "token_count": len(text),
        "char_count": len(text),
        "embed_text": text,
        "embed_key": hashlib.sha256(text.encode()).hexdigest()[:32],
    }
    return DocumentChunk(**values | changes)


def lesson_chunks(
    texts: Sequence[str], *, lesson: int = 1, tiers: Sequence[int] = (), **changes: Any
) -> list[DocumentChunk]:
    """The linked chunks of one lesson, as `ingestion.chunking.chunks` links them."""
    key = LessonKey(book_id="b", module="ros2", chapter=1, lesson=lesson)
    hashes = [hashlib.sha256(text.encode()).hexdigest() for text in texts]
    ids = [key.chunk_id(each, hashes[: place + 1].count(each)) for place, each in enumerate(hashes)]
    chunks = []
    for index, text in enumerate(texts):
        values: dict[str, Any] = {
            "lesson": lesson,
            "source_file": f"module-1-ros2/chapter-1/{lesson:02}-a.md",
            "parent_doc_id": key.parent_doc_id(),
            "hardware_tier": tiers[index] if tiers else 1,
            "chunk_index": index,
            "total_chunks": len(texts),
            "prev_chunk_id": ids[index - 1] if index else None,
            "next_chunk_id": ids[index + 1] if index + 1 < len(texts) else None,
            "content_hash": hashes[index],
        }
        chunks.append(chunk(text, id=ids[index], metadata=metadata(**values | changes)))
    return chunks
