"""The generations of an embedded collection as a run writes them: made, activated, gone back to, removed."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from ingestion.errors import PointerDamaged, VectorStoreError
from ingestion.vector_stores.edge.generation_folders import GenerationFolders, schema_in
from ingestion.vector_stores.edge.pointer import POINTER, Pointer
from ingestion.vector_stores.edge.reader import EdgeReader
from ingestion.vector_stores.generation_names import with_roles
from ingestion.vector_stores.lease import Lease, LocalLease
from ingestion.vector_stores.protocol import VectorStore
from ingestion.vector_stores.types import REBUILD, KeptGeneration, Schema

if TYPE_CHECKING:
    from ingestion.vector_stores.edge.store import EdgeStore

logger = logging.getLogger(__name__)


class EdgeGenerations(EdgeReader):
    """Generations below `directory`; waits `wait` seconds for one that another process has open."""

    is_remote = False

    def __init__(
        self, directory: Path, wait: float = 0.0, shared: EdgeStore | None = None, *, keeps: bool = False
    ) -> None:
        super().__init__(GenerationFolders(directory, wait), shared, keeps=keeps)

    def writer(self, wait: float) -> AbstractContextManager[Lease]:
        """See Generations; the lock on an open generation keeps other processes out already."""
        return nullcontext(LocalLease())

    def states(self) -> None:
        """See Generations; a disk that holds the index holds the state file as well."""

    def repair(self) -> None:
        """See Generations: of the finished generations the one with the most points is taken, then the newest.

        One that a killed `recreate` left is smaller; what it lacks, the run that follows adds.
        """
        try:
            pointer = self._folders.pointer()
            if pointer.active and not (self._folders.directory / pointer.active).exists():
                raise PointerDamaged(f"{self._folders.directory / POINTER} names {pointer.active}, which is gone")
        except PointerDamaged as damage:
            names = self._folders.names()
            sizes = {name: size for name in names if (size := self._folders.points_in(name)) is not None}
            ranked = sorted(sizes, key=lambda name: (sizes[name], name), reverse=True)
            if not ranked:
                raise VectorStoreError(f"{damage}; no generation in it can be opened; {REBUILD}") from damage
            self._folders.point(Pointer(*ranked[:2]))
            logger.warning(
                "%s; repaired: it names %s again, the largest (%d points)", damage, ranked[0], sizes[ranked[0]]
            )

    def loading(self, store: VectorStore, points: int) -> AbstractContextManager[None]:
        """See Generations; points are searchable at once, there is nothing to wait for."""
        return nullcontext()

    def sharing(self, store: VectorStore) -> EdgeGenerations:
        """See Generations; the engine belongs to one process, and opens an index only once in it."""
        from ingestion.vector_stores.edge.store import EdgeStore

        assert isinstance(store, EdgeStore)
        return EdgeGenerations(self._folders.directory, self._folders.wait, store)

    @contextmanager
    def keeping(self) -> Iterator[EdgeGenerations]:
        """See Generations; opening and closing take time in proportion to the whole index."""
        kept = EdgeGenerations(self._folders.directory, self._folders.wait, keeps=True)
        try:
            yield kept
        finally:
            kept.give_back()

    def refusals(self, points: int) -> list[str]:
        """See Generations; the embedded engine sets no limits."""
        return []

    def health(self) -> None:
        """See Generations."""

    def create(self, schema: Schema, lease: Lease | None = None) -> EdgeStore:
        """See Generations."""
        return self._folders.create(schema)

    def activate(self, store: VectorStore) -> None:
        """See Generations."""
        from ingestion.vector_stores.edge.store import EdgeStore

        if not isinstance(store, EdgeStore) or store.directory.parent != self._folders.directory:
            raise ValueError("only a generation that was created here can be activated")
        before = self._folders.readable_pointer() or Pointer()
        if before.active == store.directory.name:
            return
        store.checkpoint()
        self._folders.point(Pointer(active=store.directory.name, former=before.active))
        if before.former:
            self._folders.remove_unless_in_use(before.former)

    def rollback(self, lease: Lease | None = None) -> None:
        """See Generations."""
        pointer = self._folders.pointer()
        if pointer.former is None:
            raise VectorStoreError(f"there is no previous generation in {self._folders.directory} to go back to")
        schema_in(self._folders.directory / pointer.former)
        self._folders.point(Pointer(active=pointer.former, former=pointer.active))

    def drop_former(self, lease: Lease | None = None) -> bool:
        """See Generations; raises IndexInUse where another process has the former generation open."""
        pointer = self._folders.pointer()
        if pointer.former is None:
            return False
        release = self._folders.lock(pointer.former)
        try:
            self._folders.point(Pointer(active=pointer.active))
        finally:
            release()
        self._folders.remove(pointer.former)
        return True

    def kept(self) -> list[KeptGeneration]:
        """See Generations."""
        pointer = self._folders.pointer()
        return [
            KeptGeneration(name, role, self._folders.readable_schema(name), self._folders.size(name))
            for name, role in with_roles(self._folders.names(), active=pointer.active, former=pointer.former)
        ]
