"""What an embedded index holds, remembered beside it, so that a run with nothing to do need not open it.

<generation>/counts.json   {"seen": <hash of each file's path, size and time of change>, "books": {"my-book": 272}}
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from ingestion.atomic_file import write_atomically
from ingestion.own_files import read_own
from ingestion.vector_stores.edge.index_files import files_seen

_NAME = "counts.json"
_FORMAT = 1


def remember_counts(generation: Path, books: Mapping[str, int]) -> None:
    """Note the points of each book; to be called under the lock, while the engine writes none of its files."""
    noted = {"format": _FORMAT, "seen": files_seen(generation / "shard"), "books": dict(books)}
    # A note that is lost or torn costs one opening: nothing depends on it, and no failure of it matters.
    with suppress(OSError):
        write_atomically(generation / _NAME, json.dumps(noted))


def forget_counts(generation: Path) -> None:
    """To be called before the index is written: what goes through mapped files shows in their times only later."""
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
