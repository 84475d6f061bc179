"""The hashes of files that have not changed by what the file system says of them, as git's index keeps them.

A file is the same as long as its size, times, inode and device are. One that was written less than two seconds
before the cache was begun may have been written again in the same tick, so it is read again; so is every file where
the cache is of another machine or cannot be read. Where a system keeps no time of change, a file whose size and
modification time were both put back is not noticed: `verify` and the modes `full` and `recreate` read every file.
"""

from __future__ import annotations

import json
import logging
import os
import stat
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from ingestion.atomic_file import write_atomically
from ingestion.book_files import read_book_file
from ingestion.ids import sha256
from ingestion.state.process_identity import machine_identity

logger = logging.getLogger(__name__)

FORMAT = 1
SETTLED_NS = 2_000_000_000
"""Coarser than the time stamps of any file system in use."""

MAX_BYTES = 1 << 30

Entry = tuple[str, int, int, int, int, int]
"""Hash, size, times of modification and of change, inode and device."""


class StatCache:
    """What is known of the files below `root`; `trusted` is off where every file is to be read.

    A look-up counts as a use: files that were not looked up are left out of what is saved.
    """

    def __init__(self, folder: Path, root: Path, *, trusted: bool = True) -> None:
        self._path = folder / f"files-{sha256(str(root.resolve()))[:12]}.json"
        self._began = time.time_ns()
        self._saved, self._settled = _read(self._path) if trusted else ({}, 0)
        self._used: dict[str, Entry] = {}
        self._was_read = False
        self._last: tuple[str, os.stat_result] | None = None

    def hash_of(self, path: str, location: Path) -> str | None:
        """Return the hash of a file that is as it was, None for one that must be read."""
        try:
            status = os.lstat(location)
        except OSError:
            return None
        self._last = (path, status)
        saved = self._saved.get(path)
        if saved is None or saved != _entry(saved[0], status) or max(saved[2], saved[3]) > self._settled:
            return None
        self._used[path] = saved
        digest: str = saved[0]
        return digest

    def note(self, path: str, digest: str) -> None:
        """Remember the hash of a file that was read after `hash_of` had looked at it."""
        if self._last and self._last[0] == path and stat.S_ISREG(self._last[1].st_mode):
            self._used[path] = _entry(digest, self._last[1])
            self._was_read = True

    def save(self) -> None:
        """Write what changed; a cache that cannot be written costs the next run time, and fails nothing."""
        if not self._was_read and self._used == self._saved:
            return
        content = {"format": FORMAT, "machine": machine_identity(), "time": self._began, "files": self._used}
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(self._path, json.dumps(content, separators=(",", ":")))
        except OSError as error:
            logger.debug("the cache of file times was not written: %s", error)


def _entry(digest: str, status: os.stat_result) -> Entry:
    return digest, status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino, status.st_dev


def _read(path: Path) -> tuple[Mapping[str, Any], int]:
    """Return the entries by path, and the time up to which a file is certainly older than the cache."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        content = json.loads(read_book_file(path, MAX_BYTES))
        if content["format"] == FORMAT and content["machine"] == machine_identity():
            files = {name: tuple(entry) for name, entry in content["files"].items()}
            return files, int(content["time"]) - SETTLED_NS
    return {}, 0
