"""How long tests wait: for an event, never for a time, with one bound that only a failing test reaches."""

from __future__ import annotations

import time
from collections.abc import Callable

LONGEST = 60.0
"""Seconds; a busy machine may take many times as long as a quiet one for what takes a second there."""


def wait_until(happened: Callable[[], bool], ended: Callable[[], bool] = lambda: False) -> bool:
    """Wait until it happened; False if the process ended before."""
    deadline = time.monotonic() + LONGEST
    while not happened():
        if ended():
            return happened()
        assert time.monotonic() < deadline, "waited too long"
        time.sleep(0.0005)
    return True
