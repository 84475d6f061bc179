"""Problem documents (RFC 9457) for every failure, with the id of the request and a type that explains it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException

from ingestion.errors import BookwiseError
from rag.api.http.context import current_request
from rag.api.schemas import Problem

if TYPE_CHECKING:
    from rag.api.http.failures import FailureReporter

RETRY_SECONDS = "5"
PATH = "/problems/"


@dataclass(frozen=True, slots=True)
class ProblemType:
    """A kind of problem: the last part of its type URL, and what to do about it."""

    name: str
    advice: str


TYPES: Mapping[int, ProblemType] = {
    400: ProblemType("bad-request", "The request cannot be parsed. `detail` says why."),
    401: ProblemType("key-required", "Send an API key: `Authorization: Bearer KEY`, or `X-API-Key: KEY`."),
    403: ProblemType(
        "not-allowed", "The key does not allow this: it is for another book or a lower tier, or lacks the permission."
    ),
    404: ProblemType("not-found", "It does not exist, or the key cannot see it; the response is the same for both."),
    405: ProblemType("wrong-method", "This path does not support this method; see `/openapi.json`."),
    408: ProblemType("slow-request", "The body took too long to arrive. Send it again."),
    409: ProblemType("conflict", "Something else must finish first; `Location` links to it."),
    413: ProblemType("too-large", "The body is too large. A question has at most 1,000 characters."),
    415: ProblemType("wrong-content-type", "Send JSON with the header `Content-Type: application/json`."),
    422: ProblemType("invalid-value", "A value is invalid. `errors` lists the fields, `detail` says why."),
    429: ProblemType("rate-limit", "Too many requests. Wait for the number of seconds in `Retry-After`."),
    500: ProblemType("server-error", "A server error. Report the request id to the server's owner."),
    502: ProblemType("service-failed", "The language model or the embedding service failed. Try again later."),
    503: ProblemType("unavailable", "A dependency of the server is down. Try again after `Retry-After` seconds."),
    504: ProblemType("timeout", "The answer took too long. Ask again, or ask a shorter question."),
}

RESPONSES: dict[int | str, dict[str, Any]] = {
    status: {"model": Problem, "description": HTTPStatus(status).phrase}
    for status in (400, 401, 403, 404, 408, 409, 413, 415, 422, 429, 500, 502, 503, 504)
}
"""Responses that every route may return besides its result."""


def problem(path: str, status: int, detail: str, errors: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    """Return the document; its type is a URL of this server that explains it."""
    request = current_request()
    known = TYPES.get(status)
    document = Problem(
        type=f"{request.prefix}{PATH}{known.name}" if known else "about:blank",
        title=HTTPStatus(status).phrase,
        status=status,
        detail=detail,
        instance=path,
        request_id=request.request_id,
        errors=errors,
    )
    return document.model_dump(exclude_none=True)


OPENAI_PATH = "/v1/"
UNKNOWN_PATH = (
    "no such path; ask at /v1/responses and /v1/chat/completions, embed at /v1/embeddings, "
    "and list the books at /v1/models; see /docs"
)
_OPENAI_CODES = {401: "invalid_api_key", 403: "permission_denied", 404: "model_not_found", 429: "rate_limit_exceeded"}


def openai_error(status: int, detail: str, param: str | None = None) -> dict[str, Any]:
    """Return an error in OpenAI's shape; `param` is the invalid field."""
    kind = "server_error" if status >= 500 else "invalid_request_error"
    # The framework's own words: no route has the path, such as /v1/files.
    is_unknown_path = status == 404 and detail == HTTPStatus.NOT_FOUND.phrase
    code = "unknown_url" if is_unknown_path else _OPENAI_CODES.get(status)
    message = UNKNOWN_PATH if is_unknown_path else detail
    error = {"message": message, "type": kind, "param": param, "code": code}
    return {"error": error | {"request_id": current_request().request_id}}


def _is_openai(path: str) -> bool:
    return path.removeprefix(current_request().prefix).startswith(OPENAI_PATH)


def problem_response(
    path: str,
    status: int,
    detail: str,
    *,
    headers: Mapping[str, str] | None = None,
    errors: list[dict[str, Any]] | None = None,
) -> Response:
    """Return the document as a response; a temporary failure says when to retry."""
    sent = dict(headers or {})
    if status == 503:
        sent.setdefault("Retry-After", RETRY_SECONDS)
    if _is_openai(path):
        param = errors[0]["field"] if errors else None
        return JSONResponse(openai_error(status, detail, param), 400 if status == 422 else status, sent)
    return JSONResponse(problem(path, status, detail, errors), status, sent, media_type="application/problem+json")


def install(app: FastAPI, failures: FailureReporter) -> None:
    """Handle every error of the app as a problem document; the middleware catches the rest."""

    @app.exception_handler(BookwiseError)
    async def ours(request: Request, error: BookwiseError) -> Response:
        reported = failures.report(error)
        return problem_response(request.url.path, reported.status, reported.detail)

    @app.exception_handler(HTTPException)
    async def theirs(request: Request, error: HTTPException) -> Response:
        detail = str(error.detail)
        if error.status_code == 404 and detail == HTTPStatus.NOT_FOUND.phrase and not _is_openai(request.url.path):
            detail = f"no such path; see {current_request().prefix}/docs"
        return problem_response(request.url.path, error.status_code, detail, headers=error.headers)

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> Response:
        status, detail, found = explain_invalid(request, error)
        return problem_response(request.url.path, status, detail, errors=found)


def in_json_terms(message: str) -> str:
    """Return a pydantic message in terms of JSON, not Python."""
    plain = message.replace("dictionary or object to extract fields from", "object").removeprefix("Value error, ")
    return re.sub(r"\b([Tt])uple\b", lambda found: "Array" if found[1] == "T" else "array", plain)


def _field_of(fault: Mapping[str, Any], body: Any) -> str:
    """Return the field of a fault as the client knows it, without the branches of a union."""
    place, *parts = fault["loc"]
    if place != "body":
        return ".".join(map(str, parts or [place]))
    named: list[str] = []
    for part in parts if fault["type"] != "json_invalid" else ():
        if not _may_have(body, part, is_name=fault["type"] in ("missing", "extra_forbidden")):
            break
        named.append(str(part))
        body = _inside(body, part)
    return ".".join(named) or "body"


def _may_have(body: Any, part: Any, *, is_name: bool) -> bool:
    """Return whether a part of a place is one of the body's, or a name that it lacks; not a branch of a union."""
    if isinstance(body, dict):
        return is_name or part in body
    return isinstance(body, list) and isinstance(part, int)


def _inside(body: dict[Any, Any] | list[Any], part: Any) -> Any:
    if isinstance(body, dict):
        return body.get(part)
    return body[part] if part < len(body) else None


def _message_of(fault: Mapping[str, Any]) -> str:
    if fault["type"] == "json_invalid":
        return f"the body is not JSON: {fault['ctx']['error']} at character {fault['loc'][-1]}"
    return in_json_terms(fault["msg"])


def explain_invalid(request: Request, error: RequestValidationError) -> tuple[int, str, list[dict[str, Any]]]:
    """Return status, detail and the fields of an invalid request."""
    faults = error.errors()
    said: dict[str, dict[str, None]] = {}
    for fault in faults:
        said.setdefault(_field_of(fault, error.body), {})[_message_of(fault)] = None
    found = [{"field": field, "message": "; or ".join(messages)} for field, messages in said.items()]
    content_type = request.headers.get("content-type", "")
    if "json" not in content_type and any(fault["loc"] == ("body",) for fault in faults):
        sent = f"not {content_type[:80]}" if content_type else "it is missing"
        return 415, f"send JSON with the header Content-Type: application/json ({sent})", found
    status = 400 if any(fault["type"] == "json_invalid" for fault in faults) else 422
    return status, "; ".join(f"{fault['field']}: {fault['message']}" for fault in found), found
