"""Routes for whoever runs the server: alive, ready, figures."""

from __future__ import annotations

from fastapi import APIRouter, Response

from ingestion.errors import BookwiseError
from rag.api.dependencies import Parts
from rag.api.http.threadpool import in_database
from rag.api.schemas import Health

router = APIRouter()


@router.get("/health", response_model=Health)
async def health() -> Health:
    """The process lives."""
    return Health(status="ok")


@router.get("/ready", response_model=Health, responses={503: {"model": Health}})
async def ready(parts: Parts, response: Response) -> Health:
    """Database and index can be used, else 503 and what is wrong."""
    checks = {"database": "ok", "index": "ok"}
    try:
        await in_database(parts.conversations.threads.count)
    except BookwiseError as error:
        checks["database"] = str(error)
    try:
        async with parts.index.opened():
            pass
    except BookwiseError as error:
        checks["index"] = str(error)
    if set(checks.values()) == {"ok"}:
        return Health(status="ok", checks=checks)
    response.status_code = 503
    return Health(status="unavailable", checks=checks)


@router.get("/metrics", response_class=Response, responses={200: {"content": {"text/plain": {}}}})
async def metrics(parts: Parts) -> Response:
    """Figures for Prometheus."""
    return Response(parts.metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")
