"""The files of an embedded collection: a directory for each generation, and a pointer that is replaced in one step.

<directory>/CURRENT                     {"active": "20260801T101500-a1b2c3", "former": null}
<directory>/<generation>/shard/         the engine's files
<directory>/<generation>/schema.json    written last: without it the generation is not finished
<directory>/<generation>/runs.json      which run last wrote each book
<directory>/<generation>/lock           held by the process that has the generation open
"""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from ingestion.atomic_file import write_atomically
from ingestion.errors import IndexInUse, IndexNotWritable, PointerDamaged, VectorStoreError
from ingestion.own_files import is_refused, read_own, refuse_link, refuse_links_below
from ingestion.vector_stores.edge.count_cache import remember_counts, remembered_counts
from ingestion.vector_stores.edge.lock import LOCK, acquire, given_back_on_error
from ingestion.vector_stores.edge.pointer import Pointer, read_pointer, write_pointer
from ingestion.vector_stores.edge.private_copy import copy_of
from ingestion.vector_stores.filters import Where
from ingestion.vector_stores.generation_names import PATTERN, new_generation
from ingestion.vector_stores.types import REBUILD, Schema

if TYPE_CHECKING:
    from ingestion.vector_stores.edge.store import EdgeStore


class GenerationFolders:
    """The generations below `directory`; waits `wait` seconds for one that another process has open."""

    def __init__(self, directory: Path, wait: float) -> None:
        self.directory = directory
        self.wait = wait

    def pointer(self) -> Pointer:
        """Return which generation is active, and which was before; raises PointerDamaged."""
        return read_pointer(self.directory)

    def readable_pointer(self) -> Pointer | None:
        """Return None where the pointer is damaged, which must not keep a new generation from being made."""
        try:
            return self.pointer()
        except PointerDamaged:
            return None

    def point(self, pointer: Pointer) -> None:
        """Replace the pointer in one step."""
        with disk_errors(self.directory):
            write_pointer(self.directory, pointer)

    def names(self) -> set[str]:
        """Return the generations that are there, finished or not."""
        paths = self.directory.iterdir() if self.directory.is_dir() else ()
        return {path.name for path in paths if re.fullmatch(PATTERN, path.name)}

    def readable_schema(self, generation: str) -> Schema | None:
        """Return the schema of a generation, None where it has none that can be read."""
        try:
            return schema_in(self.directory / generation)
        except VectorStoreError:
            return None

    def size(self, generation: str) -> int | None:
        """Return the points that a closed generation noted, None where it did not."""
        counts = remembered_counts(self.directory / generation)
        return None if counts is None else sum(counts.values())

    def points_in(self, generation: str) -> int | None:
        """Return the points of a generation, None where it cannot be opened."""
        try:
            with given_back_on_error(release := self.lock(generation)):
                store = self.open(self.directory / generation, release)
            with closing(store):
                return store.count(Where())
        except IndexInUse:
            raise
        except VectorStoreError:
            return None

    def lock(self, generation: str) -> Callable[[], None]:
        """Keep other processes out of a generation; where its directory is gone there is nothing to lock."""
        with disk_errors(self.directory):
            try:
                refuse_link(self.directory)
                path = self.directory / generation
                refuse_link(path)
                if (path / "shard").is_dir() and not os.access(path / "shard", os.W_OK):
                    raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path / "shard"))
                return acquire(path / LOCK, self.wait)
            except FileNotFoundError:
                return lambda: None
            except OSError as error:
                if is_refused(error):
                    raise IndexNotWritable(self.directory, error.strerror) from error
                raise

    def lock_copy(self, generation: str) -> tuple[Path, Callable[[], None]]:
        """Return this user's copy of a generation that cannot be written, and the call that gives it back."""
        with disk_errors(self.directory):
            while True:
                copy = copy_of(self.directory / generation, self.wait)
                with suppress(FileNotFoundError):
                    release = acquire(copy / LOCK, self.wait)
                    if copy.exists():
                        return copy, release
                    # Another process removed it meanwhile, for the index has changed.
                    release()

    def open(self, path: Path, release: Callable[[], None]) -> EdgeStore:
        # Imported late: a run with nothing to do needs no engine.
        from ingestion.vector_stores.edge.shard import load_shard
        from ingestion.vector_stores.edge.store import EdgeStore

        if not path.exists():
            raise VectorStoreError(f"{path} is gone; {REBUILD}")
        schema = schema_in(path)
        with disk_errors(path):
            refuse_links_below(path / "shard")
            counts = remembered_counts(path)
            shard = load_shard(path / "shard")
            if counts is not None:
                # Opening changes files, and no point: a run with nothing to do need not wait for who only reads.
                remember_counts(path, counts)
            return EdgeStore(path, schema, shard, release)

    def create(self, schema: Schema) -> EdgeStore:
        """Create an empty generation, after the left-overs of killed creations were removed."""
        from ingestion.vector_stores.edge.shard import create_shard
        from ingestion.vector_stores.edge.store import EdgeStore

        with disk_errors(self.directory):
            refuse_link(self.directory)
            self.directory.mkdir(parents=True, exist_ok=True)
            self.remove_left_overs()
            path = self.directory / new_generation()
            path.mkdir()
            with given_back_on_error(release := acquire(path / LOCK, self.wait)):
                shard = create_shard(path / "shard", schema.dimensions)
                write_atomically(path / "schema.json", json.dumps(schema.as_json()))
        return EdgeStore(path, schema, shard, release)

    def remove_left_overs(self) -> None:
        """Remove what no pointer names: creations that were killed, and drops that were."""
        pointer = self.readable_pointer()
        if pointer is None:
            return
        for path in self.directory.iterdir():
            if re.fullmatch(PATTERN, path.name) and path.name not in (pointer.active, pointer.former):
                if not path.is_symlink():
                    self.lock(path.name)()
                self.remove(path.name)

    def remove_unless_in_use(self, generation: str) -> None:
        """Remove a generation that no process reads; another one is a left-over, which the next creation removes."""
        try:
            self.lock(generation)()
        except IndexInUse:
            return
        self.remove(generation)

    def remove(self, generation: str) -> None:
        """Remove a generation, once its lock was free; nobody opens a generation that the pointer does not name."""
        path = self.directory / generation
        with disk_errors(self.directory), suppress(FileNotFoundError):
            if path.is_symlink():
                path.unlink()
            else:
                shutil.rmtree(path)


def schema_in(generation: Path) -> Schema:
    """Return the schema of a finished generation; raises VectorStoreError."""
    path = generation / "schema.json"
    try:
        return Schema.from_json(json.loads(read_own(path)), str(path))
    except (OSError, ValueError, RecursionError) as exc:
        raise VectorStoreError(f"cannot read {path}: {exc}; {REBUILD}") from exc


@contextmanager
def disk_errors(path: Path) -> Iterator[None]:
    """Raise VectorStoreError where the disk fails in the block."""
    try:
        yield
    except OSError as exc:
        raise VectorStoreError(f"cannot use {path}: {exc}") from exc
