"""Every failure as a problem document (RFC 9457) with the id of its request."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException

from ingestion.errors import (
    AnswerTimeout,
    BookwiseError,
    ChatModelError,
    EmbeddingError,
    UnknownThread,
    UsageError,
)
from rag.api.http.logs import request_id
from rag.api.schemas import Problem

RETRY_SECONDS = "5"

RESPONSES: dict[int | str, dict[str, Any]] = {
    status: {"model": Problem, "description": HTTPStatus(status).phrase}
    for status in (400, 401, 403, 404, 409, 413, 422, 429, 500, 502, 503, 504)
}
"""What every route may answer beside its result."""


def status_of(error: BookwiseError) -> int:
    """The HTTP status of one of our errors."""
    if isinstance(error, UnknownThread):
        return 404
    if isinstance(error, UsageError):
        return 422
    if isinstance(error, AnswerTimeout):
        return 504
    return 502 if isinstance(error, ChatModelError | EmbeddingError) else 503


def problem(path: str, status: int, detail: str, errors: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    """The document."""
    title = HTTPStatus(status).phrase
    document = Problem(
        title=title, status=status, detail=detail, instance=path, request_id=request_id.get(), errors=errors
    )
    return document.model_dump(exclude_none=True)


def problem_response(
    path: str,
    status: int,
    detail: str,
    *,
    headers: Mapping[str, str] | None = None,
    errors: list[dict[str, Any]] | None = None,
) -> Response:
    """The document as a response; what may pass by itself says when to try again."""
    sent = dict(headers or {})
    if status == 503:
        sent.setdefault("Retry-After", RETRY_SECONDS)
    return JSONResponse(problem(path, status, detail, errors), status, sent, media_type="application/problem+json")


def install(app: FastAPI) -> None:
    """Let every error of the app end as a problem document; what nobody foresaw is caught by the middleware."""

    @app.exception_handler(BookwiseError)
    async def ours(request: Request, error: BookwiseError) -> Response:
        return problem_response(request.url.path, status_of(error), str(error))

    @app.exception_handler(HTTPException)
    async def theirs(request: Request, error: HTTPException) -> Response:
        return problem_response(request.url.path, error.status_code, str(error.detail), headers=error.headers)

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> Response:
        found = [
            {"field": ".".join(map(str, each["loc"][1:])) or str(each["loc"][0]), "message": each["msg"]}
            for each in error.errors()
        ]
        status = 400 if any(each["type"] == "json_invalid" for each in error.errors()) else 422
        detail = "; ".join(f"{each['field']}: {each['message']}" for each in found)
        return problem_response(request.url.path, status, detail, errors=found)
