"""Python's garbage collector, paused while many objects without cycles are created."""

from __future__ import annotations

import gc
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def collector_paused(function: Callable[P, T]) -> Callable[P, T]:
    """Let the collector wait while a function runs: to look at each file's facts again and again finds nothing.

    In a run with nothing to do that is an eighth of what each file costs.
    """

    @wraps(function)
    def paused(*args: P.args, **kwargs: P.kwargs) -> T:
        if not gc.isenabled():
            return function(*args, **kwargs)
        gc.disable()
        try:
            return function(*args, **kwargs)
        finally:
            gc.enable()

    return paused
