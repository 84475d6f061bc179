"""The server as an ASGI app, from its settings."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from starlette.middleware.cors import CORSMiddleware

from ingestion.errors import BookwiseError
from ingestion.settings import Settings
from rag.api.dependencies import Server
from rag.api.http import problems
from rag.api.http.auth import Access
from rag.api.http.deadlines import TimeBound
from rag.api.http.metrics import Metrics
from rag.api.http.middleware import OnlyThisMachine, Surroundings
from rag.api.http.threadpool import in_database
from rag.api.openapi import describe
from rag.api.routes import books, chat, facets, health, pages
from rag.api.services.chat_turns import Conversations
from rag.api.services.ingest_jobs import IngestJobs
from rag.conversations.api_keys import KeyStore
from rag.conversations.database import Database, database_of
from rag.conversations.store import ThreadStore
from rag.serving.shared_index import SharedIndex

logger = logging.getLogger("bookwise.api")

SECONDS_BETWEEN_ARCHIVALS = 300
TELEMETRY: Any = {"metrics": False, "logs": False, "operation_spans": False, "auto_configure": False}
"""A span a request, where traces are asked for; FastAPI's logs would hold what was asked."""

INGEST_SECONDS = 1.5
"""What a run in the background gets to end, after the streams."""


def create_app(settings: Settings, docs: Path, *, open_to_all: bool) -> FastAPI:
    """The app; `docs` is what `POST /ingest` reads. With `open_to_all` no key is asked for."""
    database = database_of(settings)
    metrics = Metrics()
    index = SharedIndex(settings)
    threads = ThreadStore(database)
    server = Server(
        settings=settings,
        access=Access(settings, KeyStore(database), open_to_all=open_to_all),
        conversations=Conversations(index, threads, metrics),
        index=index,
        jobs=IngestJobs(settings, docs, index),
        metrics=metrics,
        time_bound=TimeBound(settings.api.timeout),
    )

    app = FastAPI(
        title="bookwise",
        summary="Ask a book, and get answers with checked sources.",
        lifespan=lambda _: _running(server, database),
        responses=problems.RESPONSES,
        docs_url=None,
        redoc_url=None,
        telemetry=TELEMETRY,
    )
    app.state.server = server
    _add_routes(app, server, open_to_all=open_to_all)
    return app


@asynccontextmanager
async def _running(server: Server, database: Database) -> AsyncIterator[None]:
    background = [
        asyncio.create_task(_archive(server.conversations.threads)),
        asyncio.create_task(_prepare(server)),
    ]
    try:
        yield
    finally:
        for each in background:
            each.cancel()
        await server.jobs.finish(seconds=INGEST_SECONDS)
        await server.conversations.aclose()
        await server.access.aclose()
        await server.index.close()
        database.close()


def _add_routes(app: FastAPI, server: Server, *, open_to_all: bool) -> None:
    problems.install(app)
    for routes in (chat, books, facets, health, pages):
        app.include_router(routes.router)
    describe(app)
    if open_to_all:
        app.add_middleware(OnlyThisMachine)
    app.add_middleware(Surroundings, metrics=server.metrics, time_bound=server.time_bound)
    # Outermost, so that a page may read problem documents too.
    app.add_middleware(
        CORSMiddleware,
        allow_origins=list(server.settings.api.origins),
        allow_methods=["GET", "POST", "DELETE"],
        allow_headers=["Authorization", "Content-Type", "X-API-Key", "X-Request-ID"],
        expose_headers=["Location", "Retry-After", "X-Request-ID"],
    )


async def _prepare(server: Server) -> None:
    """What fails here is told by the first question."""
    with suppress(BookwiseError):
        await asyncio.to_thread(server.conversations.prepare)
        async with server.index.opened():
            pass


async def _archive(threads: ThreadStore) -> None:
    """Move what was not used for an hour to the archive, now and then."""
    while True:
        with suppress(BookwiseError):
            moved = await in_database(threads.archive)
            if moved:
                logger.info("archived", extra={"threads": moved})
        await asyncio.sleep(SECONDS_BETWEEN_ARCHIVALS)
