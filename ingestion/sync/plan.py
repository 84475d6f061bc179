"""Reconcile files, records and stored points into a plan: what a run will do, and nothing else.

Everything here is pure. A file is compared first by hash and fingerprint, then, if it must be looked at, chunk by
chunk with the points that the store holds for it (`diff`; docs/design.md, decisions 5 to 7).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from ingestion.collector import collector_paused
from ingestion.ids import LessonKey
from ingestion.models import IngestionRecord, LessonPlace

FileChange = Literal[
    "new", "modified", "moved", "renumbered", "metadata", "outdated", "damaged", "unrecorded", "deleted", "unchanged"
]
"""What became of a file since it was last indexed.

`outdated`: same content, but indexed by another version or with other settings. `damaged`: the store does not hold
the chunks that were recorded. `unrecorded`: the store holds points of it that no record knows. `metadata`: nothing
to embed, payloads differ.
"""


@dataclass(slots=True)
class FileFacts:
    """What a present file says before it is chunked; `others_changed` tells whether other files changed it: those
    that it includes, or its page in the built site.

    `words` are those of its text as it is written, counted where the file is not as recorded.
    """

    path: str
    file_hash: str
    module: str
    chapter: int | None
    lesson: int | None
    others_changed: bool = False
    words: int = 0

    @property
    def place(self) -> LessonPlace:
        """Return where the file stands in its book, which another file may claim too."""
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
        """Return whether there is anything to do."""
        return bool(self.files or self.deleted)

    @property
    def gone(self) -> tuple[str, ...]:
        """Return the deleted files whose content is nowhere else."""
        moved = {file.moved_from for file in self.files}
        return tuple(path for path in self.deleted if path not in moved)


@collector_paused
def make_plan(
    facts: Iterable[FileFacts],
    records: Mapping[str, IngestionRecord],
    *,
    book_id: str,
    fingerprint: Mapping[str, str],
    failed: Iterable[str] = (),
    stored: Mapping[str, int] | None = None,
    stored_hashes: Mapping[str, str] = MappingProxyType({}),
    known: Iterable[str] = (),
    look_at: Container[str] = (),
    everything: bool = False,
) -> Plan:
    """Return the plan for one book.

    Where several files claim one complete place, the ids of all of them carry their paths, so that an id never
    changes hands: a kept link to one of them breaks rather than opens another lesson. `failed` are present files that
    cannot be read: neither looked at nor deleted. `stored` is the number of points a path has in the store, or None
    where records and store are known to agree. `stored_hashes` are those of files that the store knows and no record
    does, so that a move is seen without records. `known` are paths of the book beside those: what is not present of
    them is gone too. Those to `look_at` are compared whatever their records say; `everything` compares all.
    """
    present = {file.path: file for file in facts}
    kept = set(failed)
    deleted = tuple(sorted({*records, *(stored or {}), *known} - present.keys() - kept))
    moved = _paths_by_hash(deleted, records, stored_hashes)
    shared = _shared_places([*present.values(), *(records[path] for path in kept & records.keys() - present.keys())])
    files, unchanged = [], []
    for path, file in sorted(present.items()):
        shares_lesson = file.place in shared
        change = _change(file, records.get(path), fingerprint, stored, shares_lesson=shares_lesson)
        moved_from = moved.get(file.file_hash) if change == "new" else None
        if change == "unchanged" and not everything and path not in look_at:
            unchanged.append(path)
        else:
            key = _key(file, book_id, shares_lesson=shares_lesson)
            files.append(FilePlan(file, key, "moved" if moved_from else change, moved_from))
    return Plan(tuple(files), deleted, tuple(unchanged))


def _shared_places(lessons: Iterable[FileFacts | IngestionRecord]) -> set[LessonPlace]:
    """Return the places that several claim, and those that are incomplete."""
    return {place for place, claims in Counter(each.place for each in lessons).items() if claims > 1 or None in place}


def _paths_by_hash(
    deleted: Sequence[str], records: Mapping[str, IngestionRecord], stored_hashes: Mapping[str, str]
) -> dict[str, str]:
    """Return where each content stood that is gone from its path; of several paths the first."""
    hashes = {**stored_hashes, **{path: records[path].file_hash for path in deleted if path in records}}
    return {hashes[path]: path for path in reversed(deleted) if path in hashes}


def _key(facts: FileFacts, book_id: str, *, shares_lesson: bool) -> LessonKey:
    return LessonKey(
        book_id=book_id,
        module=facts.module,
        chapter=facts.chapter,
        lesson=facts.lesson,
        source_file=facts.path if shares_lesson else None,
    )


def _change(
    facts: FileFacts,
    record: IngestionRecord | None,
    fingerprint: Mapping[str, str],
    stored: Mapping[str, int] | None,
    *,
    shares_lesson: bool,
) -> FileChange:
    if record is None:
        return "unrecorded" if stored and facts.path in stored else "new"
    if record.file_hash != facts.file_hash or facts.others_changed:
        return "modified"
    if record.fingerprint != fingerprint:
        return "outdated"
    if record.shares_lesson != shares_lesson:
        return "renumbered"
    if stored is not None and stored.get(facts.path, 0) != record.chunk_count:
        return "damaged"
    return "unchanged"
