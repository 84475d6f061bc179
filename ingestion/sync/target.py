"""The generation that a run writes, and the one it may take vectors from."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Mapping, Sequence

from ingestion.errors import ConfigurationError, DeletionRefused, IndexInUse, LessonError, VectorStoreError
from ingestion.models import IngestionMode, IngestionState
from ingestion.vector_stores.filters import AnyOf, Equals, Where
from ingestion.vector_stores.lease import Lease
from ingestion.vector_stores.protocol import Generations, VectorStore
from ingestion.vector_stores.types import Schema

logger = logging.getLogger(__name__)


class Target:
    """`former` is the active generation while a new one is built beside it; `in_use` tells that there is none such.

    The generation that readers see is opened at its first use: a run with nothing to do may not need it.
    """

    def __init__(
        self,
        generations: Generations,
        schema: Schema,
        *,
        store: VectorStore | None,
        former: VectorStore | None = None,
        in_use: bool = True,
        unopened: bool = False,
        lease: Lease | None = None,
    ) -> None:
        self.generations = generations
        self.schema = schema
        self.former = former
        self.in_use = in_use
        self._store = store
        self._unopened = unopened
        self._lease = lease

    @classmethod
    def open(cls, generations: Generations, schema: Schema, mode: IngestionMode, lease: Lease | None) -> Target:
        """Return the target of a run; a dry run has no lease.

        Raises ConfigurationError if the index was made with another embedding.
        """
        if mode == "recreate":
            former = _usable(generations)
            store = generations.create(schema, lease) if lease else None
            return cls(generations, schema, store=store, former=former, in_use=False)
        active = generations.active_schema(lease)
        if active is None:
            if lease is None:
                return cls(generations, schema, store=None)
            store = generations.create(schema, lease)
            generations.activate(store)
            return cls(generations, schema, store=store)
        if active != schema:
            raise ConfigurationError(
                f"the index holds vectors of {active.embedding} ({active.dimensions} dimensions), the settings ask "
                f"for {schema.embedding} ({schema.dimensions}); choose the former, or run "
                "`bookwise ingest --mode recreate`, which builds a new index beside the old one"
            )
        return cls(generations, schema, store=None, unopened=True, lease=lease)

    @property
    def store(self) -> VectorStore | None:
        """What is written; None where nothing is indexed and nothing may be written."""
        if self._unopened:
            self._store = self.generations.open_active(self._lease)
            self._unopened = False
        return self._store

    def count(self, book_id: str) -> int:
        """The points of a book in `store`."""
        known = self.generations.known_count(book_id) if self._unopened else None
        if known is not None:
            return known
        return self.store.count(Where((Equals("book_id", book_id),))) if self.store else 0

    @property
    def vector_stores(self) -> list[VectorStore]:
        """Where vectors of texts that were embedded before may be found."""
        return [store for store in (self.store, self.carrier) if store]

    @property
    def carrier(self) -> VectorStore | None:
        """The former generation, if its points can be taken over as they are."""
        return self.former if self.former and self.former.schema == self.schema else None

    def finish(self, state: IngestionState, failed: Collection[str]) -> None:
        """Make what was written the generation that readers see.

        Raises VectorStoreError, and leaves the active one in use, unless the new one holds as many chunks of each
        file as are recorded, those that failed apart, and of other books what the former one holds.
        """
        if self.store and not self.in_use:
            book = (Equals("book_id", state.book_id),)
            good = {path: record for path, record in state.records.items() if path not in failed}
            wanted = {path: len(record.chunk_ids) for path, record in good.items() if record.chunk_ids}
            carried = (AnyOf("source_file", tuple(sorted(failed))),) if failed else ()
            _compare("source_file", wanted, self.store, Where(book, carried))
            if self.carrier:
                others = Where(must_not=book)
                _compare("book_id", self.carrier.values("book_id", others), self.store, others)
            self.generations.activate(self.store)
            self.in_use = True

    def close(self) -> None:
        """Release both stores."""
        for store in (self._store, self.former):
            if store:
                store.close()


def _compare(field: str, wanted: Mapping[str, int], store: VectorStore, where: Where) -> None:
    stored = store.values(field, where)
    wrong = sorted(value for value in wanted.keys() | stored.keys() if wanted.get(value) != stored.get(value))
    if wrong:
        first = wrong[0]
        raise VectorStoreError(
            f"the new index does not hold what was written, {len(wrong)} of {len(wanted)} differ ({first}: "
            f"{stored.get(first, 0)} chunks, not {wanted.get(first, 0)}); the old one stays in use, run again"
        )


def _usable(generations: Generations) -> VectorStore | None:
    """The active generation, or None where it is too damaged to open: `recreate` is how that is mended."""
    try:
        return generations.open_active()
    except IndexInUse:
        raise
    except VectorStoreError as error:
        logger.warning("the index cannot be read and is built anew from the lessons: %s", error)
        return None


def would_be_lost(book: Where, failures: Iterable[LessonError]) -> list[Where]:
    """Other books than `book`, and its lessons that fail now."""
    failed = tuple(sorted({failure.path for failure in failures}))
    lost = [Where(must_not=book.must)]
    return [*lost, Where((*book.must, AnyOf("source_file", failed)))] if failed else lost


def refuse_losses(target: Target, lost: Sequence[Where]) -> None:
    """Raise DeletionRefused where a new embedding would drop what cannot be taken over; the old index stays."""
    former = target.former
    if former and not target.carrier and any(map(former.count, lost)):
        raise DeletionRefused(
            f"the index also holds other books, or lessons that now fail, made by {former.schema.embedding}; a "
            "new index would lose them, so the old one stays in use. Mend the lessons, or give each embedding "
            "a collection of its own (QDRANT_COLLECTION_NAME)"
        )


def carry_over(target: Target, lost: Sequence[Where]) -> None:
    """Take what would be lost into the new generation; raises DeletionRefused as `refuse_losses` does."""
    # Imported late: a run with nothing to do writes nothing.
    from ingestion.sync.writer import copy_points

    refuse_losses(target, lost)
    if target.carrier and target.store:
        for where in lost:
            copy_points(target.carrier, target.store, where)
