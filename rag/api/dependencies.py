"""What the routes work with: built once a server, found by each request."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from ingestion.settings import Settings
from rag.api.http.auth import Access, Caller
from rag.api.http.deadlines import TimeBound
from rag.api.http.metrics import Metrics
from rag.api.services.chat_turns import Conversations
from rag.api.services.ingest_jobs import IngestJobs
from rag.serving.shared_index import SharedIndex


@dataclass(frozen=True, slots=True)
class Server:
    """The parts of one server."""

    settings: Settings
    access: Access
    conversations: Conversations
    index: SharedIndex
    jobs: IngestJobs
    metrics: Metrics
    time_bound: TimeBound


def _server(request: Request) -> Server:
    server: Server = request.app.state.server
    return server


Parts = Annotated[Server, Depends(_server)]


async def _caller(request: Request, parts: Parts) -> Caller:
    return await parts.access.caller(request)


Asker = Annotated[Caller, Depends(_caller)]
