"""The lock of an embedded index: one process at a time, dropped with the process, and it says who holds it.

`lock` is held by the process that has the index open, `lock.next` by the one whose turn is next while it waits: so
the holder can see that somebody waits, and whoever gives the index back does not take it again before the other.
"""

from __future__ import annotations

import json
import logging
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ingestion.errors import IndexInUse
from ingestion.own_files import open_own, read_own
from ingestion.state.file_lock import try_lock

logger = logging.getLogger(__name__)

_POLL_SECONDS = 0.05
_TELL_SECONDS = 1.0
"""A server that nobody asks gives an index back sooner."""


def acquire(path: Path, wait: float) -> Callable[[], None]:
    """Take the lock and return the call that gives it back.

    Raises IndexInUse, naming the holder's process id, if it is not free within `wait` seconds, and
    FileNotFoundError if the lock's folder is not there.
    """
    file = _open(path)
    try:
        _wait_for(file, path, wait)
        # Only now is it ours to write.
        os.ftruncate(file, 0)
        os.write(file, json.dumps({"pid": os.getpid()}).encode())
    except BaseException:
        os.close(file)
        raise
    return lambda: os.close(file)


def is_wanted(path: Path) -> bool:
    """Return whether another process waits for the lock, which its holder asks."""
    with _turn(path) as turn:
        return not try_lock(turn)


def _wait_for(file: int, path: Path, wait: float) -> None:
    began = time.monotonic()
    has_turn = told = False
    with _turn(path) as turn:
        while True:
            has_turn = has_turn or try_lock(turn)
            if has_turn and try_lock(file):
                return
            waited = time.monotonic() - began
            if waited >= wait:
                raise IndexInUse(
                    f"the index in {path.parent} is in use by {_holder(path)}; wait for it to end, or let this "
                    "command wait longer with `bookwise --wait SECONDS`"
                )
            if waited >= _TELL_SECONDS and not told:
                logger.warning("the index in %s is in use by %s, waiting", path.parent, _holder(path))
                told = True
            time.sleep(_POLL_SECONDS)


@contextmanager
def _turn(path: Path) -> Iterator[int]:
    """Return the file of whose turn is next, open for a while."""
    turn = _open(path.with_name(path.name + ".next"))
    try:
        yield turn
    finally:
        os.close(turn)


def _open(path: Path) -> int:
    return open_own(path, os.O_RDWR | os.O_CREAT)


def _holder(path: Path) -> str:
    try:
        return f"process {json.loads(read_own(path))['pid']}"
    except (OSError, ValueError, KeyError, TypeError):
        return "a process that just started"
