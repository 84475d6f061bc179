"""Around every request: its id, the bound on its body, its line in the log, its figures, and no error unanswered."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING

from rag.api.problems import problem_response
from rag.api.request_id import new_request_id, request_id

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from rag.api.metrics import Metrics

logger = logging.getLogger("bookwise.api")

MAX_BODY_BYTES = 64 * 1024
"""Sixty times what the longest question needs."""


class _TooLarge(Exception):
    """The body is larger than any request may be."""


class Surroundings:
    """Plain ASGI, since a response that streams must not pass through a buffer."""

    def __init__(self, app: ASGIApp, *, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        exchange = _Exchange(scope, receive, send)
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
    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._scope, self._receive, self._send = scope, receive, send
        self._headers = dict(scope["headers"])
        self.id = new_request_id(self._headers.get(b"x-request-id", b"").decode("latin-1"))
        self.started = time.perf_counter()
        self.status = 0
        self._received = 0

    async def run(self, app: ASGIApp) -> None:
        try:
            length = self._headers.get(b"content-length", b"0")
            if length.isdigit() and int(length) > MAX_BODY_BYTES:
                raise _TooLarge
            await app(self._scope, self.receive, self.send)
        except _TooLarge:
            await self._answer(413, f"a request may have {MAX_BODY_BYTES} bytes at most")
        except Exception:
            logger.exception("a bug")
            await self._answer(500, "an error that was not foreseen; the log has more under the request id")

    async def receive(self) -> Message:
        message = await self._receive()
        self._received += len(message.get("body", b""))
        if self._received > MAX_BODY_BYTES:
            raise _TooLarge
        return message

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            message["headers"] = [*message["headers"], (b"x-request-id", self.id.encode())]
        await self._send(message)

    async def _answer(self, status: int, detail: str) -> None:
        if not self.status:
            response = problem_response(self._scope["path"], status, detail)
            await response(self._scope, self._receive, self.send)
