"""The write protocol: embed → upsert → patch → delete stale (docs/design.md, decision 6); the recorder makes it safe.

A crash between any two steps leaves old points, new points or both, never neither; the next run finds what is left
by comparing ids, and embeds nothing twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ingestion.models import DocumentChunk, utc_now
from ingestion.sync.file_groups import ComparedFile
from ingestion.vector_stores.bm25 import document_vector, stemmer_of
from ingestion.vector_stores.copying import as_point
from ingestion.vector_stores.filters import AnyOf, Equals, HasId, Where
from ingestion.vector_stores.protocol import VectorStore
from ingestion.vector_stores.types import Point

if TYPE_CHECKING:
    from ingestion.models import Vector

PATHS_PER_DELETE = 100


class GroupWriter:
    """Writes groups of files to one store."""

    def __init__(self, store: VectorStore) -> None:
        self._store = store

    def write(self, group: Sequence[ComparedFile], vectors: Mapping[str, Vector]) -> None:
        """Make the store hold exactly the group's chunks, safe from the store's next checkpoint on.

        `vectors` holds those of the chunks to write, by embed key.

        A file that gets new points gets its patched ones in the same write, so that its new set is there at once.
        """
        written = [file for file in group if file.diff.write]
        points = [*_new_points(written, vectors), *self._patched_points(written)]
        if points:
            self._store.upsert(points)
        patches = {
            chunk.id: _payload(file, chunk) for file in group if not file.diff.write for chunk in file.diff.patch
        }
        if patches:
            self._store.set_payloads(patches)
        for file in group:
            self._delete_stale(file)

    def _patched_points(self, files: Sequence[ComparedFile]) -> list[Point]:
        patches = {chunk.id: _payload(file, chunk) for file in files for chunk in file.diff.patch}
        stored = self._store.retrieve(patches, vectors=True) if patches else {}
        return [as_point(point._replace(payload=patches[point_id])) for point_id, point in stored.items()]

    def _delete_stale(self, file: ComparedFile) -> None:
        """Delete only what still belongs to the file: an id that another file has just taken over stays."""
        if file.diff.stale:
            own = Equals("book_id", file.plan.key.book_id), Equals("source_file", file.path)
            self._store.delete(Where((HasId(file.diff.stale), *own)))


def _new_points(files: Sequence[ComparedFile], vectors: Mapping[str, Vector]) -> list[Point]:
    return [
        Point(
            chunk.id,
            vectors[chunk.embed_key],
            document_vector(chunk.embed_text, stemmer_of(chunk.metadata.language)),
            _payload(file, chunk),
        )
        for file in files
        for chunk in file.diff.write
    ]


def stored_ids(store: VectorStore, book_id: str, paths: Sequence[str]) -> set[str]:
    """Return the ids of all points of these files of a book."""
    return {
        point.id for where in _batches_of(book_id, paths) for point in store.scroll(where, fields=("source_file",))
    }


def delete_files(store: VectorStore, book_id: str, paths: Sequence[str]) -> int:
    """Delete all points of these files of a book, in bounded batches; returns how many points there were."""
    deleted = 0
    for where in _batches_of(book_id, paths):
        deleted += store.count(where)
        store.delete(where)
    return deleted


def _batches_of(book_id: str, paths: Sequence[str]) -> Iterator[Where]:
    for start in range(0, len(paths), PATHS_PER_DELETE):
        batch = tuple(paths[start : start + PATHS_PER_DELETE])
        yield Where((Equals("book_id", book_id), AnyOf("source_file", batch)))


def _payload(file: ComparedFile, chunk: DocumentChunk) -> dict[str, Any]:
    payload = chunk.payload()
    before: Mapping[str, Any] | None = file.stored.get(chunk.id)
    if before:
        payload["created_at"] = before["created_at"]
        payload["updated_at"] = utc_now()
    return payload
