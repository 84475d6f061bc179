"""Run database calls in separate threads: waiting for the database delays no search, and vice versa."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

DATABASE_THREADS = 10
"""As many as the database keeps connections."""


class DatabaseThreads:
    """The threads of one server for its database; closed with it."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(DATABASE_THREADS, thread_name_prefix="database")

    async def run(self, call: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Return what the call returns, or raise what it raises; once started, it runs to its end."""
        bound = partial(copy_context().run, call, *args, **kwargs)
        return await asyncio.get_running_loop().run_in_executor(self._threads, bound)

    def close(self) -> None:
        """Start no more calls; running ones do not keep the process alive."""
        self._threads.shutdown(wait=False, cancel_futures=True)
