"""Keys at the door of the MCP server over HTTP: those of the chat API, with what they may access and their rate."""

from __future__ import annotations

from collections.abc import Callable

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from rag.api.http.auth import Authenticator
from rag.api.http.problems import problem_response


class KeysOnly:
    """Lets in whose key reads the book and every tier that the server's filters let out; refuses with a problem."""

    def __init__(
        self, app: ASGIApp, access: Authenticator, book_id: Callable[[], str | None], highest_tier: int
    ) -> None:
        self._app = app
        self._access = access
        self._book_id = book_id
        self._highest_tier = highest_tier

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection, as ASGI says."""
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
                f"{self._highest_tier}; start one with --tier {caller.highest_tier} for it",
            )
