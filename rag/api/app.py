"""The server as an ASGI app, from its settings."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from fastapi import FastAPI
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware

from ingestion.errors import BookwiseError
from ingestion.settings import Settings
from rag.api import book_routes, chat_routes, choice_routes, health_routes, page_routes, problems
from rag.api.access import Access
from rag.api.conversations import Conversations
from rag.api.index import SharedIndex
from rag.api.ingest_jobs import IngestJobs
from rag.api.metrics import Metrics
from rag.api.middleware import Surroundings
from rag.api.parts import Server
from rag.database import database_of
from rag.keys import KeyStore
from rag.threads import ThreadStore

logger = logging.getLogger("bookwise.api")

SECONDS_BETWEEN_ARCHIVALS = 300
LOOPBACK = ("127.0.0.1", "localhost", "[::1]", "::1", "testserver")
"""Names of this machine: without keys any other is refused, so that no web page can reach in by a name of its own."""


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
    )

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        archiving = asyncio.create_task(_archive(threads))
        try:
            yield
        finally:
            archiving.cancel()
            await server.jobs.finish()
            await server.conversations.aclose()
            await index.close()
            database.close()

    app = FastAPI(
        title="bookwise",
        summary="Ask a book, and get answers with checked sources.",
        lifespan=lifespan,
        responses=problems.RESPONSES,
        docs_url=None,
        redoc_url=None,
    )
    app.state.server = server
    _add_routes(app, settings, metrics, open_to_all=open_to_all)
    return app


def _add_routes(app: FastAPI, settings: Settings, metrics: Metrics, *, open_to_all: bool) -> None:
    problems.install(app)
    for routes in (chat_routes, book_routes, choice_routes, health_routes, page_routes):
        app.include_router(routes.router)
    if open_to_all:
        app.add_middleware(TrustedHostMiddleware, allowed_hosts=list(LOOPBACK))
    app.add_middleware(
        CORSMiddleware,
        allow_origins=list(settings.api_origins),
        allow_methods=["GET", "POST", "DELETE"],
        allow_headers=["Authorization", "Content-Type", "X-API-Key", "X-Request-ID"],
        expose_headers=["Location", "Retry-After", "X-Request-ID"],
    )
    app.add_middleware(Surroundings, metrics=metrics)


async def _archive(threads: ThreadStore) -> None:
    """Move what was not used for an hour to the archive, now and then."""
    while True:
        with suppress(BookwiseError):
            moved = await asyncio.to_thread(threads.archive)
            if moved:
                logger.info("archived", extra={"threads": moved})
        await asyncio.sleep(SECONDS_BETWEEN_ARCHIVALS)
