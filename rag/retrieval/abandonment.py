"""Work in a thread that ends at its next step once nobody waits for it: no thread can be stopped from outside."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import CancelledError
from contextvars import ContextVar
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

_is_left: ContextVar[threading.Event | None] = ContextVar("is_left", default=None)
"""Set once whoever waits for the work of this thread has gone."""


async def in_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Return what the work does in a thread. Where the caller is cancelled meanwhile, the work is told to stop."""
    is_left = threading.Event()

    def watched() -> T:
        _is_left.set(is_left)
        return work(*args, **kwargs)

    try:
        return await asyncio.to_thread(watched)
    except asyncio.CancelledError:
        is_left.set()
        raise


def stop_if_left() -> None:
    """Raise CancelledError, which nobody receives, where nobody waits for the work of this thread any more.

    To be called before each step that takes time: a request to a service, an embedding, the chunks of a book.
    """
    is_left = _is_left.get()
    if is_left is not None and is_left.is_set():
        raise CancelledError
