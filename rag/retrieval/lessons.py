"""Read a whole lesson back from the index, in order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any
from uuid import UUID

from ingestion.errors import UsageError
from ingestion.source.crawler import relative_path
from ingestion.vector_stores.filters import Equals, Where, of_book
from ingestion.vector_stores.protocol import PointReader
from ingestion.vector_stores.types import Payload, StoredPoint
from rag.retrieval.chunk_joining import join_chunks
from rag.retrieval.consistency import only, settled, whole_versions

EVERYTHING = Where()


@dataclass(frozen=True, slots=True)
class LessonText:
    """A lesson's chunks in order, whole payloads; several files may share a parent id."""

    chunks: tuple[dict[str, Any], ...]

    @property
    def title(self) -> str:
        """The page's title."""
        return str(self.chunks[0]["page_title"])

    def text(self) -> str:
        """Return the files one after the other, each as it stands there up to blank lines."""
        files = groupby(self.chunks, key=lambda chunk: chunk["source_file"])
        return "\n\n".join(join_chunks(list(chunks)).text for _, chunks in files)


def _are_whole(chunks: Sequence[Payload]) -> bool:
    """Return whether all chunks of each file are there."""
    of_files = Counter(chunk["source_file"] for chunk in chunks)
    return all(of_files[chunk["source_file"]] == chunk["total_chunks"] for chunk in chunks)


def read_lesson(store: PointReader, book_id: str, reference: str, within: Where = EVERYTHING) -> LessonText:
    """Return the lesson with this path or parent id; raises UsageError, naming near paths, where there is none.

    Chunks outside `within` are left out; a lesson that has no other does not exist.
    """
    field = "parent_doc_id" if _is_uuid(reference) else "source_file"
    wanted = reference if field == "parent_doc_id" else relative_path(reference)
    where = of_book(book_id, Equals(field, wanted))
    points = _inside(_settled_points(store, where), store, where, within)
    chunks = sorted((point.payload for point in points), key=lambda each: (each["source_file"], each["chunk_index"]))
    if not chunks:
        hint = _near_paths(store, book_id, wanted, within) if field == "source_file" else ""
        raise UsageError(f"no lesson {wanted!r} in {book_id}{hint}")
    return LessonText(tuple(chunks))


def _settled_points(store: PointReader, where: Where) -> dict[str, StoredPoint]:
    """Return the points of one whole version of each file, once no run is rewriting it."""

    def stored() -> dict[str, StoredPoint]:
        return {point.id: point for point in store.scroll(where)}

    def look() -> dict[str, StoredPoint] | None:
        points = stored()
        versions = whole_versions(store, points)
        if versions is None:
            return None
        kept = only(points, versions)
        return kept if _are_whole([point.payload for point in kept.values()]) else None

    return settled(look, otherwise=stored)


def _inside(
    points: Mapping[str, StoredPoint], store: PointReader, where: Where, within: Where
) -> Collection[StoredPoint]:
    """Return those of some points that a second condition lets through too."""
    if not points or not within.must:
        return points.values()
    inside = {point.id for point in store.scroll(Where((*where.must, *within.must)), fields=["chunk_index"])}
    return [point for point_id, point in points.items() if point_id in inside]


def _is_uuid(reference: str) -> bool:
    try:
        UUID(reference)
    except ValueError:
        return False
    return True


def _near_paths(store: PointReader, book_id: str, wanted: str, within: Where) -> str:
    import difflib

    paths = list(store.values("source_file", of_book(book_id, *within.must)))
    near = difflib.get_close_matches(wanted, paths, n=3, cutoff=0.4)
    return f"; did you mean {', '.join(near)}?" if near else ""
