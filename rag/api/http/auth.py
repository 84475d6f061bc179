"""Authenticate callers by their API keys, and decide what each may access."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from fastapi import HTTPException, Request

from ingestion.errors import ConfigurationError
from ingestion.settings import Settings
from rag.api.http.clients import client_of
from rag.api.http.context import current_request
from rag.api.http.outages import Outages
from rag.api.http.rate_limits import RateLimits, RequestKind
from rag.api.http.threadpool import DatabaseThreads
from rag.conversations.api_keys import HIGHEST_TIER, KeyStore, digest_of
from rag.conversations.database import ConversationDatabase
from rag.conversations.questions import QuestionLog
from rag.conversations.store import LOCAL
from rag.filters import EVERYTHING, Filters
from rag.retrieval.filter_schema import FilterFields

CACHE_SECONDS = 5.0
"""How long a key is cached after a lookup; a revoked key is refused after that."""

MAX_CACHED = 10_000


@dataclass(frozen=True, slots=True)
class Caller:
    """An authenticated caller; no `books` means all of them."""

    owner: str = LOCAL
    books: tuple[str, ...] = ()
    highest_tier: int = HIGHEST_TIER
    is_public: bool = False
    may_ingest: bool = True
    is_owner: bool = True

    def book(self, asked: str | None) -> str | None:
        """Return the book to read, None for the only one; raises 403 outside the key's books."""
        if not self.books:
            return asked
        if asked is None and len(self.books) == 1:
            return self.books[0]
        if asked not in self.books:
            raise HTTPException(403, f"this key reads {', '.join(self.books)} only; select one with book_id")
        return asked

    @property
    def sees_everything(self) -> bool:
        """Whether neither books nor a tier limit the key."""
        return not self.books and self.highest_tier == HIGHEST_TIER

    @property
    def scope(self) -> Filters:
        """The widest filters that the key allows."""
        return EVERYTHING.with_tier(self.highest_tier)

    def filters(self, request: FilterFields) -> Filters:
        """Return the request's filters; raises 403 if they exceed the key's access."""
        filters = request.as_filters()
        if filters.hardware_tier > self.highest_tier:
            raise HTTPException(403, f"this key reads hardware tier {self.highest_tier} or lower")
        return filters


class Authenticator:
    """Finds callers by their keys; with `open_to_all`, allowed only on loopback, everybody is the local user.

    That ends within CACHE_SECONDS after a key is created while the server runs.
    """

    def __init__(
        self,
        settings: Settings,
        database: ConversationDatabase,
        threads: DatabaseThreads,
        outages: Outages,
        *,
        open_to_all: bool,
    ) -> None:
        self._daily = settings.api.limits
        if self._daily.daily_cost and not settings.api.token_price:
            raise ConfigurationError(
                "api.limits.daily_cost needs api.token_price: US dollars per million tokens of the model"
            )
        self._keys = KeyStore(database)
        self._questions = QuestionLog(database)
        self._threads = threads
        self.open_to_all = open_to_all
        self._keys_seen, self._keys_in_use = -CACHE_SECONDS, False
        self._known: dict[str, tuple[float, Caller]] = {}
        self._limits = RateLimits(settings, outages)

    @property
    def has_daily_limits(self) -> bool:
        """Whether the questions or the cost of a public key are limited per day."""
        return bool(self._daily.daily_questions or self._daily.daily_cost)

    async def aclose(self) -> None:
        """Close the connections to the store of the rates."""
        await self._limits.aclose()

    async def caller(self, request: Request, kind: RequestKind = "read") -> Caller:
        """Return the caller; raises 401 without a valid key, 429 with Retry-After beyond a limit."""
        if self.open_to_all and not await self._has_keys():
            return Caller()
        client = client_of(request.client.host if request.client else "")
        caller = await self._caller_of(_secret_in(request), client)
        current_request().key_id = caller.owner
        await self._limits.count(kind, owner=caller.owner, client=client, is_public=caller.is_public)
        if kind == "question" and caller.is_public:
            await self._check_day(caller)
        return caller

    async def count_read(self, request: Request) -> None:
        """Count a request that needs no key; raises 429 with Retry-After beyond the limit of its client."""
        if not self.open_to_all:
            client = client_of(request.client.host if request.client else "")
            await self._limits.count("read", owner="unknown", client=client, is_public=True)

    async def _has_keys(self) -> bool:
        """Return whether any key is active, cached for CACHE_SECONDS."""
        if time.monotonic() - self._keys_seen >= CACHE_SECONDS:
            self._keys_seen = time.monotonic()
            self._keys_in_use = await self._threads.run(self._keys.any_active)
        return self._keys_in_use

    async def _check_day(self, caller: Caller) -> None:
        """Raise 429 if a public key has used up its daily limit."""
        if not self.has_daily_limits:
            return
        most, budget = self._daily.daily_questions, self._daily.daily_cost
        count, cost = await self._threads.run(self._questions.spent_today, caller.owner)
        if (most and count >= most) or (budget and cost >= budget):
            seconds = _seconds_to_midnight()
            raise HTTPException(
                429,
                "this page has reached its daily limit of questions; please come back tomorrow",
                {"Retry-After": str(seconds)},
            )

    async def _caller_of(self, secret: str | None, client: str) -> Caller:
        if not secret:
            raise _unauthorized("an API key is required: Authorization: Bearer KEY")
        digest = digest_of(secret)
        seen, caller = self._known.get(digest, (0.0, None))
        if caller and time.monotonic() - seen < CACHE_SECONDS:
            return caller
        self._known.pop(digest, None)
        key = await self._threads.run(self._keys.find, secret)
        if key is None:
            # Failed guesses of keys count towards the rate limit too.
            await self._limits.count("read", owner="unknown", client=client, is_public=True)
            raise _unauthorized("the key is unknown or revoked; ask the book's owner for a new one")
        caller = Caller(key.key_id, key.books, key.highest_tier, key.is_public, key.may_ingest, key.is_owner)
        if len(self._known) >= MAX_CACHED:
            self._known.clear()
        self._known[digest] = (time.monotonic(), caller)
        return caller


def _unauthorized(detail: str) -> HTTPException:
    return HTTPException(401, detail, {"WWW-Authenticate": "Bearer"})


def _secret_in(request: Request) -> str | None:
    kind, _, secret = request.headers.get("authorization", "").partition(" ")
    return secret.strip() if kind.lower() == "bearer" else request.headers.get("x-api-key")


def _seconds_to_midnight() -> int:
    moment = datetime.now(UTC)
    tomorrow = (moment + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
    return max(1, int((tomorrow - moment).total_seconds()))
