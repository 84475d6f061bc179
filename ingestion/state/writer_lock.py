"""One writer at a time: a lock that dies with its process and says who holds it."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from ingestion.errors import IndexLocked, IndexNotWritable, StateError
from ingestion.models import utc_now
from ingestion.own_files import is_refused, make_own_folder, open_own, read_own
from ingestion.state.file_lock import try_lock
from ingestion.waiting import wait_until

_POLL_SECONDS = 0.1


@contextmanager
def writer_lock(path: Path, wait: float = 0.0) -> Iterator[None]:
    """Acquire the lock file and hold it while the block runs.

    Raises IndexLocked, naming the holder, if another run still has it after `wait` seconds.

    The operating system drops the lock when the process ends in whatever way, so none is ever stale. Raises
    StateError where the file cannot be opened.
    """
    with _open(path) as file:
        wait_until(lambda: try_lock(file.fileno()), wait, poll=_POLL_SECONDS, refusal=lambda: _is_held(path))
        holder = {"pid": os.getpid(), "host": socket.gethostname(), "started": utc_now()}
        try:
            file.truncate(0)
            os.write(file.fileno(), json.dumps(holder).encode())
        except OSError as error:
            raise StateError(f"{path}: the lock of the index cannot be written: {error.strerror}") from error
        try:
            yield
        finally:
            file.truncate(0)


def _open(path: Path) -> IO[str]:
    try:
        make_own_folder(path.parent)
        return os.fdopen(open_own(path, os.O_RDWR | os.O_CREAT | os.O_APPEND), "a+", encoding="utf-8")
    except OSError as error:
        if is_refused(error):
            raise IndexNotWritable(path.parent, error.strerror) from error
        raise StateError(f"{path}: the lock of the index cannot be opened: {error.strerror}") from error


def _is_held(path: Path) -> IndexLocked:
    return IndexLocked(
        f"another run is writing this index ({_holder(path)}); wait for it to end, or let this command "
        "wait longer with `bookwise --wait SECONDS`"
    )


def _holder(path: Path) -> str:
    try:
        holder = json.loads(read_own(path))
        return f"pid {holder['pid']} on {holder['host']}, since {holder['started']}"
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return "just started"
