"""Limit the rate per key and per client, so that no visitor locks out another.

Questions cost a model's time, other requests next to nothing, so they are counted separately. A public key is shared
by all readers of a page: besides the key's own limit, each of its clients has one, and the key has a daily limit.
"""

from __future__ import annotations

import time
from typing import Any, Literal

import limits.errors
from fastapi import HTTPException
from limits import RateLimitItem, RateLimitItemPerMinute
from limits.aio.storage import MemoryStorage, Storage
from limits.aio.strategies import MovingWindowRateLimiter
from limits.errors import StorageError
from limits.storage import storage_from_string

from ingestion.errors import ConfigurationError
from ingestion.settings import Settings
from rag.api.http.context import Allowance, current_request
from rag.api.http.outages import Outages

RequestKind = Literal["question", "read"]

REDIS_SECONDS = 1.0
"""Timeout of the shared store, after which this server counts alone."""


class RateLimits:
    """Count requests, in the shared store if there is one."""

    def __init__(self, settings: Settings, outages: Outages) -> None:
        limits = settings.api.limits
        self._per_key = RateLimitItemPerMinute(limits.rate)
        self._per_client = RateLimitItemPerMinute(limits.client_rate)
        self._reads = RateLimitItemPerMinute(limits.read_rate)
        self._shared = _shared_limiter(settings)
        self._own = MovingWindowRateLimiter(MemoryStorage())
        self._outages = outages

    async def aclose(self) -> None:
        """Close the connections to the shared store."""
        if self._shared:
            bridge: Any = getattr(self._shared.storage, "bridge", None)
            await bridge.storage.aclose()

    async def count(self, kind: RequestKind, *, owner: str, client: str, is_public: bool) -> None:
        """Count a request; raises 429 with Retry-After beyond a limit. Sets the request's allowance."""
        for item, who, names in self._limits(kind, owner, client, is_public):
            allowance, is_within = await self._hit(item, names)
            request = current_request()
            if request.allowance is None or allowance.remaining < request.allowance.remaining:
                request.allowance = allowance
            if not is_within:
                what = "questions" if kind == "question" else "requests"
                raise HTTPException(
                    429,
                    f"more than {item.amount} {what} per minute {who}; try again in {allowance.reset_seconds} s",
                    {"Retry-After": str(allowance.reset_seconds)} | allowance.headers(),
                )

    def _limits(
        self, kind: RequestKind, owner: str, client: str, is_public: bool
    ) -> list[tuple[RateLimitItem, str, tuple[str, ...]]]:
        """Return the limits of a request, the client's first: a client over its own uses up no other."""
        if kind == "read":
            return [(self._reads, "from this client", ("read", owner, client))]
        of_client = (self._per_client, "from this client", ("question", owner, client))
        of_key = (self._per_key, "with this key", ("question", owner))
        return [of_client, of_key] if is_public else [of_key]

    async def _hit(self, item: RateLimitItem, names: tuple[str, ...]) -> tuple[Allowance, bool]:
        if self._shared:
            try:
                counted = await _count(self._shared, item, names)
            except StorageError:
                self._outages.failed("rate store", "it cannot be used; this server counts on its own")
            else:
                self._outages.recovered("rate store")
                return counted
        return await _count(self._own, item, names)


async def _count(
    limiter: MovingWindowRateLimiter, item: RateLimitItem, names: tuple[str, ...]
) -> tuple[Allowance, bool]:
    is_within = await limiter.hit(item, *names)
    stats = await limiter.get_window_stats(item, *names)
    seconds = max(1, round(stats.reset_time - time.time() + 0.5))
    return Allowance(item.amount, stats.remaining if is_within else 0, seconds), is_within


def _shared_limiter(settings: Settings) -> MovingWindowRateLimiter | None:
    """Return the store that several servers share, None if there is none; raises ConfigurationError."""
    if settings.api.rate_store is None:
        return None
    seconds = {"socket_timeout": REDIS_SECONDS, "socket_connect_timeout": REDIS_SECONDS}
    try:
        storage = storage_from_string(
            f"async+{settings.api.rate_store.reveal()}", implementation="redispy", wrap_exceptions=True, **seconds
        )
    except (limits.errors.ConfigurationError, ValueError):
        raise ConfigurationError(
            "BOOKWISE_API_RATE_STORE cannot be used: write redis://HOST:PORT, with the extra bookwise[redis]"
        ) from None
    assert isinstance(storage, Storage)
    return MovingWindowRateLimiter(storage)
