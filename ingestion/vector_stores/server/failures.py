"""What the failure of a request means: whether another attempt may help, and the cause in one sentence."""

from __future__ import annotations

import random

from ingestion.bounded_http import ReplyRefused
from ingestion.errors import WriteNotApplied

FIRST_PAUSE = 0.5
LONGEST_PAUSE = 30.0
LONGEST_RETRY_AFTER = 120
"""Seconds; a server that asks for a longer pause gets an error instead of a run that seems to hang."""

_UNTRUSTED = ("certificate verify failed", "ssl error ssl", "certificate signed by")
_NO_TLS = ("wrong version number", "record layer failure")
"""What OpenSSL says where a server answers in plain HTTP."""


def pause_before_next(exc: Exception, attempt: int) -> float | None:
    """Return the seconds until the next attempt, None where none would help."""
    from qdrant_client.common.client_exceptions import QdrantException, ResourceExhaustedResponse

    if isinstance(exc, ResourceExhaustedResponse):
        asked: int = max(0, exc.retry_after_s)
        return asked + random.uniform(0, FIRST_PAUSE) if asked <= LONGEST_RETRY_AFTER else None
    status = status_of(exc)
    passing = status is not None and (status >= 500 or status == 429)
    if isinstance(exc, QdrantException | WriteNotApplied) or passing or is_lost_connection(exc):
        return min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** (attempt - 1)) * random.uniform(0.5, 1)
    return None


def status_of(exc: BaseException) -> int | None:
    """Return the HTTP status that a failure stands for, None where there was no answer."""
    from grpc import RpcError, StatusCode  # type: ignore[import-untyped]
    from qdrant_client.http.exceptions import UnexpectedResponse

    if isinstance(exc, UnexpectedResponse):
        return exc.status_code
    if isinstance(exc, RpcError):
        known = {
            StatusCode.NOT_FOUND: 404,
            StatusCode.UNAUTHENTICATED: 401,
            StatusCode.PERMISSION_DENIED: 403,
            StatusCode.INVALID_ARGUMENT: 400,
            StatusCode.ALREADY_EXISTS: 409,
            StatusCode.INTERNAL: 500,
            StatusCode.ABORTED: 500,
            StatusCode.RESOURCE_EXHAUSTED: 429,
        }
        return known.get(exc.code())
    return None


def is_lost_connection(exc: Exception) -> bool:
    """Return whether the server was not reached, or its answer was lost; another address may then help."""
    from grpc import RpcError, StatusCode
    from pydantic import ValidationError
    from qdrant_client.http.exceptions import ResponseHandlingException

    cause = _cause(exc)
    if _says(cause, *_UNTRUSTED, *_NO_TLS):
        return False
    if isinstance(exc, RpcError):
        return exc.code() in (StatusCode.UNAVAILABLE, StatusCode.DEADLINE_EXCEEDED)
    # The client wraps an answer that it cannot read in the same class; that one will not change.
    lasting = (ValidationError, ReplyRefused)
    return isinstance(exc, ResponseHandlingException) and not isinstance(exc.source, lasting)


def reason(exc: Exception) -> str:
    """Return the cause in one sentence, with what to do about it."""
    from qdrant_client.http.exceptions import ResponseHandlingException

    cause = _cause(exc)
    if _says(cause, *_NO_TLS):
        return f"it answers without TLS ({cause}); write http:// in QDRANT_URL, or switch its TLS on"
    if _says(cause, *_UNTRUSTED):
        return f"its certificate is not trusted ({cause}); name your authority's certificate with qdrant.ca_file"
    status = status_of(exc)
    if status in (401, 403):
        return f"{cause}; {_missing_right(cause)}"
    if isinstance(exc, ResponseHandlingException) or is_lost_connection(exc):
        return f"{cause}; is the server running, and QDRANT_URL right?"
    return cause


def _says(cause: str, *phrases: str) -> bool:
    plain = cause.lower().replace("_", " ")
    return any(phrase in plain for phrase in phrases)


def _missing_right(cause: str) -> str:
    """Return what a key lacks, in words; Qdrant names it."""
    if "Global" in cause:
        return (
            "creating, switching and deleting indexes need a key with manage access to the whole server, not one "
            "scoped to collections (QDRANT_API_KEY)"
        )
    if "ccess to collection" in cause:
        return "the key in QDRANT_API_KEY does not cover that collection"
    return "check QDRANT_API_KEY"


def _cause(exc: Exception) -> str:
    from grpc import RpcError
    from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

    if isinstance(exc, ResponseHandlingException):
        return _line(str(exc.source)) or type(exc.source).__name__
    if isinstance(exc, UnexpectedResponse):
        return f"{exc.status_code} {_server_message(exc.content)}"
    if isinstance(exc, RpcError) and callable(getattr(exc, "details", None)):
        code = exc.code().name.lower().replace("_", " ")
        return f"{code}: {_line(str(exc.details() or ''))[:300]}"
    return _line(str(exc)) or type(exc).__name__


def _server_message(body: bytes) -> str:
    import json

    try:
        message = json.loads(body)["status"]["error"]
    except (ValueError, KeyError, TypeError):
        message = body.decode(errors="replace")
    return _line(str(message))[:300]


def _line(text: str) -> str:
    return " ".join(text.split())
