"""Middleware for every request: its id, limits in size and time, log line, figures, and a response to every error."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from fastapi import HTTPException

from rag.api.http.clients import client_of
from rag.api.http.context import RequestContext, begin_request, new_request_id
from rag.api.http.problems import problem_response

if TYPE_CHECKING:
    from collections.abc import Iterable

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from rag.api.http.deadlines import Deadlines
    from rag.api.http.failures import FailureReporter
    from rag.api.http.metrics import Metrics

logger = logging.getLogger("bookwise.api")

MAX_BODY_BYTES = 64 * 1024
"""Sixty times the size of the longest question."""

MAX_COMPLETION_BYTES = 1024 * 1024
"""Clients of chat completions send the whole conversation each time."""

MAX_UNREAD_BYTES = 32 * 1024 * 1024
"""How much of a too large body is still read: most clients read no response before they have sent it all."""

BODY_SECONDS = 30
"""Time to receive the body of a request."""

LOOPBACK_HOSTS = ("127.0.0.1", "localhost", "::1")
QUIET_ROUTES = ("/", "/widget.js", "/static/{name:path}", "/health", "/ready", "/metrics")
"""Not logged unless they fail: files of the page, and routes polled every few seconds."""

SAFE_HEADERS = {b"x-content-type-options": b"nosniff", b"cache-control": b"no-store"}
"""Defaults for every response."""


class RequestMiddleware:
    """Plain ASGI, since a streamed response must not be buffered."""

    def __init__(self, app: ASGIApp, *, metrics: Metrics, deadlines: Deadlines, failures: FailureReporter) -> None:
        self._app = app
        self._metrics = metrics
        self._deadlines = deadlines
        self._failures = failures

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        exchange = _Exchange(scope, receive, send, self._deadlines, self._failures)
        try:
            await exchange.run(self._app)
        finally:
            route = getattr(scope.get("route"), "path", "unknown")
            seconds = time.perf_counter() - exchange.started
            self._metrics.observe(scope["method"], route, exchange.status, seconds)
            if route not in QUIET_ROUTES or exchange.status >= 400:
                _log(scope["method"], route, exchange.status, seconds, exchange.context)


def _log(method: str, route: str, status: int, seconds: float, context: RequestContext) -> None:
    facts = {"method": method, "route": route, "status": status, "ms": round(seconds * 1000, 1)}
    # The failure and its cause have their own line.
    logger.info("request", extra=facts | context.failure)


class _Exchange:
    def __init__(
        self,
        scope: Scope,
        receive: Receive,
        send: Send,
        deadlines: Deadlines,
        failures: FailureReporter,
    ) -> None:
        self._scope, self._receive, self._send = scope, receive, send
        self._headers = dict(scope["headers"])
        self._deadlines, self._failures = deadlines, failures
        self._bound: asyncio.Timeout | None = None
        client = client_of((scope.get("client") or ("", 0))[0])
        request_id = new_request_id(self._headers.get(b"x-request-id", b"").decode("latin-1"))
        self.context = begin_request(request_id, client=client, prefix=scope.get("root_path", ""))
        self.started = time.perf_counter()
        self.status = 0
        self._received = 0
        self._is_read = False
        self._max_bytes = MAX_COMPLETION_BYTES if scope["path"].endswith("/v1/chat/completions") else MAX_BODY_BYTES

    async def run(self, app: ASGIApp) -> None:
        """Answer, whatever happens; a response that has begun has its own deadline."""
        try:
            async with self._deadlines.limit() as self._bound:
                if b"transfer-encoding" in self._headers and b"content-length" in self._headers:
                    # A proxy in front may see a different end of the body than we do.
                    raise HTTPException(400, "a request has Content-Length or Transfer-Encoding, not both")
                length = self._headers.get(b"content-length", b"0")
                if length.isdigit() and int(length[:18]) > self._max_bytes:
                    await self._refuse_body(more=int(length[:18]) <= MAX_UNREAD_BYTES)
                await app(self._scope, self.receive, self.send)
        except Exception as error:
            reported = self._failures.report(error)
            await self._answer(reported.status, reported.detail)

    async def receive(self) -> Message:
        """Pass a part of the body on; raises 413 beyond its size, 408 beyond its time."""
        if self._is_read:
            return await self._receive()
        message = await self._next_part()
        if self._received > self._max_bytes:
            await self._refuse_body(more=not self._is_read)
        return message

    async def _next_part(self) -> Message:
        left = BODY_SECONDS - (time.perf_counter() - self.started)
        try:
            message = await asyncio.wait_for(self._receive(), max(0.001, left))
        except TimeoutError:
            self._is_read = True
            raise HTTPException(408, f"the request body did not arrive within {BODY_SECONDS} s") from None
        self._received += len(message.get("body", b""))
        self._is_read = not message.get("more_body", False)
        return message

    async def send(self, message: Message) -> None:
        """Pass a part of the response on, with the headers that every response has."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            if self.status == 307:
                message["headers"] = [_without_host(*header) for header in message["headers"]]
            message["headers"] = [*message["headers"], *self._added_headers(message["headers"])]
            if self._bound:
                self._deadlines.release(self._bound)
        await self._send(message)

    def _added_headers(self, present: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
        names = {name.lower() for name, _ in present}
        added = {b"x-request-id": self.context.request_id.encode()}
        if self.context.allowance:
            limits = self.context.allowance.headers().items()
            added |= {name.lower().encode(): value.encode() for name, value in limits}
        return [(name, value) for name, value in (SAFE_HEADERS | added).items() if name not in names]

    async def _refuse_body(self, *, more: bool) -> None:
        while more and self._received < MAX_UNREAD_BYTES and b"expect" not in self._headers:
            await self._next_part()
            more = not self._is_read
        self._is_read = True
        raise HTTPException(413, f"a request body may have at most {self._max_bytes} bytes")

    async def _answer(self, status: int, detail: str) -> None:
        if not self.status:
            response = problem_response(self._scope["path"], status, detail)
            await response(self._scope, self._receive, self.send)


def _without_host(name: bytes, value: bytes) -> tuple[bytes, bytes]:
    """Return a header; the URL of a redirect is relative, whatever host the client sent."""
    if name.lower() != b"location":
        return name, value
    parts = urlsplit(value.decode("latin-1"))
    return name, f"/{parts.path.lstrip('/')}{'?' if parts.query else ''}{parts.query}".encode("latin-1")


class LoopbackOnly:
    """Protects a server without keys from web pages: refuses other host names and other origins."""

    def __init__(self, app: ASGIApp, *, origins: Iterable[str] = ()) -> None:
        self._app = app
        self._origins = frozenset(origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] == "http":
            headers = dict(scope["headers"])
            if not is_loopback(b"//" + headers.get(b"host", b"")):
                raise HTTPException(400, "without API keys, the server only accepts the host names of this machine")
            origin = headers.get(b"origin")
            if origin and not self._allows(origin, headers.get(b"host", b"")):
                raise HTTPException(
                    403, "without API keys, only pages of this server can call it; add other origins to api.origins"
                )
        await self._app(scope, receive, send)

    def _allows(self, origin: bytes, host: bytes) -> bool:
        """Return whether a page of that origin may call: the server's own, or a configured one (RFC 6454)."""
        named = origin.decode("latin-1")
        return named in self._origins or named.partition("://")[2].encode("latin-1") == host


def is_loopback(address: bytes) -> bool:
    """Return whether the host of an address is a name of this machine."""
    try:
        return urlsplit(address.decode("ascii")).hostname in LOOPBACK_HOSTS
    except ValueError:
        return False
