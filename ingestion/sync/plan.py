"""Reconcile files, records and stored points into a plan: what a run will do, and nothing else.

Everything here is pure. A file is compared first by hash and fingerprint, then, if it must be looked at, chunk by
chunk with the points that the store holds for it (DESIGN decisions 5 to 7).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

from ingestion.ids import LessonKey
from ingestion.models import DocumentChunk, IngestionRecord

FileChange = Literal[
    "new", "modified", "moved", "renumbered", "metadata", "outdated", "damaged", "unrecorded", "deleted", "unchanged"
]
"""What became of a file since it was last indexed.

`outdated`: same content, but indexed by another version or with other settings. `damaged`: the store does not hold
the chunks that were recorded. `unrecorded`: the store holds points of it that no record knows. `metadata`: nothing
to embed, payloads differ.
"""

LessonPlace = tuple[str, int | None, int | None]
"""Module, chapter and lesson."""

_TIMES = ("created_at", "updated_at")


@dataclass(frozen=True, slots=True)
class FileFacts:
    """What a present file says before it is chunked."""

    path: str
    file_hash: str
    module: str
    chapter: int | None
    lesson: int | None

    @property
    def place(self) -> LessonPlace:
        """Where the file stands in its book, which another file may claim too."""
        return self.module, self.chapter, self.lesson


@dataclass(frozen=True, slots=True)
class FilePlan:
    """One file to look at: its place, why, and where its content stood before if it moved."""

    facts: FileFacts
    key: LessonKey
    change: FileChange
    moved_from: str | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """Which files to look at, which to remove, and how many to leave alone; each path is in exactly one part."""

    files: tuple[FilePlan, ...]
    deleted: tuple[str, ...]
    unchanged: tuple[str, ...]

    @property
    def pending(self) -> bool:
        """Whether there is anything to do."""
        return bool(self.files or self.deleted)


@dataclass(frozen=True, slots=True)
class ChunkPlan:
    """What to do for one file: chunks to leave, payloads to replace, points to write, ids to delete."""

    keep: tuple[DocumentChunk, ...]
    patch: tuple[DocumentChunk, ...]
    write: tuple[DocumentChunk, ...]
    stale: tuple[str, ...]

    @property
    def pending(self) -> bool:
        """Whether the store must change."""
        return bool(self.patch or self.write or self.stale)


def make_plan(
    facts: Iterable[FileFacts],
    records: Mapping[str, IngestionRecord],
    *,
    book_id: str,
    fingerprint: Mapping[str, str],
    failed: Iterable[str] = (),
    stored: Mapping[str, int] | None = None,
    stored_hashes: Mapping[str, str] = MappingProxyType({}),
    everything: bool = False,
) -> Plan:
    """The plan for one book.

    `failed` are present files that cannot be read: neither looked at nor deleted. `stored` is the number of points
    a path has in the store, or None where records and store are known to agree. `stored_hashes` are those of files
    that the store knows and no record does, so that a move is seen without records. `everything` looks at every file.
    """
    present = {each.path: each for each in facts}
    kept = set(failed)
    known = records.keys() | (stored or {}).keys()
    deleted = tuple(sorted(path for path in known if path not in present and path not in kept))
    hashes = {**stored_hashes, **{path: record.file_hash for path, record in records.items()}}
    by_hash = {hashes[path]: path for path in reversed(deleted) if path in hashes}
    places = {path: _place(record) for path, record in records.items() if path in kept}
    owners = _owners(places | {path: each.place for path, each in present.items()})
    files, unchanged = [], []
    for path, each in sorted(present.items()):
        key = _key(each, book_id, owns_place=owners.get(each.place) == path)
        change = _change(each, key, records.get(path), fingerprint, stored)
        moved_from = by_hash.get(each.file_hash) if change == "new" else None
        if moved_from:
            change = "moved"
        if change == "unchanged" and not everything:
            unchanged.append(path)
        else:
            files.append(FilePlan(each, key, change, moved_from))
    return Plan(tuple(files), deleted, tuple(unchanged))


def plan_chunks(wanted: Sequence[DocumentChunk], stored: Mapping[str, Mapping[str, Any]]) -> ChunkPlan:
    """What differs between a file's chunks and the payloads the store holds for it, by point id."""
    keep, patch, write = [], [], []
    for chunk in wanted:
        payload = stored.get(chunk.id)
        if payload is None or payload.get("embed_key") != chunk.embed_key:
            write.append(chunk)
        elif _without_times(payload) != _without_times(chunk.payload()):
            patch.append(chunk)
        else:
            keep.append(chunk)
    wanted_ids = {chunk.id for chunk in wanted}
    stale = tuple(sorted(point_id for point_id in stored if point_id not in wanted_ids))
    return ChunkPlan(tuple(keep), tuple(patch), tuple(write), stale)


def refine_change(change: FileChange, chunks: ChunkPlan, stored: Mapping[str, Mapping[str, Any]]) -> FileChange:
    """What a modified file turned out to be, once its chunks are compared."""
    if change != "modified" or not stored:
        return change
    if not chunks.write and not chunks.stale:
        return "metadata"
    before = {payload.get("embed_key") for payload in stored.values()}
    return "renumbered" if all(chunk.embed_key in before for chunk in chunks.write) and chunks.write else change


def _place(record: IngestionRecord) -> LessonPlace:
    return record.module, record.chapter, record.lesson


def _key(facts: FileFacts, book_id: str, *, owns_place: bool) -> LessonKey:
    return LessonKey(
        book_id=book_id,
        module=facts.module,
        chapter=facts.chapter,
        lesson=facts.lesson,
        source_file=None if owns_place else facts.path,
    )


def _owners(places: Mapping[str, LessonPlace]) -> dict[LessonPlace, str]:
    """The first path, in order, of each complete place; a page without chapter or lesson number claims none."""
    owners: dict[LessonPlace, str] = {}
    for path, place in sorted(places.items()):
        if None not in place:
            owners.setdefault(place, path)
    return owners


def _change(
    facts: FileFacts,
    key: LessonKey,
    record: IngestionRecord | None,
    fingerprint: Mapping[str, str],
    stored: Mapping[str, int] | None,
) -> FileChange:
    if record is None:
        return "unrecorded" if stored and facts.path in stored else "new"
    if record.file_hash != facts.file_hash:
        return "modified"
    if record.fingerprint != fingerprint:
        return "outdated"
    if record.shares_lesson != (key.source_file is not None):
        return "renumbered"
    if stored is not None and stored.get(facts.path, 0) != record.chunk_count:
        return "damaged"
    return "unchanged"


def _without_times(payload: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in payload.items() if name not in _TIMES}
