"""Around every request: its id, its bounds in size and time, its log line and figures, and no error unanswered."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from fastapi import HTTPException

from ingestion.errors import BookwiseError
from rag.api.http.logs import new_request_id, request_id
from rag.api.http.problems import problem_response, status_of

if TYPE_CHECKING:
    import asyncio

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from rag.api.http.deadlines import TimeBound
    from rag.api.http.metrics import Metrics

logger = logging.getLogger("bookwise.api")

MAX_BODY_BYTES = 64 * 1024
"""Sixty times what the longest question needs."""

MAX_UNREAD_BYTES = 32 * 1024 * 1024
"""How much of a body that is too large is read all the same: most clients read no answer before they sent it all."""

THIS_MACHINE = ("127.0.0.1", "localhost", "::1", "testserver")


class Surroundings:
    """Plain ASGI, since a response that streams must not pass through a buffer."""

    def __init__(self, app: ASGIApp, *, metrics: Metrics, time_bound: TimeBound) -> None:
        self._app = app
        self._metrics = metrics
        self._time_bound = time_bound

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        exchange = _Exchange(scope, receive, send, self._time_bound)
        request_id.set(exchange.id)
        try:
            await exchange.run(self._app)
        finally:
            route = getattr(scope.get("route"), "path", "unknown")
            seconds = time.perf_counter() - exchange.started
            self._metrics.observe(scope["method"], route, exchange.status, seconds)
            logger.info(
                "request",
                extra={
                    "method": scope["method"],
                    "route": route,
                    "status": exchange.status,
                    "ms": round(seconds * 1000, 1),
                },
            )


class _Exchange:
    def __init__(self, scope: Scope, receive: Receive, send: Send, time_bound: TimeBound) -> None:
        self._scope, self._receive, self._send = scope, receive, send
        self._headers = dict(scope["headers"])
        self._time_bound = time_bound
        self._bound: asyncio.Timeout | None = None
        self.id = new_request_id(self._headers.get(b"x-request-id", b"").decode("latin-1"))
        self.started = time.perf_counter()
        self.status = 0
        self._received = 0

    async def run(self, app: ASGIApp) -> None:
        """Answer, whatever happens; a response that has begun bounds itself."""
        try:
            async with self._time_bound.bounded() as self._bound:
                length = self._headers.get(b"content-length", b"0")
                if length.isdigit() and int(length) > MAX_BODY_BYTES:
                    await self._refuse_body()
                await app(self._scope, self.receive, self.send)
        except HTTPException as error:
            await self._answer(error.status_code, error.detail)
        except BookwiseError as error:
            await self._answer(status_of(error), str(error))
        except Exception:
            logger.exception("a bug")
            await self._answer(500, "an error that was not foreseen; the log has more under the request id")

    async def receive(self) -> Message:
        message = await self._receive()
        self._received += len(message.get("body", b""))
        if self._received > MAX_BODY_BYTES:
            await self._refuse_body(more=message.get("more_body", False))
        return message

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            message["headers"] = [*message["headers"], (b"x-request-id", self.id.encode())]
            if self._bound:
                self._time_bound.release(self._bound)
        await self._send(message)

    async def _refuse_body(self, *, more: bool = True) -> None:
        while more and self._received < MAX_UNREAD_BYTES and b"expect" not in self._headers:
            message = await self._receive()
            self._received += len(message.get("body", b""))
            more = message.get("more_body", False)
        raise HTTPException(413, f"a request may have {MAX_BODY_BYTES} bytes at most")

    async def _answer(self, status: int, detail: str) -> None:
        if not self.status:
            response = problem_response(self._scope["path"], status, detail)
            await response(self._scope, self._receive, self.send)


class OnlyThisMachine:
    """Refuses a request that names another host: no web page may reach a server without keys by a name of its own."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] == "http" and not _names_this_machine(dict(scope["headers"]).get(b"host", b"")):
            raise HTTPException(400, "without API keys the server answers to the names of this machine only")
        await self._app(scope, receive, send)


def _names_this_machine(host: bytes) -> bool:
    try:
        return urlsplit(f"//{host.decode('ascii')}").hostname in THIS_MACHINE
    except ValueError:
        return False
