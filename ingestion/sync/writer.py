"""The write protocol: embed → upsert → patch, and delete the stale after the last group (docs/design.md, decision 6).

A crash between any two steps leaves old points, new points or both, never neither; the next run finds what is left
by comparing ids, and embeds nothing twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ingestion.models import DocumentChunk, EmbeddedChunk, sparse_text, utc_now
from ingestion.sync.file_groups import ComparedFile
from ingestion.sync.known_vectors import embedded_at
from ingestion.vector_stores.bm25 import document_vector, stemmer_of
from ingestion.vector_stores.copying import as_point
from ingestion.vector_stores.filters import AnyOf, Equals, HasId, Where
from ingestion.vector_stores.protocol import PointWriter
from ingestion.vector_stores.types import Point

PATHS_PER_DELETE = 100

MOST_STALE = 16 * 1024
"""Stale points that wait for the last group: an index that is written anew as a whole does not double."""


class GroupWriter:
    """Writes groups of files to one store, whose vectors are those of one model."""

    def __init__(self, store: PointWriter, model: str) -> None:
        self._store = store
        self._model = model
        self._stale: list[tuple[str, Where]] = []
        self._stale_points = 0

    @property
    def has_much_stale(self) -> bool:
        """Return whether the stale points must go before the last group."""
        return self._stale_points > MOST_STALE

    def write(self, group: Sequence[ComparedFile], embedded: Mapping[str, EmbeddedChunk]) -> None:
        """Make the store hold the group's chunks, safe from the store's next checkpoint on.

        `embedded` holds the chunks to write, by id. What is stale waits for `delete_stale`: a file of a later group
        may have its text now, and takes its vector.

        A file that gets new points gets its patched ones in the same write, so that its new set is there at once.
        """
        written = [file for file in group if file.diff.write]
        points = [*_new_points(written, embedded), *self._patched_points(written)]
        if points:
            self._store.upsert(points)
        patches = {
            chunk.id: self._patched(file, chunk) for file in group if not file.diff.write for chunk in file.diff.patch
        }
        if patches:
            self._store.set_payloads(patches)
        self._stale += [(file.path, _stale_of(file)) for file in group if file.diff.stale]
        self._stale_points += sum(len(file.diff.stale) for file in group)

    def delete_stale(self) -> list[str]:
        """Delete what is stale of the groups so far; returns the paths of its files."""
        for _, stale in self._stale:
            self._store.delete(stale)
        done = [path for path, _ in self._stale]
        self._stale, self._stale_points = [], 0
        return done

    def _patched_points(self, files: Sequence[ComparedFile]) -> list[Point]:
        patches = {chunk.id: self._patched(file, chunk) for file in files for chunk in file.diff.patch}
        stored = self._store.retrieve(patches, vectors=True) if patches else {}
        return [as_point(point._replace(payload=patches[point_id])) for point_id, point in stored.items()]

    def _patched(self, file: ComparedFile, chunk: DocumentChunk) -> dict[str, Any]:
        """Return the new payload of a point whose vector stays."""
        before = file.stored[chunk.id]
        stays = {
            "embedding_model": before.get("embedding_model") or self._model,
            "embedded_at": embedded_at(before),
        }
        return _dated(chunk.payload() | stays, before)


def _stale_of(file: ComparedFile) -> Where:
    """Return what to delete: an id that another file has taken over stays."""
    own = Equals("book_id", file.plan.key.book_id), Equals("source_file", file.path)
    return Where((HasId(file.diff.stale), *own))


def _new_points(files: Sequence[ComparedFile], embedded: Mapping[str, EmbeddedChunk]) -> list[Point]:
    return [
        Point(
            chunk.id,
            embedded[chunk.id].embedding,
            document_vector(sparse_text(chunk), stemmer_of(chunk.metadata.language)),
            _dated(embedded[chunk.id].payload(), file.before(chunk)),
        )
        for file in files
        for chunk in file.diff.write
    ]


def stored_ids(store: PointWriter, book_id: str, paths: Sequence[str]) -> set[str]:
    """Return the ids of all points of these files of a book."""
    return {
        point.id for where in _batches_of(book_id, paths) for point in store.scroll(where, fields=("source_file",))
    }


def delete_files(store: PointWriter, book_id: str, paths: Sequence[str]) -> int:
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


def _dated(payload: dict[str, Any], before: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the payload with the time at which its point was first written, and its updates counted."""
    if not before:
        return payload
    version = _updates(before) + 1
    return payload | {"created_at": before["created_at"], "updated_at": utc_now(), "version": version}


def _updates(before: Mapping[str, Any]) -> int:
    """Return how often a stored chunk was updated; `version` of the first release is the format of its fields."""
    return int(before["version"]) if "payload_format" in before else 1
