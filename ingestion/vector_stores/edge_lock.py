"""The lock of an embedded index: one process at a time, dropped with the process, and it says who holds it."""

from __future__ import annotations

import json
import logging
import os
import time
from collections.abc import Callable
from pathlib import Path

from ingestion.errors import IndexInUse
from ingestion.file_lock import try_lock

logger = logging.getLogger(__name__)

_POLL_SECONDS = 0.05


def acquire(path: Path, wait: float) -> Callable[[], None]:
    """Take the lock and return the call that gives it back.

    Raises IndexInUse, naming the holder's process id, if it is not free within `wait` seconds, and
    FileNotFoundError if the lock's folder is not there.
    """
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    deadline = time.monotonic() + wait
    told = False
    while not try_lock(file):
        if time.monotonic() >= deadline:
            os.close(file)
            raise IndexInUse(
                f"the index in {path.parent} is in use by {_holder(path)}; wait for it to end, or let this command "
                "wait longer with `bookwise --wait SECONDS`"
            )
        if not told:
            logger.warning("the index in %s is in use by %s, waiting", path.parent, _holder(path))
            told = True
        time.sleep(_POLL_SECONDS)
    os.ftruncate(file, 0)
    os.write(file, json.dumps({"pid": os.getpid()}).encode())
    return lambda: os.close(file)


def _holder(path: Path) -> str:
    try:
        return f"process {json.loads(path.read_bytes())['pid']}"
    except (OSError, ValueError, KeyError, TypeError):
        return "a process that just started"
