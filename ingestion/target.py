"""The generation that a run writes, and the one it may take vectors from."""

from __future__ import annotations

import logging

from ingestion.errors import ConfigurationError, IndexInUse, VectorStoreError
from ingestion.models import IngestionMode
from ingestion.vector_stores import Equals, Generations, Schema, VectorStore, Where

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
    ) -> None:
        self.generations = generations
        self.schema = schema
        self.former = former
        self.in_use = in_use
        self._store = store
        self._unopened = unopened

    @classmethod
    def open(cls, generations: Generations, schema: Schema, mode: IngestionMode, *, dry_run: bool) -> Target:
        """The target for a run; raises ConfigurationError if the index was made with another embedding."""
        if mode == "recreate":
            former = _usable(generations)
            store = None if dry_run else generations.create(schema)
            return cls(generations, schema, store=store, former=former, in_use=False)
        active = generations.active_schema()
        if active is None:
            if dry_run:
                return cls(generations, schema, store=None)
            store = generations.create(schema)
            generations.activate(store)
            return cls(generations, schema, store=store)
        if active != schema:
            raise ConfigurationError(
                f"the index holds vectors of {active.embedding} ({active.dimensions} dimensions), the settings ask "
                f"for {schema.embedding} ({schema.dimensions}); choose the former, or run "
                "`bookwise ingest --mode recreate`, which builds a new index beside the old one"
            )
        return cls(generations, schema, store=None, unopened=True)

    @property
    def store(self) -> VectorStore | None:
        """What is written; None where nothing is indexed and nothing may be written."""
        if self._unopened:
            self._store = self.generations.open_active()
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

    def finish(self) -> None:
        """Make what was written the generation that readers see."""
        if self.store and not self.in_use:
            self.generations.activate(self.store)
            self.in_use = True

    def close(self) -> None:
        """Release both stores."""
        for store in (self._store, self.former):
            if store:
                store.close()


def _usable(generations: Generations) -> VectorStore | None:
    """The active generation, or None where it is too damaged to open: `recreate` is how that is mended."""
    try:
        return generations.open_active()
    except IndexInUse:
        raise
    except VectorStoreError as error:
        logger.warning("the index cannot be read and is built anew from the lessons: %s", error)
        return None
