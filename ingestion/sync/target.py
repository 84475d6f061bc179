"""The generation that a run writes, and the one it may take vectors from."""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping, Sequence

from ingestion.errors import DeletionRefused, IndexInUse, VectorStoreError
from ingestion.models import IngestionMode, IngestionState
from ingestion.vector_stores.filters import AnyOf, Equals, Where
from ingestion.vector_stores.lease import Lease
from ingestion.vector_stores.protocol import Generations, VectorStore
from ingestion.vector_stores.types import Schema, require_schema

logger = logging.getLogger(__name__)


class Target:
    """`previous` is the active generation while a new one is built beside it; `in_use` tells that none is built.

    The generation that readers see is opened at its first use: a run with nothing to do may not need it.
    """

    def __init__(
        self,
        generations: Generations,
        schema: Schema,
        *,
        store: VectorStore | None,
        previous: VectorStore | None = None,
        in_use: bool = True,
        unopened: bool = False,
        lease: Lease | None = None,
    ) -> None:
        self.generations = generations
        self.schema = schema
        self.previous = previous
        self.in_use = in_use
        self._store = store
        self._unopened = unopened
        self._lease = lease

    @classmethod
    def open(cls, generations: Generations, schema: Schema, mode: IngestionMode, lease: Lease | None) -> Target:
        """Open the target of a run; a dry run has no lease.

        Raises ConfigurationError if the index was made with another embedding.
        """
        if mode == "recreate":
            previous = _usable(generations)
            store = generations.create(schema, lease) if lease else None
            return cls(generations, schema, store=store, previous=previous, in_use=False)
        active = generations.active_schema(lease)
        if active is None:
            if lease is None:
                return cls(generations, schema, store=None)
            store = generations.create(schema, lease)
            generations.activate(store)
            return cls(generations, schema, store=store)
        require_schema(active, schema)
        return cls(generations, schema, store=None, unopened=True, lease=lease)

    @property
    def store(self) -> VectorStore | None:
        """Return what is written; None where nothing is indexed and nothing may be written."""
        if self._unopened:
            self._store = self.generations.open_active(self._lease)
            self._unopened = False
        return self._store

    def count(self, book_id: str) -> int:
        """Return the number of points of a book in `store`."""
        known = self.generations.known_count(book_id) if self._unopened else None
        if known is not None:
            return known
        return self.store.count(Where((Equals("book_id", book_id),))) if self.store else 0

    @property
    def vector_stores(self) -> list[VectorStore]:
        """Return where vectors of texts that were embedded before may be found."""
        return [store for store in (self.store, self.carrier) if store]

    @property
    def carrier(self) -> VectorStore | None:
        """Return the previous generation, if its points can be taken over as they are."""
        return self.previous if self.previous and self.previous.schema == self.schema else None

    def finish(self, state: IngestionState, failed: Collection[str]) -> None:
        """Make what was written the generation that readers see.

        Raises VectorStoreError, and leaves the active one in use, unless the new one holds as many chunks of each
        file as are recorded, those that failed apart, and of other books what the previous one holds.
        """
        if self.store and not self.in_use:
            book = (Equals("book_id", state.book_id),)
            good = {path: record for path, record in state.records.items() if path not in failed}
            expected = {path: len(record.chunk_ids) for path, record in good.items() if record.chunk_ids}
            carried = (AnyOf("source_file", tuple(sorted(failed))),) if failed else ()
            _compare("source_file", expected, self.store, Where(book, carried))
            if self.carrier:
                others = Where(must_not=book)
                _compare("book_id", self.carrier.values("book_id", others), self.store, others)
            self.generations.activate(self.store)
            self.in_use = True

    def close(self) -> None:
        """Release both stores."""
        for store in (self._store, self.previous):
            if store:
                store.close()


def _compare(field: str, expected: Mapping[str, int], store: VectorStore, where: Where) -> None:
    stored = store.values(field, where)
    wrong = sorted(value for value in expected.keys() | stored.keys() if expected.get(value) != stored.get(value))
    if wrong:
        first = wrong[0]
        raise VectorStoreError(
            f"the new index does not hold what was written, {len(wrong)} of {len(expected)} differ ({first}: "
            f"{stored.get(first, 0)} chunks, not {expected.get(first, 0)}); the old one stays in use, run again"
        )


def _usable(generations: Generations) -> VectorStore | None:
    """Return the active generation, or None where it is too damaged to open: `recreate` is how that is repaired."""
    try:
        return generations.open_active()
    except IndexInUse:
        raise
    except VectorStoreError as error:
        logger.warning("the index cannot be read and is built anew from the lessons: %s", error)
        return None


def at_risk(book: Where, failed: Collection[str]) -> list[Where]:
    """Return what a new generation of `book` must take over: other books, and the book's lessons that fail now."""
    others = [Where(must_not=book.must)]
    return [*others, Where((*book.must, AnyOf("source_file", tuple(sorted(failed)))))] if failed else others


def refuse_losses(target: Target, risks: Sequence[Where]) -> None:
    """Raise DeletionRefused where a new embedding would drop what cannot be taken over; the old index stays."""
    previous = target.previous
    if previous and not target.carrier and any(map(previous.count, risks)):
        raise DeletionRefused(
            f"the index also holds other books, or lessons that now fail, made by {previous.schema.embedding}; a "
            "new index would lose them, so the old one stays in use. Fix the lessons, or give each embedding "
            "a collection of its own (QDRANT_COLLECTION_NAME)"
        )
