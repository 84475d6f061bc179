"""A user's private copy of a generation that this user cannot write: the engine opens an index only to write it.

<cache>/bookwise/indexes/<hash of the collection's path>/source                       the path
<cache>/bookwise/indexes/<hash of the collection's path>/<hash of its files>/<generation>/
"""

from __future__ import annotations

import logging
import os
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ingestion.errors import IndexInUse, VectorStoreError
from ingestion.ids import sha256
from ingestion.own_files import read_own, refuse_link, refuse_links_below
from ingestion.settings.places import user_cache
from ingestion.vector_stores.edge.index_files import MIN_FREE_BYTES, bytes_taken, copy_file, copy_folder, files_seen
from ingestion.vector_stores.edge.lock import LOCK, acquire, hold_to_copy
from ingestion.vector_stores.edge.pointer import POINTER

logger = logging.getLogger(__name__)

_SOURCE = "source"
_MAKING_SECONDS = 600.0
"""How long a process waits for another one that is making the copy both need."""
_ELSEWHERE = "set LOCALAPPDATA" if os.name == "nt" else "set XDG_CACHE_HOME"


def copy_of(generation: Path, wait: float) -> Path:
    """Return the copy of a generation as it is now; the first to ask makes it, and what it takes is logged.

    Raises IndexInUse where a writer still has the generation after `wait` seconds, VectorStoreError where the copy
    cannot be made.
    """
    folder = _folder_of(generation.parent)
    with _cache_errors(generation, folder):
        if (copy := _place_of(generation)).exists():
            return copy
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        release = acquire(folder / LOCK, _MAKING_SECONDS)
    try:
        with hold_to_copy(generation / LOCK, wait), _cache_errors(generation, folder):
            copy = _place_of(generation)
            if not copy.exists():
                _remove_outdated(folder)
                _make(generation, copy)
    finally:
        release()
    return copy


def is_outdated(copy: Path, generation: Path) -> bool:
    """Return whether the generation was written since it was copied."""
    return copy != _place_of(generation)


def _folder_of(collection: Path) -> Path:
    """Return the folder of all copies of a collection."""
    cache = user_cache(os.environ)
    if cache is None:
        raise VectorStoreError(
            f"the index in {collection} cannot be written, and there is no cache folder for a private copy; "
            f"{_ELSEWHERE} to a folder that can be written"
        )
    return cache / "indexes" / sha256(str(collection.resolve()))[:16]


def _place_of(generation: Path) -> Path:
    return _folder_of(generation.parent) / files_seen(generation / "shard")[:16] / generation.name


def _make(generation: Path, copy: Path) -> None:
    """Copy to a new folder and rename it, so that half a copy is never taken for a whole one."""
    shard, folder = generation / "shard", copy.parent.parent
    refuse_link(generation)
    refuse_links_below(shard)
    size = bytes_taken(shard)
    _check_space(size, generation, folder)
    logger.warning(
        "the index in %s cannot be written, so that the engine needs a copy of its own: %s go to %s (%s must be "
        "free), once until the index changes",
        generation.parent,
        _mebibytes(size),
        folder,
        _mebibytes(size + MIN_FREE_BYTES),
    )
    began = time.monotonic()
    new = folder / f".{secrets.token_hex(4)}.tmp"
    try:
        (new / copy.name).mkdir(parents=True)
        copy_folder(shard, new / copy.name / "shard")
        for name in ("schema.json", "counts.json"):
            with suppress(FileNotFoundError):
                copy_file(generation / name, new / copy.name / name)
        if is_outdated(copy, generation):
            raise IndexInUse(f"the index in {generation.parent} was written while it was copied; run this again")
        (folder / _SOURCE).write_text(str(generation.parent.resolve()), encoding="utf-8")
        os.rename(new, copy.parent)
    except BaseException:
        shutil.rmtree(new, ignore_errors=True)
        raise
    logger.warning("copied in %.1f s", time.monotonic() - began)


def _check_space(size: int, generation: Path, folder: Path) -> None:
    free = shutil.disk_usage(folder).free
    if free < size + MIN_FREE_BYTES:
        raise VectorStoreError(
            f"the index in {generation.parent} cannot be written, and a private copy needs "
            f"{_mebibytes(size + MIN_FREE_BYTES)} in {folder}, where {_mebibytes(free)} are free; free some, or "
            f"{_ELSEWHERE} to a folder on another disk"
        )


def _remove_outdated(folder: Path) -> None:
    """Remove other copies of the collection, and those of collections that are gone, unless they are in use."""
    orphans = [copies for copies in folder.parent.iterdir() if copies != folder and _is_orphan(copies)]
    for copies in (folder, *orphans):
        for path in copies.iterdir():
            if path.is_dir():
                _remove_unless_in_use(path)
    for copies in orphans:
        if not any(path.is_dir() for path in copies.iterdir()):
            shutil.rmtree(copies, ignore_errors=True)


def _is_orphan(copies: Path) -> bool:
    try:
        source = read_own(copies / _SOURCE).decode()
    except (OSError, UnicodeDecodeError):
        return False
    return not (Path(source) / POINTER).exists()


def _remove_unless_in_use(path: Path) -> None:
    """`path` holds one copy, or what a killed process left of one."""
    try:
        releases = [acquire(copy / LOCK, 0) for copy in path.iterdir()]
    except IndexInUse:
        return
    shutil.rmtree(path, ignore_errors=True)
    for release in releases:
        release()


@contextmanager
def _cache_errors(generation: Path, folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise VectorStoreError(
            f"the index in {generation.parent} cannot be written, and cannot be copied to {folder} ({error}); make "
            f"its files readable, or {_ELSEWHERE} to a folder that can be written"
        ) from error


def _mebibytes(size: int) -> str:
    return f"{size / (1 << 20):,.1f} MiB"
