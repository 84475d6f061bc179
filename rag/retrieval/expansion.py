"""Widen passages by the chunks before and after them, or to their whole lessons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ingestion.models import runs_of_lines
from ingestion.vector_stores.filters import Equals, of_book
from ingestion.vector_stores.protocol import PointReader
from rag.models import SearchResult
from rag.retrieval.chunk_joining import join_chunks


def expand(results: Sequence[SearchResult], store: PointReader, neighbours: int | None) -> tuple[SearchResult, ...]:
    """Return each result with `neighbours` chunks on both sides (None: its whole lesson) as one continuous passage.

    A result that lies in the passage of a better one is left out; ranks are given anew.
    """
    widened: list[SearchResult] = []
    lessons: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for result in results:
        if any(_holds(wide, result) for wide in widened):
            continue
        key = result.book_id, result.source_file
        if key not in lessons:
            lessons[key] = _chunks_of(result, store)
        window = _window(lessons[key], result.chunk_index, neighbours)
        wide = _widen(result, window) if window else result
        widened.append(wide.model_copy(update={"rank": len(widened) + 1}))
    return tuple(widened)


_SHOWN = (
    "text", "section_title", "heading_path", "anchor", "section_titles", "section_anchors", "line_start", "line_end",
    "expanded_lines", "text_lines", "repeated", "is_navigation", "syntax", "mdx", "chunk_index", "prev_chunk_id",
    "next_chunk_id", "content_hash",
)  # fmt: skip


def beside(results: Sequence[SearchResult], store: PointReader) -> tuple[SearchResult, ...]:
    """Return the chunks before and after each result in its lesson that are no results themselves, each once.

    Each has rank, score and relevance of the result beside which it stands. Left out are those of a lesson that a run
    has just rewritten.
    """
    wanted = _neighbours(results)
    payloads = {each: result.read_along.payloads.get(each) for each, (result, _) in wanted.items()}
    unread = [chunk_id for chunk_id, payload in payloads.items() if not payload]
    payloads |= {each: point.payload for each, point in (store.retrieve(unread) if unread else {}).items()}
    found = [
        _as_beside(result, chunk_id, payload)
        for chunk_id, (result, back) in wanted.items()
        if (payload := payloads.get(chunk_id))
        and payload.get(back) == result.id
        and payload["hardware_tier"] <= result.hardware_tier
    ]
    return tuple(sorted(found, key=lambda each: (each.rank, each.chunk_index)))


def _neighbours(results: Sequence[SearchResult]) -> dict[str, tuple[SearchResult, str]]:
    """Return the ids of what stands beside results, each with its result and the field that leads back to it."""
    own = {result.id for result in results}
    return {
        chunk_id: (result, back)
        for result in reversed(results)
        for chunk_id, back in ((result.next_chunk_id, "prev_chunk_id"), (result.prev_chunk_id, "next_chunk_id"))
        if chunk_id and chunk_id not in own
    }


def _as_beside(result: SearchResult, chunk_id: str, payload: Mapping[str, Any]) -> SearchResult:
    changes = {name: payload.get(name) for name in _SHOWN}
    return SearchResult.model_validate(dict(result) | changes | {"id": chunk_id})


def _holds(wide: SearchResult, result: SearchResult) -> bool:
    same_file = (wide.book_id, wide.source_file) == (result.book_id, result.source_file)
    (first, last), (begins, ends) = wide.page_lines, result.page_lines
    return same_file and first <= begins and ends <= last


def _chunks_of(result: SearchResult, store: PointReader) -> list[dict[str, Any]]:
    """Return the chunks of the version of the lesson that was found, in order."""
    where = of_book(result.book_id, Equals("source_file", result.source_file))
    chunks = [point.payload for point in store.scroll(where)]
    versions = {chunk["source_file_hash"] for chunk in chunks if chunk["content_hash"] == result.content_hash}
    own = [chunk for chunk in chunks if chunk["source_file_hash"] in versions]
    return sorted(own, key=lambda each: int(each["chunk_index"])) if len(versions) == 1 else []


def _window(chunks: Sequence[dict[str, Any]], index: int, neighbours: int | None) -> list[dict[str, Any]]:
    if neighbours is None:
        return list(chunks)
    return [chunk for chunk in chunks if abs(int(chunk["chunk_index"]) - index) <= neighbours]


def _widen(result: SearchResult, chunks: Sequence[dict[str, Any]]) -> SearchResult:
    text, lines = join_chunks(chunks)
    joined = {
        "text": text,
        "text_lines": runs_of_lines(lines),
        "repeated": (0, 0),
        "is_widened": True,
        "line_start": int(chunks[0]["line_start"]),
        "line_end": max(int(chunk["line_end"]) for chunk in chunks),
        "expanded_lines": _expanded_lines(chunks),
        "section_titles": tuple(title for chunk in chunks for title in chunk["section_titles"]),
        "section_anchors": tuple(anchor for chunk in chunks for anchor in chunk["section_anchors"]),
    }
    return result.model_copy(update=joined)


def _expanded_lines(chunks: Sequence[dict[str, Any]]) -> tuple[int, int] | None:
    lines = [chunk["expanded_lines"] for chunk in chunks if chunk.get("expanded_lines")]
    return (lines[0][0], lines[-1][1]) if lines else None
