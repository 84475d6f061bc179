"""The hashes of files that have not changed by what the file system says of them, as git's index keeps them.

A file is the same as long as its size, times, inode and device are. One that was written less than two seconds
before it was read may be written again in the same tick, so it is not kept; every file is read where the cache is of
another machine or cannot be read. Where a system keeps no time of change, a file whose size and
modification time were both put back is not noticed: `verify` and the modes `full` and `recreate` read every file.
"""

from __future__ import annotations

import json
import logging
import os
import stat
import time
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

Entry = list[Any]
"""Hash, size, times of modification and of change, inode and device."""


class StatCache:
    """What is known of the files below `root`; `trusted` is off where every file is to be read.

    A look-up counts as a use: files that were not looked up are left out of what is saved.
    """

    def __init__(self, folder: Path, root: Path, *, trusted: bool = True) -> None:
        self._path = folder / f"files-{sha256(str(root.resolve()))[:12]}.json"
        self._settled = time.time_ns() - SETTLED_NS
        self._saved = _read(self._path) if trusted else {}
        self._used: dict[str, Entry] = {}
        self._last: tuple[str, os.stat_result] | None = None

    def hash_of(self, path: str, location: str | Path) -> str | None:
        """Return the hash of a file that is as it was, None for one that must be read."""
        try:
            status = os.lstat(location)
        except OSError:
            return None
        self._last = (path, status)
        saved = self._saved.get(path)
        if saved is None or saved != _entry(saved[0], status):
            return None
        self._used[path] = saved
        digest: str = saved[0]
        return digest

    def note(self, path: str, digest: str) -> None:
        """Remember the hash of a file that was read after `hash_of` had looked at it, if it is old enough."""
        if self._last and self._last[0] == path:
            status = self._last[1]
            if stat.S_ISREG(status.st_mode) and max(status.st_mtime_ns, status.st_ctime_ns) <= self._settled:
                self._used[path] = _entry(digest, status)

    def save(self) -> None:
        """Write what changed; a cache that cannot be written costs the next run time, and fails nothing."""
        if self._used == self._saved:
            return
        content = {"format": FORMAT, "machine": machine_identity(), "files": self._used}
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(self._path, json.dumps(content, separators=(",", ":")))
        except OSError as error:
            logger.debug("the cache of file times could not be saved: %s", error)


def _entry(digest: str, status: os.stat_result) -> Entry:
    return [digest, status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino, status.st_dev]


def _read(path: Path) -> dict[str, Entry]:
    """Return the entries by path; none of a cache that is not of this program and this machine."""
    with suppress(OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        content = json.loads(read_book_file(path, MAX_BYTES))
        files: dict[str, Entry] = content["files"]
        is_ours = content["format"] == FORMAT and content["machine"] == machine_identity()
        if is_ours and set(map(type, files.values())) <= {list} and all(files.values()):
            return files
    return {}
