"""Requests to one service through the SDK's HTTP library, with limits on the replies."""

from __future__ import annotations

import os
import weakref
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

import httpx2

from ingestion.bounded_http import PACKINGS, ReplyCounter, limit_heads, set_deadline, usable_environment
from ingestion.openai_client.access import OPENAI_URL, Failure, ServiceAccess

_ORGANISATION = {"OPENAI_ORG_ID": "openai-organization", "OPENAI_PROJECT_ID": "openai-project"}
"""The organisation to bill if a key belongs to several, from the environment as in OpenAI's SDK."""


class NoReply(Exception):
    """No complete reply came, or one over the limits."""

    def __init__(self, failure: Failure, said: str) -> None:
        super().__init__(said)
        self.failure = failure


@dataclass(frozen=True, slots=True)
class Reply:
    """One complete reply; header names in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Connections:
    """Connections to one service; threads may share them.

    Raises ConfigurationError for certificates or a proxy of the environment that cannot be used.
    """

    def __init__(self, access: ServiceAccess) -> None:
        self._access = access
        with usable_environment(access.host):
            self._client = httpx2.Client(headers=_headers(access), timeout=access.timeout)
        limit_heads(self._client)
        # An embedder is never closed explicitly.
        weakref.finalize(self, self._client.close)

    def post(self, path: str, body: bytes) -> Reply:
        """Send one request and return the reply; redirects are not followed. Raises NoReply."""
        too_late = NoReply("timeout", "the whole reply takes too long")
        too_large = NoReply("size", "the reply is too large")
        deadline = set_deadline(self._access.total_seconds)
        counter = ReplyCounter(self._access.largest_reply, deadline, too_large, too_late)
        try:
            with self._client.stream("POST", _url(self._access, path), content=body) as response:
                if response.headers.get("content-encoding", "identity").lower() not in PACKINGS:
                    raise too_large
                return Reply(
                    response.status_code, dict(response.headers), b"".join(map(counter.take, response.iter_bytes()))
                )
        except httpx2.TimeoutException as error:
            raise NoReply("timeout", str(error)) from error
        except (httpx2.HTTPError, httpx2.InvalidURL, ValueError) as error:
            raise NoReply("connection", str(error)) from error


def _headers(access: ServiceAccess) -> dict[str, str]:
    headers = {"content-type": "application/json", "accept": "application/json", "accept-encoding": "identity"}
    headers["user-agent"] = "bookwise"
    if access.api_version:
        return headers | {"api-key": access.key}
    organisation = {name: os.environ[variable] for variable, name in _ORGANISATION.items() if variable in os.environ}
    return headers | {"authorization": f"Bearer {access.key}"} | organisation


def _url(access: ServiceAccess, path: str) -> str:
    """Return the URL of an endpoint; the query of the service's URL stays after it."""
    base = urlsplit(access.base_url or OPENAI_URL)
    query = f"{'&' if '?' in path else '?'}{base.query}" if base.query else ""
    return f"{base.scheme}://{base.netloc}{base.path.rstrip('/')}{path}{query}"
