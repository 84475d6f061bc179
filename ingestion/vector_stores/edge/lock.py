"""The lock of an embedded index: one process at a time, dropped with the process, and it says who holds it.

`lock` is held by the process that has the index open, `lock.next` by the one whose turn is next while it waits: so
the holder can see that somebody waits, and whoever gives the index back does not take it again before the other.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ingestion.errors import IndexInUse
from ingestion.own_files import is_refused, open_own, read_own
from ingestion.state.file_lock import try_lock
from ingestion.waiting import wait_until

logger = logging.getLogger(__name__)

LOCK = "lock"
"""Its name in the folder of a generation."""

_POLL_SECONDS = 0.05


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


@contextmanager
def given_back_on_error(release: Callable[[], None]) -> Iterator[None]:
    """Give a lock back where the block fails; otherwise it stays held."""
    try:
        yield
    except BaseException:
        release()
        raise


@contextmanager
def hold_to_copy(path: Path, wait: float) -> Iterator[None]:
    """Hold a lock that this user cannot write, as far as its file can be read; raises IndexInUse like `acquire`.

    So whoever can write waits while the block copies. A disk that no one can write has no writer to wait for.
    """
    try:
        file = open_own(path, os.O_RDONLY)
    except OSError:
        yield
        return
    try:
        # Some network file systems lock no file that is only read.
        with suppress(OSError):
            _wait_for(file, path, wait)
        yield
    finally:
        os.close(file)


def is_wanted(path: Path) -> bool:
    """Return whether another process waits for the lock, which its holder asks."""
    with _turn(path) as turn:
        return turn is not None and not try_lock(turn)


def _wait_for(file: int, path: Path, wait: float) -> None:
    has_turn = False
    with _turn(path) as turn:

        def is_ours() -> bool:
            nonlocal has_turn
            has_turn = has_turn or turn is None or try_lock(turn)
            return has_turn and try_lock(file)

        def refusal() -> IndexInUse:
            return IndexInUse(
                f"the index in {path.parent} is in use by {_holder(path)}; wait for it to end, or let this "
                "command wait longer with `bookwise --wait SECONDS`"
            )

        def tell() -> None:
            logger.warning("the index in %s is in use by %s, waiting", path.parent, _holder(path))

        wait_until(is_ours, wait, poll=_POLL_SECONDS, refusal=refusal, tell=tell)


@contextmanager
def _turn(path: Path) -> Iterator[int | None]:
    """Return the file of whose turn is next, open for a while; None where it is not there and cannot be made."""
    turn = _open_turn(path.with_name(path.name + ".next"))
    try:
        yield turn
    finally:
        if turn is not None:
            os.close(turn)


def _open_turn(path: Path) -> int | None:
    try:
        return _open(path)
    except OSError as error:
        if not is_refused(error):
            raise
    try:
        return open_own(path, os.O_RDONLY)
    except OSError:
        return None


def _open(path: Path) -> int:
    return open_own(path, os.O_RDWR | os.O_CREAT)


def _holder(path: Path) -> str:
    try:
        return f"process {json.loads(read_own(path))['pid']}"
    except (OSError, ValueError, KeyError, TypeError):
        return "a process that just started"
