"""One writer at a time: a lock that dies with its process and says who holds it."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from ingestion.errors import IndexLocked, StateError
from ingestion.models import utc_now
from ingestion.state.file_lock import try_lock


@contextmanager
def writer_lock(path: Path) -> Iterator[None]:
    """Hold the lock file while the block runs; raises IndexLocked at once, naming the holder, if another run has it.

    The operating system drops the lock when the process ends in whatever way, so none is ever stale. Raises
    StateError where the file cannot be opened.
    """
    with _open(path) as file:
        if not try_lock(file.fileno()):
            raise IndexLocked(f"another run is writing this index ({_holder(path)}); wait for it to end")
        file.truncate(0)
        json.dump({"pid": os.getpid(), "host": socket.gethostname(), "started": utc_now()}, file)
        file.flush()
        try:
            yield
        finally:
            file.truncate(0)


def _open(path: Path) -> IO[str]:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return path.open("a+", encoding="utf-8")
    except OSError as error:
        raise StateError(f"{path}: the lock of the index cannot be opened: {error.strerror}") from error


def _holder(path: Path) -> str:
    try:
        holder = json.loads(path.read_text(encoding="utf-8"))
        return f"pid {holder['pid']} on {holder['host']}, since {holder['started']}"
    except (OSError, ValueError, KeyError, TypeError):
        return "just started"
