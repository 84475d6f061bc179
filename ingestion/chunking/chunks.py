"""From a lesson to its chunks: ids, links and metadata around the slices of the chunker."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any

from ingestion import versions
from ingestion.chunking.splitter import Slice, split_markdown
from ingestion.ids import LessonKey, sha256
from ingestion.markdown.cleaner import searchable
from ingestion.models import MIN_CHUNK_CHARS, DocumentChunk, DocumentMetadata, runs_of_lines
from ingestion.settings import Settings
from ingestion.source.parser import Lesson

MAX_BREADCRUMB_PART = 120
"""Characters of a title in a breadcrumb: six levels and the page are then 200 tokens at most, mostly 10."""

MAX_TITLE = 300
"""Characters of a title in a payload, of which every chunk of the lesson holds a copy."""

MAX_SECTIONS = 100
"""Sections that a payload lists; a chunk of more is a list of headings."""


def chunk_lesson(lesson: Lesson, key: LessonKey, settings: Settings, *, embedding: str) -> list[DocumentChunk]:
    """Return the lesson's chunks in order, linked; empty for a page without text.

    `embedding` names model, preparation and dimensions of the vectors; with the embedded text it makes the
    `embed_key` (docs/design.md, decision 5).
    """
    slices = split_markdown(
        lesson.body,
        target=settings.chunk.tokens,
        limit=settings.chunk.max_tokens,
        syntax=lesson.syntax,
        ids=lesson.heading_ids,
        props=settings.chunk.visible_props,
        anchors=lesson.page.anchors,
    )
    kept = [piece for piece in slices if piece.embed_body.strip() and len(piece.text.strip()) >= MIN_CHUNK_CHARS]
    hashes = [sha256(piece.text) for piece in kept]
    ids: list[str | None] = [None, *_ids(key, hashes), None]
    shared = _lesson_metadata(lesson, key)
    chunks = []
    for index, (piece, content_hash) in enumerate(zip(kept, hashes, strict=True)):
        metadata = DocumentMetadata(
            **shared,
            section_title=shorten(piece.section_title, MAX_TITLE) if piece.section_title else None,
            chunk_index=index,
            total_chunks=len(kept),
            prev_chunk_id=ids[index],
            next_chunk_id=ids[index + 2],
            content_hash=content_hash,
            heading_path=tuple(shorten(title, MAX_TITLE) for title in piece.heading_path),
            anchor=piece.anchor,
            section_titles=tuple(shorten(heading.title, MAX_TITLE) for heading in piece.headings[:MAX_SECTIONS]),
            section_anchors=tuple(heading.anchor for heading in piece.headings[:MAX_SECTIONS]),
            is_navigation=piece.is_navigation,
            **_lines(lesson, piece),
        )
        chunks.append(_chunk(str(ids[index + 1]), piece, metadata, embedding))
    return chunks


def _lines(lesson: Lesson, piece: Slice) -> dict[str, Any]:
    """Return the lines of a chunk in its file, and in the page that readers see where that has others."""
    before, behind = piece.text[: piece.repeated_before].count("\n"), piece.repeated_after
    ends: dict[str, Any] = {"line_start": lesson.line(piece.line_start), "line_end": lesson.line(piece.line_end)}
    ends["repeated"] = (before, piece.text[len(piece.text) - behind :].count("\n") if behind else 0)
    if not lesson.page.origins:
        return ends
    lines = [lesson.line(number) for number in range(piece.line_start, piece.line_end + 1)]
    runs = runs_of_lines([lines[0] - before + at for at in range(before)] + lines)
    return ends | {
        "expanded_lines": (piece.line_start, piece.line_end),
        "text_lines": runs if len(runs) > 2 else None,
    }


def _lesson_metadata(lesson: Lesson, key: LessonKey) -> dict[str, Any]:
    """Return what all chunks of a lesson have in common."""
    return {
        "book_id": key.book_id,
        "module": lesson.module,
        "chapter": lesson.chapter,
        "lesson": lesson.lesson,
        "hardware_tier": lesson.audience.hardware_tier,
        "proficiency_level": lesson.audience.levels[0],
        "layer": lesson.audience.layers[0],
        "source_file": lesson.path,
        "parent_doc_id": key.parent_doc_id(),
        "source_file_hash": lesson.file_hash,
        "page_title": shorten(lesson.title, MAX_TITLE),
        "page_url": lesson.url,
        "chapter_title": shorten(lesson.chapter_title, MAX_TITLE) if lesson.chapter_title else None,
        "language": lesson.language,
        "syntax": lesson.syntax.name,
        "docs_version": lesson.docs_version,
        "docs_version_rank": lesson.docs_version_rank,
        "doc_type": lesson.doc_type,
        "proficiency_levels": lesson.audience.levels,
        "layers": lesson.audience.layers,
        "declared": lesson.audience.declared,
        "front_matter": lesson.front_matter,
    }


def breadcrumb(title: str, heading_path: tuple[str, ...]) -> str:
    """Return the path that stands before the embedded text; no number or name that a move would change.

    Long titles are cut: the path says where a text stands and must not outweigh it.
    """
    parts = [title, *heading_path]
    kept = [title, *(part for previous, part in pairwise(parts) if part != previous)]
    return " › ".join(shorten(part, MAX_BREADCRUMB_PART) for part in kept)


def shorten(text: str, limit: int) -> str:
    """Return the text, cut between words to `limit` characters."""
    if len(text) <= limit:
        return text
    return f"{text[: limit - 1].rsplit(None, 1)[0]}…" if " " in text[: limit - 1] else f"{text[: limit - 1]}…"


def _ids(key: LessonKey, hashes: list[str]) -> list[str]:
    seen: Counter[str] = Counter()
    ids = []
    for content_hash in hashes:
        seen[content_hash] += 1
        ids.append(key.chunk_id(content_hash, seen[content_hash]))
    return ids


def _chunk(chunk_id: str, piece: Slice, metadata: DocumentMetadata, embedding: str) -> DocumentChunk:
    text = piece.text
    above = searchable(breadcrumb(metadata.page_title, metadata.heading_path))
    embed_text = f"{above}\n\n{piece.embed_body.strip()}"
    return DocumentChunk(
        id=chunk_id,
        text=text,
        metadata=metadata,
        word_count=len(text.split()),
        token_count=piece.token_count,
        char_count=len(text),
        embed_text=embed_text,
        embed_key=sha256(f"{embedding}\n{versions.PREPARATION}\n{embed_text}")[:32],
    )
