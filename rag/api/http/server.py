"""Listen until told to stop; answers in progress then get a few seconds to end."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

import uvicorn

from rag.serving.connections import ConnectionLimits, connections_within, file_limit, log_accept_failures_once
from rag.serving.sockets import connections_of

if TYPE_CHECKING:
    from fastapi import FastAPI

    from rag.api.dependencies import AppServices
    from rag.api.http.deadlines import Deadlines

DRAIN_SECONDS = 10.0
ANSWER_SECONDS = 7.0
"""For the answers, of all that; what is not finished by then ends with an error that says so."""

UNREAD_SECONDS = 8
"""For clients that do not read what they are sent."""

SWITCH_SECONDS = 0.001


def run(app: FastAPI, listening: socket.socket) -> None:
    """Serve on a listening socket until SIGTERM or SIGINT, and then no longer than DRAIN_SECONDS."""
    # Searches are threads of the same interpreter; by default each may delay the loop for 5 ms.
    sys.setswitchinterval(SWITCH_SECONDS)
    # The signal is raised once more when everything has ended in order: for a server that is no interruption.
    with suppress(KeyboardInterrupt):
        _ChatServer(settings_of(app), app.state.services.deadlines).run(sockets=[listening])


def settings_of(app: FastAPI) -> uvicorn.Config:
    """Return how this server treats connections."""
    services: AppServices = app.state.services
    api = services.settings.api
    limits = ConnectionLimits(
        total=connections_within(api.max_connections, file_limit()),
        # Behind a proxy all readers come from one address: it counts its clients itself.
        per_client=api.max_connections if api.trusted_proxies else api.client_connections,
        on_refused=services.metrics.refused,
    )
    return connections_of(app, drain_seconds=UNREAD_SECONDS, limits=limits)


class _ChatServer(uvicorn.Server):
    """Shortens the answers in progress when it is to stop."""

    def __init__(self, config: uvicorn.Config, deadlines: Deadlines) -> None:
        super().__init__(config)
        self._deadlines = deadlines

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start to accept connections."""
        log_accept_failures_once(asyncio.get_running_loop())
        await super().startup(sockets)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop; a thread that waits for a service does not hold up the process: what was acknowledged is stored."""
        last = threading.Timer(DRAIN_SECONDS, os._exit, (1,))
        last.daemon = True
        last.start()
        self._deadlines.stop(ANSWER_SECONDS)
        await super().shutdown(sockets)
