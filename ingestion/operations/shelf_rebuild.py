"""`recreate` of a shelf: the runs of all its books fill one new generation, which readers see when all are done."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import replace
from typing import Any, cast

from ingestion.errors import DeletionRefused
from ingestion.sync.parts import Parts
from ingestion.sync.target import compare_others, usable
from ingestion.vector_stores.copying import copy_points
from ingestion.vector_stores.filters import AnyOf, Where, of_book
from ingestion.vector_stores.lease import Lease
from ingestion.vector_stores.protocol import Generations, VectorStore
from ingestion.vector_stores.types import Schema


class ShelfRebuild:
    """Holds the index as its one writer while the books are indexed, each with `parts`; `finish` switches to it.

    Left without `finish`, readers keep what they have. The records that were saved are then of another run than the
    points, so that the next run compares in full (docs/design.md, decision 7).
    """

    def __init__(self, parts: Parts, shelf: Collection[str]) -> None:
        self._parts = parts
        self._shelf = shelf
        self._stack = ExitStack()

    def __enter__(self) -> ShelfRebuild:
        with ExitStack() as stack:
            lease = stack.enter_context(self._parts.as_writer())
            self._parts.generations.repair()
            self._built = _Built(self._parts.generations, lease)
            stack.callback(self._built.close)
            self._refuse_losses(set(self._shelf))
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *exc: object) -> None:
        self._stack.close()

    def parts(self) -> Parts:
        """Return the parts for the next book's run."""
        return replace(self._parts, generations=cast(Generations, self._built), lock=None, takes_others=False)

    def finish(self, done: Collection[str]) -> None:
        """Take over what was not indexed anew, books that failed and those that are not on the shelf, and switch.

        Raises DeletionRefused where that cannot be, since another embedding made it; readers keep what they have.
        """
        new, old = self._built.new, self._built.old
        if new is None:
            return
        rebuilt = (AnyOf("book_id", tuple(sorted(done))),)
        for book in new.values("book_id", Where()).keys() - set(done):
            new.delete(of_book(book))
        self._refuse_losses(done)
        if old and old.schema.is_comparable(new.schema):
            copy_points(old, new, Where(must_not=rebuilt))
            new.mark_runs({book: run for book, run in old.runs().items() if book not in done})
            compare_others(old, new, rebuilt)
        new.checkpoint()
        self._parts.generations.activate(new)

    def _refuse_losses(self, done: Collection[str]) -> None:
        old = self._built.old
        if old is None or old.schema.is_comparable(self._parts.schema):
            return
        if lost := sorted(old.values("book_id", Where()).keys() - set(done)):
            raise DeletionRefused(
                f"the index also holds {', '.join(lost)}, of {old.schema.embedding}; a new index would lose it, "
                "so the old one stays in use. Index it in the same run, or remove it with `bookwise delete-book`"
            )


class _Built:
    """Generations of which each run finds the former one and writes the new one, and none closes or activates it."""

    def __init__(self, inner: Generations, lease: Lease) -> None:
        self._inner = inner
        self._lease = lease
        self.old = usable(inner)
        self.new: VectorStore | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def close(self) -> None:
        for store in (self.new, self.old):
            if store:
                store.close()

    def repair(self) -> None:
        """Do nothing: it is already repaired."""

    def writer(self, wait: float) -> AbstractContextManager[Lease]:
        return nullcontext(self._lease)

    def open_active(self, lease: Lease | None = None) -> _Open | None:
        return _Open(self.old) if self.old else None

    def create(self, schema: Schema, lease: Lease | None = None) -> _Open:
        self.new = self.new or self._inner.create(schema, self._lease)
        return _Open(self.new)

    def loading(self, store: object, points: int) -> AbstractContextManager[None]:
        assert self.new is not None
        return self._inner.loading(self.new, points)

    def activate(self, store: object) -> None:
        """Do nothing: the switch comes after the last book."""


class _Open:
    """A store that stays open."""

    def __init__(self, inner: VectorStore) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def close(self) -> None:
        """Do nothing: it is closed after the last book."""
