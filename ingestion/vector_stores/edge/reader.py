"""The generation of an embedded index that readers see: opened once in a process, a copy where it is read-only."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ingestion.errors import IndexNotWritable
from ingestion.vector_stores.edge.count_cache import CountReader
from ingestion.vector_stores.edge.generation_folders import GenerationFolders, disk_errors, schema_in
from ingestion.vector_stores.edge.lock import LOCK, given_back_on_error, is_wanted
from ingestion.vector_stores.edge.private_copy import is_outdated
from ingestion.vector_stores.edge.run_ids import read_runs
from ingestion.vector_stores.lease import Lease
from ingestion.vector_stores.protocol import VectorStore
from ingestion.vector_stores.types import Active

if TYPE_CHECKING:
    from ingestion.vector_stores.edge.store import EdgeStore


class EdgeReader:
    """Opens what the pointer of `folders` names; see OpenGenerations."""

    look_seconds = 0.25

    def __init__(self, folders: GenerationFolders, shared: EdgeStore | None = None, *, keeps: bool = False) -> None:
        """`shared` is open already; with `keeps` the active generation stays open, once it was opened."""
        self._folders = folders
        self._shared = shared
        self._keeps = keeps
        self._counts = CountReader()

    def active(self) -> Active | None:
        """See Generations."""
        active = self._folders.pointer().active
        return Active(schema_in(path := self._folders.directory / active), read_runs(path)) if active else None

    def known_count(self, book_id: str) -> int | None:
        """See Generations."""
        active = self._folders.pointer().active
        counts = self._counts.read(self._folders.directory / active) if active else None
        return None if counts is None else counts.get(book_id, 0)

    def open_active(self, lease: Lease | None = None) -> EdgeStore | None:
        """See Generations."""
        if self._keeps and self._shared and self.should_close(self._shared):
            self.give_back()
        while active := self._folders.pointer().active:
            if shared := self._shared_for(active, lease):
                return shared.share()
            path, release = self._locked(active, lease)
            with given_back_on_error(release):
                # While we waited, another process may have activated a new generation and dropped this one.
                if self._folders.pointer().active == active:
                    store = self._folders.open(path, release)
                    self._shared = store.share() if self._keeps else self._shared
                    return store
            release()
        return None

    def _shared_for(self, active: str, lease: Lease | None) -> EdgeStore | None:
        """Return what is open already, if it is the generation asked for; a copy is not for a writer."""
        shared = self._shared
        if shared is None or shared.directory.name != active or (lease and self._is_copy(shared)):
            return None
        return shared

    def _locked(self, active: str, lease: Lease | None) -> tuple[Path, Callable[[], None]]:
        """Lock the generation, or for who only reads a copy of one that cannot be written."""
        try:
            return self._folders.directory / active, self._folders.lock(active)
        except IndexNotWritable:
            if lease:
                raise
            return self._folders.lock_copy(active)

    def should_close(self, store: VectorStore) -> bool:
        """See Generations."""
        from ingestion.vector_stores.edge.store import EdgeStore

        assert isinstance(store, EdgeStore)
        active = self._folders.pointer().active
        if active != store.directory.name:
            return True
        with disk_errors(store.directory):
            if self._is_copy(store) and is_outdated(store.directory, self._folders.directory / active):
                return True
            return is_wanted(store.directory / LOCK)

    def give_back(self) -> None:
        """Close what was kept open."""
        if self._shared:
            self._shared.close()
            self._shared = None

    def _is_copy(self, store: EdgeStore) -> bool:
        return store.directory.parent != self._folders.directory
