"""Routes for whoever runs the server: alive, ready, figures."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, HTTPException, Request, Response

from ingestion.errors import BookwiseError
from rag.api.dependencies import AppServices, Services
from rag.api.schemas import Health
from rag.serving.failures import MODEL

router = APIRouter(tags=["operation"])
METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"


@router.head("/health", include_in_schema=False)
@router.get("/health", response_model=Health, operation_id="health")
async def health() -> Health:
    """Return 200 while the process lives."""
    return Health(status="ok")


@router.head("/ready", include_in_schema=False)
@router.get("/ready", response_model=Health, responses={503: {"model": Health}}, operation_id="ready")
async def ready(services: Services, response: Response) -> Health:
    """Return 200 while database and index can be used and the models are loaded, else 503 and what is wrong.

    A language model whose last answer failed is `degraded`, still with 200: no call is made to find out, and searches
    are answered.
    """
    checks = {"database": "ok", "index": "ok"}
    try:
        await services.database.run(services.turns.threads.count)
    except BookwiseError as error:
        checks["database"] = services.failures.explain(error)
    try:
        await services.readiness.check()
        async with services.index.opened():
            pass
    except BookwiseError as error:
        checks["index"] = services.failures.explain(error)
    is_ready = set(checks.values()) == {"ok"}
    is_degraded = services.failures.outages.is_down(MODEL)
    if services.turns.model_name:
        checks[MODEL] = "degraded: its last answer failed; see the log" if is_degraded else "ok"
    if not is_ready:
        response.status_code = 503
        return Health(status="unavailable", checks=checks)
    return Health(status="degraded" if is_degraded else "ok", checks=checks)


async def may_read_metrics(request: Request, services: Services) -> AppServices:
    """Return the services for an owner; 403 for others, 404 where the figures are served elsewhere."""
    if services.settings.api.metrics_address:
        raise HTTPException(404, "metrics are served at api.metrics_address")
    if not (await services.auth.caller(request)).is_owner:
        raise HTTPException(403, "metrics need an owner's key; or set api.metrics_address")
    return services


@router.get(
    "/metrics",
    response_class=Response,
    responses={200: {"content": {"text/plain": {}}}},
    operation_id="metrics",
)
async def metrics(services: Annotated[AppServices, Depends(may_read_metrics)]) -> Response:
    """Return figures for Prometheus; with an owner's key, or at `api.metrics_address` without one."""
    return Response(services.metrics.text(), media_type=METRICS_TYPE)
