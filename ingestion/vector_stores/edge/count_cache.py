"""What an embedded index holds, remembered beside it, so that a run with nothing to do need not open it.

<generation>/counts.json   {"seen": <hash of each file's path, size and time of change>, "books": {"my-book": 272}}
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from ingestion.atomic_file import write_atomically
from ingestion.own_files import read_own
from ingestion.vector_stores.edge.index_files import files_seen

_NAME = "counts.json"
_FORMAT = 1

_TRUSTED_SECONDS = 1.0
"""A run over many books asks for each; the index has hundreds of files."""


def remember_counts(generation: Path, books: Mapping[str, int]) -> None:
    """Note the points of each book; to be called under the lock, while the engine writes none of its files."""
    noted = {"format": _FORMAT, "seen": files_seen(generation / "shard"), "books": dict(books)}
    # A note that is lost or torn costs one opening: nothing depends on it, and no failure of it matters.
    with suppress(OSError):
        write_atomically(generation / _NAME, json.dumps(noted))


def forget_counts(generation: Path) -> None:
    """Forget the counts, before the index is written: writes through mapped files show in their times later."""
    with suppress(FileNotFoundError, IsADirectoryError, PermissionError):
        (generation / _NAME).unlink()


def remembered_counts(generation: Path) -> Mapping[str, int] | None:
    """Return the points of each book, or None where a file of the index changed since they were noted."""
    try:
        noted = json.loads(read_own(generation / _NAME))
        if noted["format"] != _FORMAT or noted["seen"] != files_seen(generation / "shard"):
            return None
        return {str(book): int(points) for book, points in noted["books"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


class CountReader:
    """Reads the counts of one process, and looks at the files of the index once a second at most.

    A writer removes the counts before it writes, so that they are looked at again at once.
    """

    def __init__(self) -> None:
        self._seen: tuple[Path, int, int] | None = None
        self._until = 0.0
        self._counts: Mapping[str, int] | None = None

    def read(self, generation: Path) -> Mapping[str, int] | None:
        """Return the points of each book, None where they are not known."""
        try:
            status = os.stat(generation / _NAME, follow_symlinks=False)
        except OSError:
            return None
        seen = generation, status.st_ino, status.st_mtime_ns
        if seen != self._seen or time.monotonic() >= self._until:
            self._counts = remembered_counts(generation)
            self._seen, self._until = seen, time.monotonic() + _TRUSTED_SECONDS
        return self._counts
