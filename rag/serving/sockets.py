"""The address a server listens on, and how it treats connections."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

from ingestion.errors import UsageError

if TYPE_CHECKING:
    import uvicorn
    from starlette.types import ASGIApp

IDLE_SECONDS = 75
"""How long an idle connection is kept: longer than clients and proxies keep theirs, which is 60 s at most.

A request over one that is closed in that instant fails."""


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens there; port 0 takes a free one. Raises UsageError where that cannot be."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as exc:
        raise UsageError(f"cannot listen on {host} port {port}: {exc.strerror}; choose --host and --port") from exc


def url_of(listening: socket.socket, host: str) -> str:
    """The address as clients write it."""
    return f"http://{f'[{host}]' if ':' in host else host}:{listening.getsockname()[1]}"


def connections_of(app: ASGIApp, *, drain_seconds: int) -> uvicorn.Config:
    """How a server treats connections; those in use have `drain_seconds` when it is told to stop."""
    import uvicorn

    return uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_keep_alive=IDLE_SECONDS,
        timeout_graceful_shutdown=drain_seconds,
    )
