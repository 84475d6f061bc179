"""A server's listening socket and connection options."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, Any

from ingestion.errors import UsageError

if TYPE_CHECKING:
    import uvicorn
    from starlette.types import ASGIApp

    from rag.serving.connections import ConnectionLimits

IDLE_SECONDS = 75
"""How long an idle connection is kept: longer than clients and proxies keep theirs, at most 60 s. A request sent just
as its connection closes would fail."""

MAX_HEAD_BYTES = 64 * 1024

ACCEPTED_AT_ONCE = 8
"""Connections accepted before they are processed: with more, a burst uses up the files before any can be closed, and
asyncio then accepts nothing for a second."""


class _SteadyListener(socket.socket):
    """Pauses accepting after every few connections, so that the event loop processes those first."""

    _accepted = 0

    def accept(self) -> tuple[socket.socket, Any]:
        self._accepted += 1
        if self._accepted % (ACCEPTED_AT_ONCE + 1) == 0:
            raise BlockingIOError
        return super().accept()


def listen(host: str, port: int) -> socket.socket:
    """Return a listening socket; port 0 takes a free one. Raises UsageError if it cannot listen there."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return _SteadyListener(fileno=socket.create_server((host, port), family=family).detach())
    except OSError as exc:
        raise UsageError(f"cannot listen on {host} port {port}: {exc.strerror}; choose --host and --port") from exc


def url_of(listening: socket.socket, host: str) -> str:
    """Return the URL for clients."""
    return f"http://{f'[{host}]' if ':' in host else host}:{listening.getsockname()[1]}"


def connections_of(app: ASGIApp, *, drain_seconds: int, limits: ConnectionLimits | None = None) -> uvicorn.Config:
    """Return the connection options of this app's server; connections in use get `drain_seconds` at a stop."""
    import uvicorn

    from rag.serving.connections import ConnectionLimits, connections_within, file_limit, protocol_with

    limits = limits or ConnectionLimits(total=connections_within(1000, file_limit()), per_client=200)
    return uvicorn.Config(app, http=protocol_with(limits), **connection_options(drain_seconds=drain_seconds))


def connection_options(*, drain_seconds: int) -> dict[str, Any]:
    """Return the uvicorn options of all our servers."""
    return {
        "ws": "none",
        "log_config": None,
        "access_log": False,
        "server_header": False,
        "proxy_headers": False,  # see rag/api/http/clients.py
        "h11_max_incomplete_event_size": MAX_HEAD_BYTES,
        "timeout_keep_alive": IDLE_SECONDS,
        "timeout_graceful_shutdown": drain_seconds,
    }
