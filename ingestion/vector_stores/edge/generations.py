"""The generations of an embedded collection: a directory each, and a pointer that is replaced in one step.

<directory>/CURRENT                     {"active": "20260801T101500-a1b2c3", "former": null}
<directory>/<generation>/shard/         the engine's files
<directory>/<generation>/schema.json    written last: without it the generation is not finished
<directory>/<generation>/runs.json      which run last wrote each book
<directory>/<generation>/lock           held by the process that has the generation open
"""

from __future__ import annotations

import errno
import json
import logging
import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from ingestion.atomic_file import write_atomically
from ingestion.errors import IndexInUse, IndexNotWritable, PointerDamaged, VectorStoreError
from ingestion.own_files import is_refused, read_own, refuse_link, refuse_links_below
from ingestion.vector_stores.edge.count_cache import CountReader, remember_counts, remembered_counts
from ingestion.vector_stores.edge.lock import LOCK, acquire, is_wanted
from ingestion.vector_stores.edge.pointer import POINTER, Pointer, read_pointer, write_pointer
from ingestion.vector_stores.edge.private_copy import copy_of, is_outdated
from ingestion.vector_stores.edge.run_ids import read_runs
from ingestion.vector_stores.filters import Where
from ingestion.vector_stores.generation_names import PATTERN, new_generation, with_roles
from ingestion.vector_stores.lease import Lease, LocalLease
from ingestion.vector_stores.protocol import VectorStore
from ingestion.vector_stores.types import REBUILD, Active, KeptGeneration, Schema

if TYPE_CHECKING:
    from ingestion.vector_stores.edge.store import EdgeStore

logger = logging.getLogger(__name__)


class EdgeGenerations:
    """Generations below `directory`; waits `wait` seconds for one that another process has open."""

    look_seconds = 0.25
    is_remote = False

    def __init__(
        self, directory: Path, wait: float = 0.0, shared: EdgeStore | None = None, *, keeps: bool = False
    ) -> None:
        """`shared` is open already; with `keeps` the active generation stays open, once it was opened."""
        self._directory = directory
        self._wait = wait
        self._shared = shared
        self._keeps = keeps
        self._counts = CountReader()

    def writer(self, wait: float) -> AbstractContextManager[Lease]:
        """See Generations; the lock on an open generation keeps other processes out already."""
        return nullcontext(LocalLease())

    def states(self) -> None:
        """See Generations; a disk that holds the index holds the state file as well."""

    def active(self) -> Active | None:
        """See Generations."""
        active = self._pointer().active
        return Active(_schema_in(path := self._directory / active), read_runs(path)) if active else None

    def repair(self) -> None:
        """See Generations: of the finished generations the one with the most points is taken, then the newest.

        One that a killed `recreate` left is smaller; what it lacks, the run that follows adds.
        """
        try:
            pointer = self._pointer()
            if pointer.active and not (self._directory / pointer.active).exists():
                raise PointerDamaged(f"{self._directory / POINTER} names {pointer.active}, which is gone")
        except PointerDamaged as damage:
            names = [path.name for path in self._directory.iterdir() if re.fullmatch(PATTERN, path.name)]
            sizes = {name: size for name in names if (size := self._points_in(name)) is not None}
            ranked = sorted(sizes, key=lambda name: (sizes[name], name), reverse=True)
            if not ranked:
                raise VectorStoreError(f"{damage}; no generation in it can be opened; {REBUILD}") from damage
            self._point(Pointer(*ranked[:2]))
            logger.warning(
                "%s; repaired: it names %s again, the largest (%d points)", damage, ranked[0], sizes[ranked[0]]
            )

    def _points_in(self, generation: str) -> int | None:
        """Return the points of a generation, None where it cannot be opened."""
        try:
            release = self._lock(generation)
            try:
                store = self._open(self._directory / generation, release)
            except BaseException:
                release()
                raise
            with closing(store):
                return store.count(Where())
        except IndexInUse:
            raise
        except VectorStoreError:
            return None

    def known_count(self, book_id: str) -> int | None:
        """See Generations."""
        active = self._pointer().active
        counts = self._counts.read(self._directory / active) if active else None
        return None if counts is None else counts.get(book_id, 0)

    def open_active(self, lease: Lease | None = None) -> EdgeStore | None:
        """See Generations."""
        if self._keeps and self._shared and self.should_close(self._shared):
            self._give_back()
        while active := self._pointer().active:
            if self._shared and self._shared.directory.name == active and not (lease and self._is_copy(self._shared)):
                return self._shared.share()
            try:
                path, release = self._directory / active, self._lock(active)
            except IndexNotWritable:
                if lease:
                    raise
                path, release = self._lock_copy(active)
            try:
                # While we waited, another process may have activated a new generation and dropped this one.
                if self._pointer().active == active:
                    store = self._open(path, release)
                    self._shared = store.share() if self._keeps else self._shared
                    return store
            except BaseException:
                release()
                raise
            release()
        return None

    def should_close(self, store: VectorStore) -> bool:
        """See Generations."""
        from ingestion.vector_stores.edge.store import EdgeStore

        assert isinstance(store, EdgeStore)
        active = self._pointer().active
        if active != store.directory.name:
            return True
        with _disk_errors(store.directory):
            if self._is_copy(store) and is_outdated(store.directory, self._directory / active):
                return True
            return is_wanted(store.directory / LOCK)

    def loading(self, store: VectorStore, points: int) -> AbstractContextManager[None]:
        """See Generations; points are searchable at once, there is nothing to wait for."""
        return nullcontext()

    def sharing(self, store: VectorStore) -> EdgeGenerations:
        """See Generations; the engine belongs to one process, and opens an index only once in it."""
        from ingestion.vector_stores.edge.store import EdgeStore

        assert isinstance(store, EdgeStore)
        return EdgeGenerations(self._directory, self._wait, store)

    @contextmanager
    def keeping(self) -> Iterator[EdgeGenerations]:
        """See Generations; opening and closing take time in proportion to the whole index."""
        kept = EdgeGenerations(self._directory, self._wait, keeps=True)
        try:
            yield kept
        finally:
            kept._give_back()

    def _give_back(self) -> None:
        if self._shared:
            self._shared.close()
            self._shared = None

    def refusals(self, points: int) -> list[str]:
        """See Generations; the embedded engine sets no limits."""
        return []

    def health(self) -> None:
        """See Generations."""

    def create(self, schema: Schema, lease: Lease | None = None) -> EdgeStore:
        """See Generations."""
        from ingestion.vector_stores.edge.shard import create_shard
        from ingestion.vector_stores.edge.store import EdgeStore

        with _disk_errors(self._directory):
            refuse_link(self._directory)
            self._directory.mkdir(parents=True, exist_ok=True)
            self._remove_left_overs()
            path = self._directory / new_generation()
            path.mkdir()
            release = acquire(path / LOCK, self._wait)
            try:
                shard = create_shard(path / "shard", schema.dimensions)
                write_atomically(path / "schema.json", json.dumps(schema.as_json()))
            except BaseException:
                release()
                raise
        return EdgeStore(path, schema, shard, release)

    def activate(self, store: VectorStore) -> None:
        """See Generations."""
        from ingestion.vector_stores.edge.store import EdgeStore

        if not isinstance(store, EdgeStore) or store.directory.parent != self._directory:
            raise ValueError("only a generation that was created here can be activated")
        before = self._readable_pointer() or Pointer()
        if before.active == store.directory.name:
            return
        store.checkpoint()
        self._point(Pointer(active=store.directory.name, former=before.active))
        if before.former:
            self._remove_unless_in_use(before.former)

    def rollback(self, lease: Lease | None = None) -> None:
        """See Generations."""
        pointer = self._pointer()
        if pointer.former is None:
            raise VectorStoreError(f"there is no former generation in {self._directory} to go back to")
        _schema_in(self._directory / pointer.former)
        self._point(Pointer(active=pointer.former, former=pointer.active))

    def drop_former(self, lease: Lease | None = None) -> bool:
        """See Generations; raises IndexInUse where another process has the former generation open."""
        pointer = self._pointer()
        if pointer.former is None:
            return False
        release = self._lock(pointer.former)
        try:
            self._point(Pointer(active=pointer.active))
        finally:
            release()
        self._remove(pointer.former)
        return True

    def kept(self) -> list[KeptGeneration]:
        """See Generations."""
        pointer = self._pointer()
        paths = self._directory.iterdir() if self._directory.is_dir() else ()
        there = {path.name for path in paths if re.fullmatch(PATTERN, path.name)}
        return [
            KeptGeneration(name, role, self._readable_schema(name), self._size(name))
            for name, role in with_roles(there, active=pointer.active, former=pointer.former)
        ]

    def _readable_schema(self, generation: str) -> Schema | None:
        try:
            return _schema_in(self._directory / generation)
        except VectorStoreError:
            return None

    def _size(self, generation: str) -> int | None:
        counts = remembered_counts(self._directory / generation)
        return None if counts is None else sum(counts.values())

    def _is_copy(self, store: EdgeStore) -> bool:
        return store.directory.parent != self._directory

    def _open(self, path: Path, release: Callable[[], None]) -> EdgeStore:
        # Imported late: a run with nothing to do needs no engine.
        from ingestion.vector_stores.edge.shard import load_shard
        from ingestion.vector_stores.edge.store import EdgeStore

        if not path.exists():
            raise VectorStoreError(f"{path} is gone; {REBUILD}")
        schema = _schema_in(path)
        with _disk_errors(path):
            refuse_links_below(path / "shard")
            counts = remembered_counts(path)
            shard = load_shard(path / "shard")
            if counts is not None:
                # Opening changes files, and no point: a run with nothing to do need not wait for who only reads.
                remember_counts(path, counts)
            return EdgeStore(path, schema, shard, release)

    def _lock(self, generation: str) -> Callable[[], None]:
        """Keep other processes out of a generation; where its directory is gone there is nothing to lock."""
        with _disk_errors(self._directory):
            try:
                refuse_link(self._directory)
                path = self._directory / generation
                refuse_link(path)
                if (path / "shard").is_dir() and not os.access(path / "shard", os.W_OK):
                    raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path / "shard"))
                return acquire(path / LOCK, self._wait)
            except FileNotFoundError:
                return lambda: None
            except OSError as error:
                if is_refused(error):
                    raise IndexNotWritable(self._directory, error.strerror) from error
                raise

    def _lock_copy(self, generation: str) -> tuple[Path, Callable[[], None]]:
        """Return this user's copy of a generation that cannot be written, and the call that gives it back."""
        with _disk_errors(self._directory):
            while True:
                copy = copy_of(self._directory / generation, self._wait)
                with suppress(FileNotFoundError):
                    release = acquire(copy / LOCK, self._wait)
                    if copy.exists():
                        return copy, release
                    # Another process removed it meanwhile, for the index has changed.
                    release()

    def _pointer(self) -> Pointer:
        return read_pointer(self._directory)

    def _readable_pointer(self) -> Pointer | None:
        """Return None where the pointer is damaged, which must not keep a new generation from being made."""
        try:
            return self._pointer()
        except PointerDamaged:
            return None

    def _point(self, pointer: Pointer) -> None:
        with _disk_errors(self._directory):
            write_pointer(self._directory, pointer)

    def _remove_left_overs(self) -> None:
        """Remove what no pointer names: creations that were killed, and drops that were."""
        pointer = self._readable_pointer()
        if pointer is None:
            return
        for path in self._directory.iterdir():
            if re.fullmatch(PATTERN, path.name) and path.name not in (pointer.active, pointer.former):
                if not path.is_symlink():
                    self._lock(path.name)()
                self._remove(path.name)

    def _remove_unless_in_use(self, generation: str) -> None:
        """Remove a generation that no process reads; another one is a left-over, which the next creation removes."""
        try:
            self._lock(generation)()
        except IndexInUse:
            return
        self._remove(generation)

    def _remove(self, generation: str) -> None:
        """To be called once the lock was free; nobody opens a generation that the pointer does not name."""
        path = self._directory / generation
        with _disk_errors(self._directory), suppress(FileNotFoundError):
            if path.is_symlink():
                path.unlink()
            else:
                shutil.rmtree(path)


def _schema_in(generation: Path) -> Schema:
    path = generation / "schema.json"
    try:
        return Schema.from_json(json.loads(read_own(path)), str(path))
    except (OSError, ValueError, RecursionError) as exc:
        raise VectorStoreError(f"cannot read {path}: {exc}; {REBUILD}") from exc


@contextmanager
def _disk_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as exc:
        raise VectorStoreError(f"cannot use {path}: {exc}") from exc
