"""The write protocol: embed → upsert → patch, and delete the stale after the last group (docs/design.md, decision 6).

A crash between any two steps leaves old points, new points or both, never neither; the next run finds what is left
by comparing ids, and embeds nothing twice.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from ingestion.models import DocumentChunk, EmbeddedChunk, utc_now
from ingestion.sync.file_groups import ComparedFile
from ingestion.sync.known_vectors import embedded_at
from ingestion.vector_stores.bm25 import vector_of
from ingestion.vector_stores.copying import as_point
from ingestion.vector_stores.filters import Equals, HasId, Where, of_book, of_files
from ingestion.vector_stores.protocol import PointWriter
from ingestion.vector_stores.types import Point

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
        if patches := self._patches(file for file in group if not file.diff.write):
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
        patches = self._patches(files)
        stored = self._store.retrieve(patches, vectors=True) if patches else {}
        return [as_point(point._replace(payload=patches[point_id])) for point_id, point in stored.items()]

    def _patches(self, files: Iterable[ComparedFile]) -> dict[str, dict[str, Any]]:
        return {chunk.id: self._patched(file, chunk) for file in files for chunk in file.diff.patch}

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
    return of_book(file.plan.key.book_id, HasId(file.diff.stale), Equals("source_file", file.path))


def _new_points(files: Sequence[ComparedFile], embedded: Mapping[str, EmbeddedChunk]) -> list[Point]:
    return [
        Point(
            chunk.id,
            embedded[chunk.id].embedding,
            vector_of(chunk),
            _dated(embedded[chunk.id].payload(), file.before(chunk)),
        )
        for file in files
        for chunk in file.diff.write
    ]


def delete_files(store: PointWriter, book_id: str, paths: Collection[str]) -> int:
    """Delete all points of these files of a book, in bounded batches; returns how many points there were."""
    deleted = 0
    for where in of_files(book_id, paths):
        deleted += store.count(where)
        store.delete(where)
    return deleted


def _dated(payload: dict[str, Any], before: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the payload with the time at which its point was first written, and its updates counted."""
    if not before:
        return payload
    # In the first release `version` was the format of the fields.
    updates = int(before["version"]) if "payload_format" in before else 1
    return payload | {"created_at": before["created_at"], "updated_at": utc_now(), "version": updates + 1}
