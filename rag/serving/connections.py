"""Limit a server's connections: in number, per client, and in the time to send and to read.

When all connections are taken, the one that has waited longest for its client is closed: a client that opens
connections and sends nothing, or a body that never ends, locks nobody out. The limit is below the process's limit of
open files, so accepting never fails.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter, OrderedDict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

logger = logging.getLogger("bookwise.api")

HEADER_SECONDS = 20.0
"""Time for the head of a request, from the connection or, on a reused one, from its first byte."""

READ_SECONDS = 30.0
"""Time for a client to read what was sent, once its buffers are full."""

RESERVED_FILES = 96
"""Files kept for the index, the database, services and logs."""

LOG_SECONDS = 60.0


@dataclass(slots=True)
class ConnectionLimits:
    """The limits of one server and its open connections; used from one event loop."""

    total: int
    per_client: int
    header_seconds: float = HEADER_SECONDS
    read_seconds: float = READ_SECONDS
    on_refused: Callable[[str], None] = lambda reason: None
    on_shutdown: Callable[[], None] = lambda: None
    waiting: OrderedDict[BoundedProtocol, None] = field(default_factory=OrderedDict)
    clients: Counter[str] = field(default_factory=Counter)
    logged_at: float = float("-inf")

    def make_room(self, newcomer: BoundedProtocol) -> bool:
        """Return whether a connection may stay; the one that has waited longest is closed to make room."""
        if self.clients[newcomer.client_name] > self.per_client:
            reason = "client"
            room = self._evict(newcomer, newcomer.client_name)
        elif self.clients.total() > self.total:
            reason = "total"
            room = self._evict(newcomer, None)
        else:
            return True
        self.on_refused(reason)
        self._log(reason)
        return room

    def _evict(self, newcomer: BoundedProtocol, client: str | None) -> bool:
        for oldest in self.waiting:
            if oldest is not newcomer and client in (None, oldest.client_name):
                oldest.drop()
                return True
        return False

    def _log(self, reason: str) -> None:
        moment = asyncio.get_running_loop().time()
        if moment - self.logged_at >= LOG_SECONDS:
            self.logged_at = moment
            logger.warning("too many connections", extra={"limit": reason, "open": self.clients.total()})


class BoundedProtocol(H11Protocol):
    """HTTP/1.1 within `limits`, which each server's subclass sets."""

    limits: ConnectionLimits
    client_name = ""
    _head_timer: asyncio.TimerHandle | None = None
    _read_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Accept a connection, or close it beyond the limits."""
        super().connection_made(transport)
        self.client_name = self.client[0] if self.client else ""
        self.limits.clients[self.client_name] += 1
        self.limits.waiting[self] = None
        if not self.limits.make_room(self):
            self.drop()
            return
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget a connection."""
        self._cancel_timers()
        self.limits.waiting.pop(self, None)
        self.limits.clients[self.client_name] -= 1
        if self.limits.clients[self.client_name] <= 0:
            del self.limits.clients[self.client_name]
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Process received data; the head of a request must be complete in time."""
        if self._head_timer is None and self._is_idle():
            self._await_head()
        super().data_received(data)
        if not self._is_idle():
            self._cancel_head_timer()
            # The request waits for a body that has not arrived, as long as there is room.
            if self.conn.their_state is not h11.SEND_BODY:
                self.limits.waiting.pop(self, None)

    def on_response_complete(self) -> None:
        """Count the connection as waiting again, last in line to be closed."""
        super().on_response_complete()
        if self._is_idle():
            self.limits.waiting[self] = None
            self.limits.waiting.move_to_end(self)

    def pause_writing(self) -> None:
        """Wait for the client to read, up to READ_SECONDS."""
        super().pause_writing()
        self._read_timer = self._read_timer or self.loop.call_later(self.limits.read_seconds, self._reader_is_late)

    def resume_writing(self) -> None:
        """Continue: the client has read."""
        super().resume_writing()
        self._cancel_read_timer()

    def shutdown(self) -> None:
        """Begin the shutdown of this connection."""
        self.limits.on_shutdown()
        super().shutdown()

    def drop(self) -> None:
        """Close the connection."""
        self.limits.waiting.pop(self, None)
        self._cancel_timers()
        with suppress(RuntimeError):
            self.transport.abort()

    def _is_idle(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _await_head(self) -> None:
        self._head_timer = self.loop.call_later(self.limits.header_seconds, self._head_is_late)

    def _head_is_late(self) -> None:
        self._head_timer = None
        if self._is_idle():
            self.limits.on_refused("slow")
            self.drop()

    def _reader_is_late(self) -> None:
        self._read_timer = None
        self.limits.on_refused("slow")
        self.drop()

    def _cancel_timers(self) -> None:
        self._cancel_head_timer()
        self._cancel_read_timer()

    def _cancel_head_timer(self) -> None:
        if self._head_timer:
            self._head_timer.cancel()
            self._head_timer = None

    def _cancel_read_timer(self) -> None:
        if self._read_timer:
            self._read_timer.cancel()
            self._read_timer = None


def protocol_with(limits: ConnectionLimits) -> type[H11Protocol]:
    """Return the protocol class of a server with these limits."""
    return type("LimitedProtocol", (BoundedProtocol,), {"limits": limits})


def file_limit() -> int | None:
    """Return the process's limit of open files, raised as far as allowed; None where there is no limit."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return None
    if soft < hard:
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
            soft = hard
    return None if soft == resource.RLIM_INFINITY else soft


def connections_within(wanted: int, files: int | None) -> int:
    """Return how many connections the limit of open files allows."""
    return wanted if files is None else max(8, min(wanted, files - RESERVED_FILES))


def log_accept_failures_once(loop: asyncio.AbstractEventLoop) -> None:
    """Log once a minute that no connection can be accepted; asyncio would do so thousands of times per second."""
    logged_at = float("-inf")

    def handle(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        nonlocal logged_at
        if "accept()" not in str(context.get("message", "")):
            loop.default_exception_handler(context)
        elif loop.time() - logged_at >= LOG_SECONDS:
            logged_at = loop.time()
            logger.error("no connection can be accepted", extra={"reason": str(context.get("exception"))})

    loop.set_exception_handler(handle)
