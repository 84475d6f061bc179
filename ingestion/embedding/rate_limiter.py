"""Delay requests so that the service does not have to refuse them.

A library's rate limiter enforces fixed rates; here the service reports in each reply what is left, so this mirrors
the service's own bucket. What it refuses nevertheless is asked again.
"""

from __future__ import annotations

import logging
import math
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from threading import Lock

log = logging.getLogger(__name__)

MAX_WAIT = 120.0
"""Maximum seconds that a refused request waits."""

LONG_WAIT = 5.0
"""Waits of this many seconds or more are logged as a warning."""

LONGEST_RESET = 86_400.0
"""Seconds; a header with more than a day is not a time."""

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}
_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|[smhd])")


@dataclass(slots=True)
class _Bucket:
    """A token bucket: refilled at `rate` per second up to `capacity`; below zero while requests wait."""

    capacity: float
    rate: float
    level: float
    at: float

    def take(self, amount: float, now: float) -> float:
        """Take the amount and return the seconds until it is available; at most the capacity is taken."""
        self.fill(now)
        self.level -= min(amount, self.capacity)
        return max(0.0, -self.level / self.rate)

    def fill(self, now: float) -> None:
        self.level = min(self.capacity, self.level + (now - self.at) * self.rate)
        self.at = now


class RateLimiter:
    """Limits requests and tokens per minute for all threads: to what was set, and to what the replies report.

    The headers are OpenAI's `x-ratelimit-{limit,remaining,reset}-{requests,tokens}`; without them only the limits
    that were set apply. No wait is longer than MAX_WAIT, whatever the headers say, and long ones are logged.
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
        """Block until one more request of `tokens` tokens may be sent."""
        amounts = {"requests": 1, "tokens": tokens}
        with self._lock:
            now = self._clock()
            buckets = [(kind, each) for held in (self._set, self._told) for kind, each in held.items()]
            delay = max((bucket.take(amounts[kind], now) for kind, bucket in buckets), default=0.0)
        if delay > MAX_WAIT:
            delay = MAX_WAIT
        if delay >= LONG_WAIT:
            log.warning("waiting %.0f s for the rate limit of the embedding service", delay)
        if delay:
            self._sleep(delay)

    def learn(self, headers: Mapping[str, str]) -> None:
        """Update the buckets from the headers of a reply."""
        with self._lock:
            for kind in ("requests", "tokens"):
                try:
                    limit, left = (float(headers[f"x-ratelimit-{name}-{kind}"]) for name in ("limit", "remaining"))
                except (KeyError, ValueError):
                    continue
                if 1 <= limit < math.inf and math.isfinite(left):
                    reset = min(_seconds(headers.get(f"x-ratelimit-reset-{kind}", "")), LONGEST_RESET)
                    self._learn(kind, limit, left, reset)

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
    """Parse `6m0s`, `1.5s` or `20ms` as seconds; a bare number is seconds, anything else 0."""
    if re.fullmatch(r"\d+(\.\d+)?", duration):
        return float(duration)
    return sum(float(number) * _UNITS[unit] for number, unit in _PART.findall(duration))
