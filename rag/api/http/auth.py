"""Who may ask what, and how often: API keys with what they may access, and the bound on requests a minute."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from typing import Any

import limits.errors
from fastapi import HTTPException, Request
from limits import RateLimitItemPerMinute
from limits.aio.storage import MemoryStorage, Storage
from limits.aio.strategies import MovingWindowRateLimiter
from limits.errors import StorageError
from limits.storage import storage_from_string

from ingestion.errors import ConfigurationError
from ingestion.settings import Settings
from rag.api.http.threadpool import in_database
from rag.conversations.api_keys import HIGHEST_TIER, KeyStore, digest_of
from rag.conversations.store import LOCAL
from rag.filters import Filters
from rag.retrieval.filter_schema import FilterFields

logger = logging.getLogger("bookwise.api")

REDIS_SECONDS = 1.0
"""How long the store of the rate is waited for, before this server counts alone."""

REMEMBER_SECONDS = 5.0
"""How long a key that was looked up counts without another look: a revoked one is refused after that."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks; no `books` means all of them."""

    owner: str = LOCAL
    books: tuple[str, ...] = ()
    highest_tier: int = HIGHEST_TIER
    is_public: bool = False

    @property
    def is_restricted(self) -> bool:
        """Whether something is kept from the caller."""
        return bool(self.books) or self.highest_tier < HIGHEST_TIER or self.is_public

    def book(self, wanted: str | None) -> str | None:
        """The book to read, None for the only one; raises 403 for one that the key does not cover."""
        if not self.books:
            return wanted
        if wanted is None and len(self.books) == 1:
            return self.books[0]
        if wanted not in self.books:
            raise HTTPException(403, f"this key reads {', '.join(self.books)} only; name one as book_id")
        return wanted

    def filters(self, request: FilterFields) -> Filters:
        """Return the request's filters; raises 403 where they reach beyond the key."""
        filters = request.as_filters()
        if filters.hardware_tier > self.highest_tier:
            raise HTTPException(403, f"this key reads hardware tier {self.highest_tier} or lower")
        return filters


class Access:
    """Knows callers by their keys; with `open_to_all` everybody is the local user, which only a loopback may be."""

    def __init__(self, settings: Settings, keys: KeyStore, *, open_to_all: bool) -> None:
        self._keys = keys
        self._open = open_to_all
        self._known: dict[str, tuple[float, Caller]] = {}
        self._rate = RateLimitItemPerMinute(settings.api.rate)
        self._shared = _shared_limiter(settings)
        self._own = MovingWindowRateLimiter(MemoryStorage())

    async def aclose(self) -> None:
        """Close the connections to the store of the rate."""
        if self._shared:
            bridge: Any = getattr(self._shared.storage, "bridge", None)
            await bridge.storage.aclose()

    async def caller(self, request: Request) -> Caller:
        """The caller of a request; raises 401 without a good key, 429 with Retry-After beyond the rate."""
        if self._open:
            return Caller()
        caller = await self._caller_of(_secret_in(request))
        if seconds := await self._seconds_to_wait(caller.owner):
            raise HTTPException(
                429,
                f"more than {self._rate.amount} requests a minute; try again in {seconds} s",
                {"Retry-After": str(seconds)},
            )
        return caller

    async def _seconds_to_wait(self, owner: str) -> int:
        if self._shared:
            try:
                return await self._count(self._shared, owner)
            except StorageError:
                logger.warning("the store of the rate cannot be used; this server counts alone")
        return await self._count(self._own, owner)

    async def _count(self, limiter: MovingWindowRateLimiter, owner: str) -> int:
        """0 for a request within the rate, else in how many seconds one would be."""
        if await limiter.hit(self._rate, owner):
            return 0
        stats = await limiter.get_window_stats(self._rate, owner)
        return max(1, round(stats.reset_time - time.time() + 0.5))

    async def _caller_of(self, secret: str | None) -> Caller:
        refused = HTTPException(401, "give a key: Authorization: Bearer KEY", {"WWW-Authenticate": "Bearer"})
        if not secret:
            raise refused
        digest = digest_of(secret)
        seen, caller = self._known.get(digest, (0.0, None))
        if caller and time.monotonic() - seen < REMEMBER_SECONDS:
            return caller
        self._known.pop(digest, None)
        key = await in_database(self._keys.find, secret)
        if key is None:
            raise refused
        caller = Caller(key.key_id, key.books, key.highest_tier, key.is_public)
        self._known[digest] = (time.monotonic(), caller)
        return caller


def _secret_in(request: Request) -> str | None:
    kind, _, secret = request.headers.get("authorization", "").partition(" ")
    return secret.strip() if kind.lower() == "bearer" else request.headers.get("x-api-key")


def _shared_limiter(settings: Settings) -> MovingWindowRateLimiter | None:
    """What several servers count in, None where there is no such store; raises ConfigurationError."""
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
