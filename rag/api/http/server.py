"""Serve until stopped, in one process or several; answers in progress then get a few seconds to end."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import parent_process
from pathlib import Path
from typing import TYPE_CHECKING, Any

import uvicorn
from uvicorn.config import STARTUP_FAILURE
from uvicorn.lifespan.on import LifespanOn
from uvicorn.supervisors import Multiprocess

from ingestion.errors import BookwiseError, ConfigurationError, UsageError
from ingestion.settings import Settings
from rag.api.http.logs import set_up_logging
from rag.api.http.metrics import serve_metrics, shared_by_workers
from rag.api.http.watchdog import kill_if_not_stopped_within
from rag.serving.connections import (
    ConnectionLimits,
    connections_within,
    file_limit,
    log_accept_failures_once,
    protocol_with,
)
from rag.serving.sockets import connection_options
from rag.tracing import start_tracing

if TYPE_CHECKING:
    from fastapi import FastAPI

    from rag.api.dependencies import AppServices

logger = logging.getLogger("bookwise.api")

DRAIN_SECONDS = 10.0
ANSWER_SECONDS = 7.0
"""The answers' share of the drain time; an answer unfinished by then ends with an error that says so."""

LATE_SECONDS = 5.0
"""A process that has not ended by then is killed from outside."""

UNREAD_SECONDS = 8
"""Time for clients that do not read their response."""

SWITCH_SECONDS = 0.001

WORKER_SECONDS = 30
"""Time for a new worker to start, and for a running one to respond; then it is replaced."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a process builds its server from; it can be sent to another process."""

    settings: Settings
    docs: Path
    open_to_all: bool


def check_workers(settings: Settings, *, with_keys: bool) -> None:
    """Raise UsageError if something that works in one process only rules out several."""
    count = settings.api.workers
    if count > 1 and not settings.qdrant.url:
        raise UsageError(
            f"{count} workers need a Qdrant server (qdrant.url): the embedded index belongs to one process at a time"
        )
    if count > 1 and with_keys and not settings.api.rate_store:
        raise UsageError(
            f"{count} workers need one Redis to count requests in (BOOKWISE_API_RATE_STORE=redis://HOST): "
            "alone, each process would allow the whole rate"
        )


def run(recipe: Recipe, listening: socket.socket, ready: Callable[[], None]) -> None:
    """Serve on a listening socket until SIGTERM or SIGINT, and then no longer than DRAIN_SECONDS.

    `ready` is called once the configuration is valid. With several workers SIGHUP replaces them one by one, while the
    socket stays open.
    """
    config = ServerConfig(recipe)
    if config.workers > 1:
        _supervise(config, listening, ready)
        return
    config.load()
    kill_if_not_stopped_within(DRAIN_SECONDS + LATE_SECONDS)
    # uvicorn raises the signal again after an orderly end: for a server that is no interruption.
    with serve_metrics(config.services.metrics.registry, recipe.settings), suppress(KeyboardInterrupt):
        ready()
        uvicorn.Server(config).run(sockets=[listening])


def _supervise(config: ServerConfig, listening: socket.socket, ready: Callable[[], None]) -> None:
    # Logs which worker died or was replaced; in the workers this logger would log requests.
    logging.getLogger("uvicorn.error").setLevel(logging.INFO)
    # Only a plain socket can be sent to another process.
    supervisor = Multiprocess(config, sockets=[socket.socket(fileno=listening.detach())])
    with shared_by_workers() as registry, serve_metrics(registry, config.recipe.settings):
        ready()
        supervisor.run()
    if any(worker.exitcode == STARTUP_FAILURE for worker in supervisor.processes):
        raise ConfigurationError("a worker could not start; see the log")


class ServerConfig(uvicorn.Config):
    """How uvicorn runs this server; the app is built in the process that serves it."""

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe
        self._is_stopping = False
        options = connection_options(drain_seconds=UNREAD_SECONDS)
        super().__init__(
            "", workers=recipe.settings.api.workers, timeout_worker_healthcheck=WORKER_SECONDS, **options
        )

    def configure_logging(self) -> None:
        """Set up log and traces of a worker, as the command did for its own process."""
        if parent_process():
            set_up_logging(self.recipe.settings.api.log_format)
            start_tracing(os.environ)

    def load_app(self) -> FastAPI:
        """Return the app; a worker whose app cannot be built ends the server instead of being tried again."""
        from rag.api.app import create_app

        recipe = self.recipe
        try:
            return create_app(recipe.settings, recipe.docs, open_to_all=recipe.open_to_all)
        except BookwiseError as error:
            if self.workers == 1:
                raise
            logger.error("cannot start", extra={"reason": str(error)})
            sys.exit(STARTUP_FAILURE)

    def load(self) -> None:
        """Build the app, and bound its connections."""
        # Searches are threads of the same interpreter; by default each may delay the loop for 5 ms.
        sys.setswitchinterval(SWITCH_SECONDS)
        super().load()
        if parent_process():
            kill_if_not_stopped_within(DRAIN_SECONDS + LATE_SECONDS)
        self.services: AppServices = self.loaded_app.state.services
        self.http_protocol_class = protocol_with(self._limits())
        self.lifespan_class = _Lifespan

    def _limits(self) -> ConnectionLimits:
        api = self.recipe.settings.api
        total = connections_within(max(8, api.limits.max_connections // self.workers), file_limit())
        return ConnectionLimits(
            total=total,
            # Behind a proxy all readers have one address; the proxy counts its clients itself.
            per_client=total if api.trusted_proxies else max(4, total // 5),
            on_refused=self.services.metrics.refused,
            on_shutdown=self.begin_to_stop,
        )

    def begin_to_stop(self) -> None:
        """Shorten the answers in progress, and limit the time for the rest.

        A thread that waits for a service does not delay the end: everything acknowledged is stored.
        """
        if self._is_stopping:
            return
        self._is_stopping = True
        self.end_process_in_time()
        self.services.deadlines.stop(ANSWER_SECONDS)

    def end_process_in_time(self) -> None:
        """End the process after the drain time, whatever still runs."""
        last = threading.Timer(DRAIN_SECONDS, os._exit, (1,))
        last.daemon = True
        last.start()


class _Lifespan(LifespanOn):
    """Begins and ends with the process that serves."""

    config: Any

    async def startup(self) -> None:
        log_accept_failures_once(asyncio.get_running_loop())
        await super().startup()

    async def shutdown(self) -> None:
        self.config.begin_to_stop()
        await super().shutdown()
