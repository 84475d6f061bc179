"""The generation that a run writes, and the one it may take vectors from."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Collection, Mapping

from ingestion.errors import DeletionRefused, IndexInUse, VectorStoreError
from ingestion.models import IngestionMode, IngestionState
from ingestion.vector_stores.copying import copy_points
from ingestion.vector_stores.filters import AnyOf, Condition, Where, of_book, of_files
from ingestion.vector_stores.lease import Lease
from ingestion.vector_stores.protocol import BuiltGenerations, OpenGenerations, PointReader, PointWriter, VectorStore
from ingestion.vector_stores.types import Active, Schema, require_schema

logger = logging.getLogger(__name__)


class Target:
    """The index of one book while a run compares and writes it.

    `previous` is the active generation while a new one is built beside it; `in_use` tells that none is built. The
    generation that readers see is opened at its first use: a run with nothing to do may not need it.
    """

    def __init__(
        self,
        generations: BuiltGenerations,
        schema: Schema,
        book_id: str,
        *,
        active: Active | None,
        previous: VectorStore | None = None,
        in_use: bool = True,
        lease: Lease | None = None,
        takes_others: bool = True,
    ) -> None:
        self.generations = generations
        self.schema = schema
        self.book = of_book(book_id)
        self.previous = previous
        self.in_use = in_use
        self.is_new = active is None
        self.run_id = active.runs.get(book_id) if active else None
        self.remarks = active.remarks if active else ()
        self.is_unfinished = active is not None and active.is_unfinished
        self.book_id = book_id
        self._store: VectorStore | None = None
        self._unopened = in_use and active is not None
        self._is_marked = False
        self._lease = lease
        self._takes_others = takes_others

    @classmethod
    def open(
        cls,
        generations: BuiltGenerations,
        schema: Schema,
        book_id: str,
        mode: IngestionMode,
        lease: Lease | None,
        *,
        takes_others: bool = True,
    ) -> Target:
        """Open the target of a run; one without a lease writes nothing.

        A new generation takes other books over, unless the caller does.

        Raises ConfigurationError if the index was made with another embedding, unless it holds no point.
        """
        if mode == "recreate":
            previous = usable(generations)
            active = Active(previous.schema, previous.runs()) if previous else None
            return cls(
                generations,
                schema,
                book_id,
                active=active,
                previous=previous,
                in_use=False,
                lease=lease,
                takes_others=takes_others,
            )
        active = generations.active()
        if active and not active.schema.is_comparable(schema):
            if not _is_empty(generations):
                require_schema(active.schema, schema)
            active = None
        return cls(generations, schema, book_id, active=active, lease=lease)

    @property
    def store(self) -> VectorStore | None:
        """Return what is compared and written; None where there is nothing yet."""
        if self._unopened:
            self._store = self.generations.open_active(self._lease)
            self._unopened = False
        return self._store

    def mend(self) -> None:
        """Open the index as its writer, which finishes what a killed run left."""
        assert self._lease and self.store is not None

    @property
    def readers_store(self) -> PointReader | None:
        """Return what readers see."""
        return self.store if self.in_use else self.previous

    def to_write(self) -> VectorStore:
        """Return the store to write, made where there is none; its points carry a new run's id from then on."""
        store = self.store
        if store is None:
            # Not before: a model that never gave a vector must not bind the index.
            store = self._store = self.generations.create(self.schema, self._lease)
            if self.in_use:
                self.generations.activate(store)
        if not self._is_marked:
            self.run_id = secrets.token_hex(8)
            store.mark_runs({self.book_id: self.run_id})
            self._is_marked = True
        return store

    def count(self) -> int:
        """Return the number of points of the book in `store`."""
        known = self.generations.known_count(self.book_id) if self._unopened else None
        if known is not None:
            return known
        return self.store.count(self.book) if self.store else 0

    @property
    def vector_stores(self) -> list[PointReader]:
        """Return where vectors of texts that were embedded before may be found."""
        return [store for store in (self.store, self.carrier) if store]

    @property
    def carrier(self) -> PointWriter | None:
        """Return the previous generation, if its points can be taken over as they are."""
        return self.previous if self.previous and self.previous.schema.is_comparable(self.schema) else None

    def refuse_losses(self, kept: Collection[str]) -> None:
        """Raise DeletionRefused where a new embedding would drop what cannot be taken over; the old index stays."""
        previous = self.previous
        if previous and not self.carrier and any(map(previous.count, self._to_carry(kept))):
            raise DeletionRefused(
                "the index also holds other books, or lessons that cannot be read now, made by "
                f"{previous.schema.embedding}; a new index would lose them, so the old one stays in use. Fix the "
                "lessons, or give each embedding a collection of its own (QDRANT_COLLECTION_NAME)"
            )

    def carry_over(self, kept: Collection[str]) -> None:
        """Take other books, and the files of this one that are kept as they were, into the new generation."""
        self.refuse_losses(kept)
        if carrier := self.carrier:
            store = self.to_write()
            for where in self._to_carry(kept):
                copy_points(carrier, store, where)
            if self._takes_others:
                store.mark_runs({book: run for book, run in carrier.runs().items() if book != self.book_id})

    def _to_carry(self, kept: Collection[str]) -> list[Where]:
        others = [Where(must_not=self.book.must)] if self._takes_others else []
        return [*others, *of_files(self.book_id, kept)]

    def finish(self, state: IngestionState, kept: Collection[str]) -> None:
        """Make what was written the generation that readers see, and tie the records to it.

        Raises VectorStoreError, and leaves the active one in use, unless the new one holds as many chunks of each
        file as are recorded, those that are kept apart, and of other books what the previous one holds.
        """
        if not self.in_use:
            store = self.to_write()
            self._require_whole(store, state, kept)
            self.generations.activate(store)
            self.in_use = True
        elif self.store and self.run_id is None:
            self.to_write()

    def _require_whole(self, store: VectorStore, state: IngestionState, kept: Collection[str]) -> None:
        counts = {path: record.chunk_count for path, record in state.records.items() if path not in kept}
        carried = (AnyOf("source_file", tuple(sorted(kept))),) if kept else ()
        expected = {path: count for path, count in counts.items() if count}
        _compare("source_file", expected, store, Where(self.book.must, carried))
        if self.carrier and self._takes_others:
            compare_others(self.carrier, store, self.book.must)

    def close(self) -> None:
        """Release both stores."""
        for store in (self._store, self.previous):
            if store:
                store.close()


def compare_others(source: PointReader, store: PointReader, rebuilt: tuple[Condition, ...]) -> None:
    """Raise VectorStoreError unless `store` holds what `source` does of the books that were taken over."""
    others = Where(must_not=rebuilt)
    _compare("book_id", source.values("book_id", others), store, others)


def _compare(field: str, expected: Mapping[str, int], store: PointReader, where: Where) -> None:
    stored = store.values(field, where)
    wrong = sorted(value for value in expected.keys() | stored.keys() if expected.get(value) != stored.get(value))
    if wrong:
        first = wrong[0]
        raise VectorStoreError(
            f"the new index does not hold what was written, {len(wrong)} of {len(expected)} differ ({first}: "
            f"{stored.get(first, 0)} chunks, not {expected.get(first, 0)}); the old one stays in use, run again"
        )


def usable(generations: OpenGenerations) -> VectorStore | None:
    """Return the active generation, or None where it is too damaged to open: `recreate` is how that is repaired."""
    try:
        return generations.open_active()
    except IndexInUse:
        raise
    except VectorStoreError as error:
        logger.warning("the index cannot be read and is rebuilt from the lessons: %s", error)
        return None


def _is_empty(generations: OpenGenerations) -> bool:
    """Return whether the active generation has no point, and so no model: any other may take its place."""
    store = generations.open_active()
    if store is None:
        return True
    try:
        return store.count(Where()) == 0
    finally:
        store.close()
