"""Calls to a Qdrant server: connecting, repeating what may succeed later, and one error for what does not."""

from __future__ import annotations

import logging
import random
import re
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlsplit

from ingestion.errors import ConfigurationError, VectorStoreError, WriteNotApplied
from ingestion.settings.qdrant import QdrantSettings

if TYPE_CHECKING:
    from qdrant_client import QdrantClient

logger = logging.getLogger(__name__)

T = TypeVar("T")

OLDEST_SERVER = (1, 17)
"""The first one that knows every field we send: `enable_hnsw` of payload indexes came with it."""

ATTEMPTS = 6
ATTEMPTS_TO_CONNECT = 3
FIRST_PAUSE = 0.5
LONGEST_PAUSE = 30.0
LONGEST_RETRY_AFTER = 120
"""Seconds; a server that asks for a longer pause gets an error instead of a run that seems to hang."""


@dataclass(frozen=True, slots=True)
class Server:
    """A client, and the host it leads to, which messages name; never the key."""

    client: QdrantClient
    host: str
    attempts: int = ATTEMPTS
    sleep: Callable[[float], None] = time.sleep

    def call(self, what: str, request: Callable[[QdrantClient], T]) -> T:
        """The request's answer, tried at most `attempts` times.

        Lost connections, server errors and rate limits are tried again, after a pause that doubles and is spread
        at random, or after as long as the server asks. Requests must therefore bear repetition. Raises
        VectorStoreError with `what` failed, where and why.
        """
        for attempt in range(1, self.attempts + 1):
            try:
                return request(self.client)
            except Exception as exc:
                pause = _pause_before_next(exc, attempt)
                if pause is None or attempt == self.attempts:
                    raise VectorStoreError(f"Qdrant at {self.host}: {what} failed: {_reason(exc)}") from exc
                logger.info("%s failed (%s), trying again in %.1f s", what, _reason(exc), pause)
                self.sleep(pause)
        raise AssertionError("the last attempt returns or raises")


def connect(
    url: str,
    api_key: str | None = None,
    settings: QdrantSettings | None = None,
    *,
    sleep: Callable[[float], None] = time.sleep,
) -> Server:
    """A checked connection; `https` in the URL is TLS, a path in it is a prefix.

    Raises ConfigurationError for a URL that cannot be used, VectorStoreError for a server that cannot be reached,
    refuses the key or is older than OLDEST_SERVER.
    """
    from qdrant_client import QdrantClient

    settings = settings or QdrantSettings()
    try:
        parts = urlsplit(url if "//" in url else f"//{url}")
        host = f"{parts.hostname}:{parts.port or 6333}"
        with warnings.catch_warnings():
            # Said below, and not of a loopback address.
            warnings.filterwarnings("ignore", message="Api key is used with an insecure connection")
            client = QdrantClient(
                url=url,
                api_key=api_key,
                prefer_grpc=settings.grpc,
                grpc_port=settings.grpc_port,
                timeout=settings.timeout,
                check_compatibility=False,
            )
    except ValueError as exc:
        raise ConfigurationError(f"QDRANT_URL cannot be used: {exc}") from exc
    if api_key and parts.scheme == "http" and parts.hostname not in ("localhost", "127.0.0.1", "::1"):
        logger.warning("the key for Qdrant at %s travels unencrypted; use https", host)
    server = Server(client, host, sleep=sleep)
    _check_version(replace(server, attempts=ATTEMPTS_TO_CONNECT))
    return server


def _check_version(server: Server) -> None:
    version = server.call("reading the version", lambda client: client.info().version)
    number = re.match(r"(\d+)\.(\d+)", version)
    if number and (int(number[1]), int(number[2])) < OLDEST_SERVER:
        oldest = ".".join(map(str, OLDEST_SERVER))
        raise VectorStoreError(f"Qdrant at {server.host} is version {version}; {oldest} or newer is needed")


def _pause_before_next(exc: Exception, attempt: int) -> float | None:
    """Seconds until the next attempt, None where none would help."""
    from qdrant_client.common.client_exceptions import QdrantException, ResourceExhaustedResponse

    if isinstance(exc, ResourceExhaustedResponse):
        asked: int = exc.retry_after_s
        return asked + random.uniform(0, FIRST_PAUSE) if asked <= LONGEST_RETRY_AFTER else None
    if isinstance(exc, QdrantException | WriteNotApplied) or _is_lost_connection(exc) or _is_server_error(exc):
        return min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** (attempt - 1)) * random.uniform(0.5, 1)
    return None


def _is_lost_connection(exc: Exception) -> bool:
    from grpc import RpcError, StatusCode  # type: ignore[import-untyped]
    from pydantic import ValidationError
    from qdrant_client.http.exceptions import ResponseHandlingException

    if isinstance(exc, RpcError):
        passing = (StatusCode.UNAVAILABLE, StatusCode.DEADLINE_EXCEEDED, StatusCode.RESOURCE_EXHAUSTED)
        return exc.code() in (*passing, StatusCode.ABORTED, StatusCode.INTERNAL)
    # The client wraps an answer that it cannot read in the same class; that one will not change.
    return isinstance(exc, ResponseHandlingException) and not isinstance(exc.source, ValidationError)


def _is_server_error(exc: Exception) -> bool:
    from qdrant_client.http.exceptions import UnexpectedResponse

    status = exc.status_code if isinstance(exc, UnexpectedResponse) else None
    return status is not None and (status >= 500 or status == 429)


def _reason(exc: Exception) -> str:
    """The cause in one line, with what to do about it."""
    from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

    if isinstance(exc, ResponseHandlingException):
        return f"{str(exc.source) or type(exc.source).__name__}; is the server running, and QDRANT_URL right?"
    if isinstance(exc, UnexpectedResponse):
        hint = "; check QDRANT_API_KEY" if exc.status_code in (401, 403) else ""
        return f"{exc.status_code} {_server_message(exc.content)}{hint}"
    return " ".join(str(exc).split()) or type(exc).__name__


def _server_message(body: bytes) -> str:
    import json

    try:
        message = json.loads(body)["status"]["error"]
    except (ValueError, KeyError, TypeError):
        message = body.decode(errors="replace")
    return " ".join(str(message).split())[:300]
