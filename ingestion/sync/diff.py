"""Compare the chunks of one file with the points that the store holds for it.

Everything here is pure (docs/design.md, decisions 5 to 7).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ingestion.models import DocumentChunk
from ingestion.sync.plan import FileChange
from ingestion.vector_stores.bm25 import stemmer_of

_STAMPS = ("created_at", "updated_at", "version", "embedded_at", "embedding_model")
"""What no chunk says of itself: its point keeps them."""

_FIRST_BM25, _FIRST_LANGUAGE = "1", "en"
"""What points that name none were made with: those of the first release."""


@dataclass(frozen=True, slots=True)
class ChunkDiff:
    """What to do for one file: chunks to leave, payloads to replace, points to write, ids to delete."""

    keep: tuple[DocumentChunk, ...]
    patch: tuple[DocumentChunk, ...]
    write: tuple[DocumentChunk, ...]
    stale: tuple[str, ...]

    @property
    def pending(self) -> bool:
        """Return whether the store must change."""
        return bool(self.patch or self.write or self.stale)

    def rewriting(self, ids: Collection[str]) -> ChunkDiff:
        """Return it with these points written anew, vectors and all."""
        again = [chunk for chunk in (*self.keep, *self.patch) if chunk.id in ids]
        return ChunkDiff(
            keep=tuple(chunk for chunk in self.keep if chunk.id not in ids),
            patch=tuple(chunk for chunk in self.patch if chunk.id not in ids),
            write=(*self.write, *again),
            stale=self.stale,
        )


def diff_chunks(chunks: Sequence[DocumentChunk], stored: Mapping[str, Mapping[str, Any]]) -> ChunkDiff:
    """Return what differs between a file's chunks and the payloads the store holds for it, by point id."""
    keep, patch, write = [], [], []
    for chunk in chunks:
        payload = stored.get(chunk.id)
        wanted = chunk.payload()
        if payload is None or _vectors_of(payload) != _vectors_of(wanted):
            write.append(chunk)
        elif _without_stamps(payload) != _without_stamps(wanted):
            patch.append(chunk)
        else:
            keep.append(chunk)
    ids = {chunk.id for chunk in chunks}
    stale = tuple(sorted(point_id for point_id in stored if point_id not in ids))
    return ChunkDiff(tuple(keep), tuple(patch), tuple(write), stale)


def _vectors_of(payload: Mapping[str, Any]) -> object:
    """Return what decides on a point's two vectors; where only the sparse one differs, the dense one is reused."""
    stemmer = stemmer_of(payload.get("language", _FIRST_LANGUAGE))
    return payload.get("embed_key"), payload.get("bm25", _FIRST_BM25), stemmer, payload.get("chapter_title")


def refine_change(change: FileChange, diff: ChunkDiff, stored: Mapping[str, Mapping[str, Any]]) -> FileChange:
    """Return what a modified file turned out to be, once its chunks are compared."""
    if change != "modified" or not stored:
        return change
    if not diff.write and not diff.stale:
        return "metadata"
    before = {payload.get("embed_key") for payload in stored.values()}
    return "renumbered" if all(chunk.embed_key in before for chunk in diff.write) and diff.write else change


def _without_stamps(payload: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in payload.items() if name not in _STAMPS}
