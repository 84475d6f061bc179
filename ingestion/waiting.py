"""Wait for what another process holds: try, say once that it is waited for, and give up in time."""

from __future__ import annotations

import time
from collections.abc import Callable

TELL_SECONDS = 1.0
"""A server that nobody asks gives an index back sooner."""


def wait_until(
    happens: Callable[[], bool],
    seconds: float,
    *,
    poll: float,
    refusal: Callable[[], Exception],
    tell: Callable[[], None] | None = None,
    sleep: Callable[[float], None] = time.sleep,
) -> None:
    """Try every `poll` seconds until it happens; raises what `refusal` makes if it has not after `seconds`."""
    began = time.monotonic()
    while not happens():
        waited = time.monotonic() - began
        if waited >= seconds:
            raise refusal()
        if tell and waited >= TELL_SECONDS:
            tell()
            tell = None
        sleep(poll)
