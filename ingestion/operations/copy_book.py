"""Copies a book from one index to another: points with their vectors, then the records; nothing is embedded."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Container, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from itertools import islice
from typing import Any

from ingestion.errors import UsageError, VectorStoreError
from ingestion.state.state_file import StateStore
from ingestion.vector_stores.copying import as_point
from ingestion.vector_stores.filters import HasId, Where, of_book
from ingestion.vector_stores.lease import Lease
from ingestion.vector_stores.protocol import BuiltGenerations, Generations, PointReader, PointWriter, VectorStore
from ingestion.vector_stores.types import Schema, StoredPoint, require_schema

POINTS_PER_STEP = 256
VECTORS_CHECKED = 64
TOLERANCE = 1e-4
"""Tolerated difference between two engines in a component of a unit vector; another text differs by far more."""


@dataclass(frozen=True, slots=True)
class CopiedBook:
    """Result of copying a book; `already_there` had the same payload, `removed` were only in the target."""

    book_id: str
    points: int
    copied: int
    already_there: int
    removed: int
    records: int
    vectors_checked: int

    def as_json(self) -> dict[str, Any]:
        """Return one JSON object."""
        return asdict(self)


def books_to_copy(source: PointReader, book_id: str | None) -> list[str]:
    """Return the requested book, or all; raises UsageError if the index does not have it."""
    books = sorted(source.values("book_id", Where()))
    if book_id is None and books:
        return books
    if book_id in books:
        return [book_id]
    raise UsageError(f"no book {book_id or ''!r} in the index; there are {', '.join(books) or 'none'}")


def open_target(target: BuiltGenerations, schema: Schema, lease: Lease) -> VectorStore:
    """Open the target's active generation, or create one; raises ConfigurationError for another embedding.

    Call it only as the target's writer.
    """
    there = target.active()
    if there is None:
        store = target.create(schema, lease)
        target.activate(store)
        return store
    require_schema(there.schema, schema, index="the target", remedy="name another collection with --to-collection")
    store_there = target.open_active(lease)
    assert store_there is not None
    return store_there


def copy_book(
    source: PointReader,
    target: PointWriter,
    book_id: str,
    *,
    states: tuple[StateStore, StateStore | None],
    collections: tuple[str, str],
    lease: Lease,
) -> CopiedBook:
    """Make the target's book identical to the source's, check it, then copy its records.

    `states` and `collections` are those of the source and the target; a target without a place for records gets
    none, and its next run compares. What is there with the same payload is skipped, so that a copy that was stopped
    goes on where it was. Raises VectorStoreError where the copy differs, IndexLocked where another writer took over.
    """
    book = of_book(book_id)
    run_id = secrets.token_hex(8)
    target.mark_runs({book_id: run_id})
    copied, ids = 0, dict[str, None]()
    points = source.scroll(book, vectors=True)
    while batch := list(islice(points, POINTS_PER_STEP)):
        lease()
        copied += _copy_missing(target, batch)
        ids |= dict.fromkeys(point.id for point in batch)
    lease()
    removed = _remove_others(target, book, ids)
    target.checkpoint()
    checked = _check(source, target, book, ids)
    records = _copy_records(book_id, states, collections, {source.runs().get(book_id): run_id})
    return CopiedBook(book_id, len(ids), copied, len(ids) - copied, removed, records, checked)


def _copy_missing(target: PointWriter, points: Sequence[StoredPoint]) -> int:
    there = target.retrieve([point.id for point in points])
    missing = [point for point in points if point.id not in there or there[point.id].payload != point.payload]
    if missing:
        target.upsert([as_point(point) for point in missing])
    return len(missing)


def _remove_others(target: PointWriter, book: Where, ids: Container[str]) -> int:
    others = tuple(point.id for point in target.scroll(book, fields=("book_id",)) if point.id not in ids)
    if others:
        target.delete(Where((HasId(others), *book.must)))
    return len(others)


def _check(source: PointReader, target: PointReader, book: Where, ids: Collection[str]) -> int:
    """Compare points per file, and the vectors of a sample; returns the size of the sample."""
    if source.values("source_file", book) != target.values("source_file", book):
        raise VectorStoreError(
            "point counts per file differ between the copy and its source, which may have changed; copy again"
        )
    sample = [*islice(ids, 0, None, max(1, len(ids) // VECTORS_CHECKED))]
    wanted, got = source.retrieve(sample, vectors=True), target.retrieve(sample, vectors=True)
    if differing := [point_id for point_id in sample if not _same(wanted.get(point_id), got.get(point_id))]:
        raise VectorStoreError(
            f"{len(differing)} of {len(sample)} vectors checked differ between the copy and its source, "
            f"{differing[0]} first; the source may have changed: copy again, or delete the book in the target first"
        )
    return len(sample)


def _same(one: StoredPoint | None, other: StoredPoint | None) -> bool:
    import numpy as np

    if one is None or other is None or one.dense is None or other.dense is None:
        return False
    words, same_words = one.sparse, other.sparse
    if words is None or same_words is None:
        return words is same_words and np.allclose(one.dense, other.dense, atol=TOLERANCE)
    return (
        words.indices == same_words.indices
        and np.allclose(words.values, same_words.values, atol=TOLERANCE)
        and np.allclose(one.dense, other.dense, atol=TOLERANCE)
    )


def _copy_records(
    book_id: str,
    states: tuple[StateStore, StateStore | None],
    collections: tuple[str, str],
    run_ids: Mapping[str | None, str],
) -> int:
    """`run_ids` gives the id of the copied points for that of their source: other records are tied to neither."""
    source, target = states
    if target is None:
        return 0
    state = source.load(book_id, collections[0])
    target.load(book_id, collections[1])
    run_id = run_ids.get(state.run_id) if state.run_id else None
    target.save(replace(state, collection_name=collections[1], run_id=run_id))
    return len(state.records)


def copy_books(
    source: PointReader,
    target: Generations,
    books: Sequence[str],
    *,
    states: StateStore,
    collections: tuple[str, str],
    lease: Lease,
) -> list[CopiedBook]:
    """Copy several books, each as `copy_book` does; `target` is one whose writer this process is."""
    with closing(open_target(target, source.schema, lease)) as store:
        both = states, target.states()
        return [copy_book(source, store, book, states=both, collections=collections, lease=lease) for book in books]
