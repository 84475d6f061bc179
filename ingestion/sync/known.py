"""What is known of a book before a run, by its records and its points: whatever is in it, a run could lose."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ingestion.models import IngestionMode, IngestionRecord, IngestionState
from ingestion.sync.plan import FileFacts
from ingestion.sync.target import Target
from ingestion.vector_stores.filters import of_files
from ingestion.vector_stores.protocol import PointReader


@dataclass(frozen=True, slots=True)
class Known:
    """The files of a book that its records or its points name.

    `stored` is how many points each path has, or None where the records tell it: they were made with these points,
    whose number fits. `is_trusted` tells that no other run wrote since the records were saved, but for the files
    `in_doubt`.
    """

    records: Mapping[str, IngestionRecord]
    stored: Mapping[str, int] | None
    in_doubt: frozenset[str]
    is_trusted: bool

    @property
    def paths(self) -> frozenset[str]:
        """Return every path that the index may hold points of."""
        return frozenset(self.records.keys() | (self.stored or {}).keys() | self.in_doubt)

    def at_risk(self, unread: Iterable[str], hidden: Collection[str]) -> frozenset[str]:
        """Return the paths of which nothing may be deleted, since what they hold now is not known.

        `unread` are files that cannot be read, `hidden` folders whose files are not known, each ending in `/`.
        """
        below = tuple(hidden)
        return frozenset(unread) | {path for path in self.paths if path.startswith(below)}

    def may_differ(self, facts: FileFacts) -> bool:
        """Return whether a file may have another text than when it was indexed."""
        # Not by `paths`: to make that set for each file is quadratic.
        path, record = facts.path, self.records.get(facts.path)
        if record is not None:
            return record.file_hash != facts.file_hash
        return path in self.in_doubt or path in (self.stored or {})

    def doubtful(self, paths: Collection[str]) -> set[str]:
        """Return those of the paths of which records and points may disagree."""
        return set(paths) & self.in_doubt if self.is_trusted else set(paths)


def known_files(target: Target, state: IngestionState, mode: IngestionMode) -> Known:
    """Return what is known of a book; the points are asked wherever the records cannot be relied on (decision 7)."""
    in_doubt = frozenset(state.in_doubt)
    if target.is_new:
        return Known(state.records, {}, in_doubt, is_trusted=True)
    trusted = state.run_id is not None and state.run_id == target.run_id
    if trusted and mode == "incremental" and target.count() == state.total_chunks:
        return Known(state.records, None, in_doubt, is_trusted=True)
    store = target.readers_store
    stored = store.values("source_file", target.book) if store else {}
    return Known(state.records, stored, in_doubt, is_trusted=trusted)


def hashes_of(store: PointReader, book_id: str, paths: Collection[str]) -> dict[str, str]:
    """Return the hash of each file, as its points tell it; a file whose points tell several has none."""
    found: dict[str, set[str]] = {}
    for path, hashed in payloads_of(store, book_id, paths, ("source_file", "source_file_hash")):
        found.setdefault(path, set()).add(hashed)
    return {path: hashes.pop() for path, hashes in found.items() if len(hashes) == 1}


def words_of(store: PointReader, book_id: str, paths: Collection[str]) -> Mapping[str, int]:
    """Return how many words the points of each file have."""
    found = Counter[str]()
    for path, words in payloads_of(store, book_id, paths, ("source_file", "word_count")):
        found[path] += words
    return found


def payloads_of(
    store: PointReader, book_id: str, paths: Collection[str], fields: Sequence[str]
) -> Iterator[tuple[Any, ...]]:
    """Yield what each point of the files has in these fields of its payload."""
    for where in of_files(book_id, paths):
        for point in store.scroll(where, fields=fields):
            yield tuple(point.payload[field] for field in fields)
