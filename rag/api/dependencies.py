"""Shared dependencies of the routes, built once per server."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, HTTPException, Request

from ingestion.settings import Settings
from rag.api.http.auth import Authenticator, Caller
from rag.api.http.deadlines import Deadlines
from rag.api.http.failures import FailureReporter
from rag.api.http.metrics import Metrics
from rag.api.http.readiness import Readiness
from rag.api.http.threadpool import DatabaseThreads
from rag.api.services.chat_turns import ChatTurns
from rag.api.services.ingest_jobs import IngestJobs
from rag.api.services.renderer import Renderer
from rag.conversations.api_keys import KeyStore
from rag.conversations.personal_data import PersonalData
from rag.conversations.questions import QuestionLog
from rag.serving.shared_index import SharedIndex


@dataclass(frozen=True, slots=True)
class AppServices:
    """The services of one server."""

    settings: Settings
    auth: Authenticator
    turns: ChatTurns
    readiness: Readiness
    keys: KeyStore
    questions: QuestionLog
    personal_data: PersonalData
    index: SharedIndex
    jobs: IngestJobs
    renderer: Renderer
    metrics: Metrics
    deadlines: Deadlines
    failures: FailureReporter
    database: DatabaseThreads

    def is_configured(self, book_id: str) -> bool:
        """Return whether the settings are for this book; an index may contain others."""
        return self.settings.book.id in (None, book_id)

    def title_of(self, book_id: str) -> str | None:
        """Return the title of a book, known only for the configured one."""
        return self.settings.book.title if self.is_configured(book_id) else None


def services_of(request: Request) -> AppServices:
    """Return the services of the server that handles a request."""
    services: AppServices = request.app.state.services
    return services


Services = Annotated[AppServices, Depends(services_of)]


async def _reader(request: Request, services: Services) -> Caller:
    return await services.auth.caller(request)


async def _questioner(request: Request, services: Services) -> Caller:
    return await services.auth.caller(request, "question")


async def _ingester(request: Request, services: Services) -> Caller:
    caller = await services.auth.caller(request)
    if not caller.may_ingest:
        raise HTTPException(403, "this key cannot ingest; create one with `bookwise keys add NAME --may-ingest`")
    return caller


async def _owner(request: Request, services: Services) -> Caller:
    caller = await services.auth.caller(request)
    if not caller.is_owner:
        raise HTTPException(403, "this needs an owner's key; create one with `bookwise keys add NAME --owner`")
    return caller


CurrentCaller = Annotated[Caller, Depends(_reader)]
"""The caller of a read."""

Questioner = Annotated[Caller, Depends(_questioner)]
"""The caller who asks a question; questions have their own limits."""

Ingester = Annotated[Caller, Depends(_ingester)]
"""A caller who may ingest; 403 for others."""

Owner = Annotated[Caller, Depends(_owner)]
"""A caller who may see readers' questions; 403 for others."""
