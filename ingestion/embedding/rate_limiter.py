"""Holds requests back, so that the service need not refuse them.

A limiter of a library keeps the rates it was given; here the service itself says in each reply what is left, so
what is kept is the service's own bucket. What it refuses all the same, the SDK tries again.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from threading import Lock

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}
_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|[smhd])")


@dataclass(slots=True)
class _Bucket:
    """What may still be sent: filled at `rate` a second up to `capacity`; below zero where requests wait for it."""

    capacity: float
    rate: float
    level: float
    at: float

    def take(self, amount: float, now: float) -> float:
        """Seconds until the amount, now taken, is there; more than there ever is counts as all there is."""
        self.fill(now)
        self.level -= min(amount, self.capacity)
        return max(0.0, -self.level / self.rate)

    def fill(self, now: float) -> None:
        self.level = min(self.capacity, self.level + (now - self.at) * self.rate)
        self.at = now


class Pace:
    """Requests and tokens a minute, shared by all threads: as set, and as the service's replies say.

    The headers are OpenAI's `x-ratelimit-{limit,remaining,reset}-{requests,tokens}`; a service that sends none is
    held to what was set, or not at all.
    """

    def __init__(
        self,
        requests_per_minute: int | None = None,
        tokens_per_minute: int | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._clock = clock
        self._sleep = sleep
        self._lock = Lock()
        wanted = {"requests": requests_per_minute, "tokens": tokens_per_minute}
        self._set = {kind: self._full(limit) for kind, limit in wanted.items() if limit}
        self._told: dict[str, _Bucket] = {}

    def wait(self, tokens: int) -> None:
        """Return when one more request of so many tokens may be sent."""
        amounts = {"requests": 1, "tokens": tokens}
        with self._lock:
            now = self._clock()
            buckets = [(kind, each) for held in (self._set, self._told) for kind, each in held.items()]
            delay = max((bucket.take(amounts[kind], now) for kind, bucket in buckets), default=0.0)
        if delay:
            self._sleep(delay)

    def learn(self, headers: Mapping[str, str]) -> None:
        """Take in what a reply says is left."""
        with self._lock:
            for kind in ("requests", "tokens"):
                try:
                    limit, left = (float(headers[f"x-ratelimit-{name}-{kind}"]) for name in ("limit", "remaining"))
                except (KeyError, ValueError):
                    continue
                if limit > 0:
                    self._learn(kind, limit, left, _seconds(headers.get(f"x-ratelimit-reset-{kind}", "")))

    def _learn(self, kind: str, limit: float, left: float, reset: float) -> None:
        bucket = self._told.setdefault(kind, self._full(limit))
        bucket.fill(self._clock())
        bucket.capacity = limit
        # `reset` is when the bucket is full again.
        bucket.rate = (limit - left) / reset if reset > 0 and left < limit else limit / 60
        # The service has not seen the requests under way, so that less than it says may be left.
        bucket.level = min(bucket.level, left)

    def _full(self, limit: float) -> _Bucket:
        return _Bucket(limit, limit / 60, limit, self._clock())


def _seconds(duration: str) -> float:
    """`6m0s`, `1.5s` or `20ms` in seconds; a bare number is seconds; 0 for anything else."""
    if re.fullmatch(r"\d+(\.\d+)?", duration):
        return float(duration)
    return sum(float(number) * _UNITS[unit] for number, unit in _PART.findall(duration))
