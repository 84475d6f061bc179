"""Runs an iterator ahead of its reader, on a thread of its own, by a bounded number of items."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from queue import SimpleQueue
from threading import Event, Semaphore, Thread
from typing import TypeVar

T = TypeVar("T")

SECONDS_TO_STOP = 0.25


@contextmanager
def running_ahead(items: Iterable[T], ahead: int) -> Iterator[Iterator[T]]:
    """Return the same items in the same order, of which up to `ahead` are made before they are asked for.

    An exception of the iterator is raised where its next item would have come. Leaving the block stops the thread
    after the item it is at; it never keeps the program from ending.
    """
    made: SimpleQueue[tuple[T] | BaseException | None] = SimpleQueue()
    room, stopped = Semaphore(ahead), Event()

    def make() -> None:
        end: BaseException | None = None
        try:
            for item in items:
                made.put((item,))
                room.acquire()
                if stopped.is_set():
                    return
        except BaseException as error:
            end = error
        made.put(end)

    def take() -> Iterator[T]:
        while (got := made.get()) is not None:
            if isinstance(got, BaseException):
                raise got
            room.release()
            yield got[0]

    thread = Thread(target=make, name="ahead", daemon=True)
    thread.start()
    try:
        yield take()
    finally:
        stopped.set()
        room.release()
        thread.join(SECONDS_TO_STOP)
