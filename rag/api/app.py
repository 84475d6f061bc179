"""Build the server as an ASGI app from its settings."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from starlette.middleware.cors import CORSMiddleware

from ingestion.errors import BookwiseError
from ingestion.settings import Settings
from rag.api.dependencies import AppServices
from rag.api.http import problems
from rag.api.http.auth import Authenticator
from rag.api.http.clients import PathPrefix, ProxyHeaders
from rag.api.http.deadlines import Deadlines
from rag.api.http.failures import FailureReporter
from rag.api.http.metrics import Metrics
from rag.api.http.middleware import LoopbackOnly, RequestMiddleware
from rag.api.http.outages import Outages
from rag.api.http.readiness import Readiness
from rag.api.http.threadpool import DatabaseThreads
from rag.api.openapi import describe
from rag.api.routes import (
    books,
    chat,
    diagrams,
    facets,
    feedback,
    health,
    llms,
    openai,
    owner,
    pages,
    personal_data,
    rendering,
    responses,
    sharing,
    start,
    threads,
)
from rag.api.services.chat_turns import ChatTurns
from rag.api.services.ingest_jobs import IngestJobs
from rag.api.services.renderer import Renderer
from rag.conversations.api_keys import KeyStore
from rag.conversations.database import ConversationDatabase, database_of
from rag.conversations.personal_data import PersonalData
from rag.conversations.questions import QuestionLog
from rag.conversations.store import ThreadStore
from rag.serving.shared_index import SharedIndex

logger = logging.getLogger("bookwise.api")

HOUSEKEEPING_SECONDS = 300
TELEMETRY: Any = {"metrics": False, "logs": False, "operation_spans": False, "auto_configure": False}
"""A span per request if tracing is on; FastAPI's logs would contain the questions."""

INGEST_SECONDS = 1.5
"""Time for a background run to end, after the streams."""

EXPOSED_HEADERS = (
    "Location",
    "RateLimit-Limit",
    "RateLimit-Remaining",
    "RateLimit-Reset",
    "Retry-After",
    "X-Request-ID",
)


def create_app(settings: Settings, docs: Path, *, open_to_all: bool) -> FastAPI:
    """Return the app; `docs` is the folder that `POST /ingest` reads. With `open_to_all` no key is required."""
    database = database_of(settings, lasting=False)
    services = _services_of(settings, docs, database, open_to_all=open_to_all)
    app = FastAPI(
        title="bookwise",
        summary="Ask a book, and get answers with checked sources.",
        lifespan=lambda _: _running(services, database),
        responses=problems.RESPONSES,
        docs_url=None,
        redoc_url=None,
        root_path_in_servers=False,
        telemetry=TELEMETRY,
    )
    app.state.services = services
    problems.install(app, services.failures)
    for routes in (
        chat,
        threads,
        sharing,
        feedback,
        rendering,
        openai,
        responses,
        books,
        facets,
        start,
        llms,
        owner,
        personal_data,
        health,
    ):
        app.include_router(routes.router)
    app.include_router(pages.router)
    app.include_router(diagrams.router)
    describe(app)
    _add_middleware(app, services)
    return app


def _services_of(settings: Settings, docs: Path, database: ConversationDatabase, *, open_to_all: bool) -> AppServices:
    metrics, outages = Metrics(), Outages()
    failures = FailureReporter(metrics, outages, show_details=open_to_all)
    database_threads = DatabaseThreads()
    index = SharedIndex(settings)
    questions = QuestionLog(database)
    auth = Authenticator(settings, database, database_threads, outages, open_to_all=open_to_all)
    turns = ChatTurns(index, ThreadStore(database), questions, metrics, failures, database_threads)
    return AppServices(
        settings=settings,
        auth=auth,
        turns=turns,
        readiness=Readiness(turns.prepare),
        keys=KeyStore(database),
        questions=questions,
        personal_data=PersonalData(database),
        index=index,
        jobs=IngestJobs(settings, docs, index, failures, database_threads),
        renderer=Renderer(),
        metrics=metrics,
        deadlines=Deadlines(settings.api.timeout),
        failures=failures,
        database=database_threads,
    )


@asynccontextmanager
async def _running(services: AppServices, database: ConversationDatabase) -> AsyncIterator[None]:
    keeping_house = asyncio.create_task(_keep_house(services))
    # Before the first connection is accepted, so that the first request is as fast as later ones.
    await services.readiness.begin()
    try:
        yield
    finally:
        keeping_house.cancel()
        await services.readiness.aclose()
        await services.jobs.finish(seconds=INGEST_SECONDS)
        await services.turns.aclose()
        await services.renderer.aclose()
        await services.auth.aclose()
        await services.index.close()
        services.database.close()
        database.close()


def _add_middleware(app: FastAPI, services: AppServices) -> None:
    """Add the middleware, the innermost first."""
    api = services.settings.api
    if services.auth.open_to_all:
        app.add_middleware(LoopbackOnly, origins=api.origins)
    app.add_middleware(
        RequestMiddleware,
        metrics=services.metrics,
        deadlines=services.deadlines,
        failures=services.failures,
    )
    # Outside the request middleware, so that a page may read problem documents too.
    app.add_middleware(
        CORSMiddleware,
        allow_origins=list(api.origins),
        allow_methods=["GET", "POST", "PATCH", "DELETE"],
        # Filters may be sent as headers, and OpenAI's SDK sends a dozen of its own.
        allow_headers=["*"],
        expose_headers=list(EXPOSED_HEADERS),
    )
    if api.root_path:
        app.add_middleware(PathPrefix, prefix=api.root_path)
    if api.trusted_proxies:
        app.add_middleware(ProxyHeaders, trusted=api.trusted_proxies)


async def _keep_house(services: AppServices) -> None:
    """Archive threads unused for an hour, and delete those older than `conversations.keep_days`."""
    threads, days = services.turns.threads, services.settings.conversations.keep_days
    while True:
        with suppress(BookwiseError):
            archived = await services.database.run(threads.archive)
            deleted = await services.database.run(threads.forget, idle=timedelta(days=days)) if days else 0
            if days:
                await services.database.run(services.questions.forget, older_than=timedelta(days=days))
            if archived or deleted:
                logger.info("housekeeping", extra={"archived": archived, "deleted": deleted})
        await asyncio.sleep(HOUSEKEEPING_SECONDS)
