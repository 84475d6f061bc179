"""Listen until told to stop; what is being answered then gets a few seconds to end."""

from __future__ import annotations

import os
import socket
import sys
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

import uvicorn

from rag.serving.sockets import connections_of

if TYPE_CHECKING:
    from fastapi import FastAPI

    from rag.api.http.deadlines import TimeBound

DRAIN_SECONDS = 10.0
ANSWER_SECONDS = 7.0
"""For the answers, of all that; what is not told by then ends with an error that says so."""

UNREAD_SECONDS = 8
"""For clients that do not read what they are sent."""

SWITCH_SECONDS = 0.001


def run(app: FastAPI, listening: socket.socket) -> None:
    """Serve on a socket that listens, until SIGTERM or SIGINT, and then no longer than DRAIN_SECONDS."""
    # Searches are threads of the same interpreter; by default each may keep the loop waiting for 5 ms.
    sys.setswitchinterval(SWITCH_SECONDS)
    # The signal is raised once more when everything has ended in order: for a server that is no interruption.
    with suppress(KeyboardInterrupt):
        _Server(settings_of(app), app.state.server.time_bound).run(sockets=[listening])


def settings_of(app: FastAPI) -> uvicorn.Config:
    """How this server treats connections."""
    return connections_of(app, drain_seconds=UNREAD_SECONDS)


class _Server(uvicorn.Server):
    """Tells the answers in progress when it is to stop."""

    def __init__(self, config: uvicorn.Config, time_bound: TimeBound) -> None:
        super().__init__(config)
        self._time_bound = time_bound

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop. A thread that waits for a service does not keep the process: nothing acknowledged is only in it."""
        last = threading.Timer(DRAIN_SECONDS, os._exit, (1,))
        last.daemon = True
        last.start()
        self._time_bound.stop(ANSWER_SECONDS)
        await super().shutdown(sockets)
