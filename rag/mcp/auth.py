"""API-key check of the MCP server over HTTP: the keys of the chat API, with their access and rate limits."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from uuid import uuid4

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from ingestion.errors import BookwiseError, UsageError
from rag.api.http.auth import Authenticator
from rag.api.http.clients import ProxyHeaders
from rag.api.http.problems import problem_response
from rag.serving.failures import cause_of, kind_of, neutral_sentence

logger = logging.getLogger(__name__)


class KeysOnly:
    """Accepts keys that may read the book and all tiers the server offers; answers others with a problem document."""

    def __init__(
        self, app: ASGIApp, access: Authenticator, book_id: Callable[[], str | None], highest_tier: int
    ) -> None:
        self._app = app
        self._access = access
        self._book_id = book_id
        self._highest_tier = highest_tier

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one ASGI connection."""
        if scope["type"] == "http":
            try:
                await self._check(Request(scope))
            except HTTPException as error:
                refusal = problem_response(scope["path"], error.status_code, error.detail, headers=error.headers)
                await refusal(scope, receive, send)
                return
        await self._app(scope, receive, send)

    async def _check(self, request: Request) -> None:
        caller = await self._access.caller(request)
        caller.book(self._book_id())
        if caller.highest_tier < self._highest_tier:
            raise HTTPException(
                403,
                f"this key reads hardware tier {caller.highest_tier} or lower, this server offers "
                f"{self._highest_tier}; start a server with --tier {caller.highest_tier} for it",
            )


def behind_keys(
    access: Authenticator, book_id: Callable[[], str | None], highest_tier: int, trusted_proxies: Sequence[str]
) -> Callable[[ASGIApp], ASGIApp]:
    """Return a wrapper that adds KeysOnly to an app and identifies clients by the headers of trusted proxies."""
    return lambda app: ProxyHeaders(KeysOnly(app, access, book_id, highest_tier), trusted=trusted_proxies)


class QuestionLimits:
    """Counts calls of `ask` as questions of their key and client, in addition to the HTTP requests."""

    def __init__(self, access: Authenticator) -> None:
        self._access = access

    async def __call__(self, request: Request) -> None:
        """Count a question; raises UsageError beyond a limit."""
        try:
            caller = await self._access.caller(request, "question")
        except HTTPException as error:
            raise UsageError(error.detail) from error
        if caller.is_public and self._access.has_daily_limits:
            raise UsageError("this key has a daily limit, which only `bookwise serve` can enforce; use it there")


def tell_neutrally(error: BookwiseError) -> str:
    """Return the failure message for a caller with a key, and log the details; a UsageError is returned in full."""
    if isinstance(error, UsageError):
        return str(error)
    request_id = uuid4().hex[:16]
    logger.error("request id %s: %s", request_id, cause_of(error))
    return neutral_sentence(kind_of(error), request_id)
