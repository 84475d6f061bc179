"""Calls to the database, in threads of their own: one that waits holds up no search, and no search holds up one."""

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

_THREADS = ThreadPoolExecutor(DATABASE_THREADS, thread_name_prefix="database")


async def in_database(call: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """What the call returns or raises; once begun, it goes on even if nobody waits for it any more."""
    bound = partial(copy_context().run, call, *args, **kwargs)
    return await asyncio.get_running_loop().run_in_executor(_THREADS, bound)
