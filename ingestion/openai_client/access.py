"""Address, key and limits of a service that speaks OpenAI's API, and the messages for its failures."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import quote, urlsplit

from ingestion import bounded_http
from ingestion.errors import ConfigurationError

log = logging.getLogger(__name__)

Failure = Literal[
    "quota", "context", "model", "key", "permission", "rate", "timeout", "connection", "size", "redirect", "other"
]
"""Kinds of failure that need different advice."""

OPENAI_URL = "https://api.openai.com/v1"

_LONG_WAIT = 5.0
"""Requested waits of this many seconds or more are logged as a warning."""

NO_KEY = "not-needed"
"""Placeholder for a service without a key: otherwise the SDK would send the key from the environment."""

_ADVICE: Mapping[Failure, str] = {
    "quota": "the account's quota is used up; raise it and run again",
    "key": "the key was rejected; check OPENAI_API_KEY",
    "rate": "still rate limited after waiting; run again later",
    "timeout": "no response in time; run again later",
    "size": "the response is too large; check OPENAI_BASE_URL",
    "redirect": "it redirects to another address, and the key is not sent there; set OPENAI_BASE_URL to that address",
}


@dataclass(frozen=True, slots=True)
class ServiceAccess:
    """A service that speaks OpenAI's API, and how to reach it.

    `timeout` is in seconds, for the connection and for each pause in a reply; a whole reply may take `total_timeout`,
    by default TOTAL_TIMEOUTS of them. With `api_version` it is Azure's older API. Raises ConfigurationError for a key
    that no header can carry or that is not OpenAI's, and if there is neither a key nor another service.
    """

    api_key: str | None = field(repr=False)
    base_url: str | None
    timeout: float
    max_retries: int
    api_version: str | None = None
    max_reply_bytes: int | None = None
    total_timeout: float | None = None

    def __post_init__(self) -> None:
        if self.api_key and not (self.api_key.isascii() and self.api_key.isprintable()):
            # The HTTP library refuses such a header, and quotes it.
            raise ConfigurationError("OPENAI_API_KEY contains characters that a key cannot have")
        if self.base_url:
            return
        if not self.api_key:
            raise ConfigurationError(
                "no OpenAI key: set OPENAI_API_KEY, or OPENAI_BASE_URL for another service, or use "
                "the built-in model with BOOKWISE_EMBEDDER=local"
            )
        if not _is_openai_key(self.api_key):
            raise ConfigurationError(
                "OPENAI_API_KEY does not look like an OpenAI key (sk-, 40 characters or more); for another service "
                "set OPENAI_BASE_URL"
            )

    @property
    def key(self) -> str:
        """Return the key to send."""
        return self.api_key or NO_KEY

    @property
    def host(self) -> str:
        """Return host and port of the service, never a user and password from the URL."""
        return urlsplit(self.base_url or OPENAI_URL).netloc.rpartition("@")[2]

    @property
    def largest_reply(self) -> int:
        """Return the maximum bytes of a decompressed reply."""
        return self.max_reply_bytes or bounded_http.MAX_REPLY_BYTES

    @property
    def total_seconds(self) -> float:
        """Return how long a whole reply may take."""
        return self.total_timeout or self.timeout * bounded_http.TOTAL_TIMEOUTS

    def path_of(self, endpoint: str, model: str) -> str:
        """Return the path of an endpoint below the address; Azure's older API has one per deployment."""
        if self.api_version:
            deployment, version = quote(model, safe=""), quote(self.api_version)
            return f"/openai/deployments/{deployment}/{endpoint}?api-version={version}"
        return f"/{endpoint}"

    def mask(self, text: str) -> str:
        """Return the text as one line of at most 300 characters, without the key."""
        return " ".join(text.replace(self.key, "***").split())[:300]

    def cause(self, error: Exception) -> Exception | None:
        """Return the error to raise from, or None if it quotes the key, as some services do."""
        return None if self.key in str(error) else error

    def advise(self, failure: Failure, error: Exception, advice: Mapping[Failure, str]) -> str:
        """Return what failed and what to do, in one line; `advice` goes before the general one."""
        if said := advice.get(failure) or _ADVICE.get(failure):
            return f"{said} ({self.mask(str(error))})" if failure == "context" else said
        if failure == "connection":
            return self.mask(f"no connection ({error.__cause__ or error}); check the network and OPENAI_BASE_URL")
        return self.mask(str(error))


def log_wait(host: str, status: int, seconds: float) -> None:
    """Log that a service asks to wait before the next try."""
    level = logging.WARNING if seconds >= _LONG_WAIT else logging.DEBUG
    log.log(level, "%s answers %d and asks to wait for %.0f s", host, status, seconds)


def _is_openai_key(key: str) -> bool:
    """Return whether it may be one of OpenAI's: `sk-` and 40 characters or more that a header can hold."""
    return key.startswith("sk-") and len(key) >= 40 and key.isascii() and key.isprintable()


FAILURES_BY_CODE: Mapping[str | None, Failure] = {
    "insufficient_quota": "quota",
    "context_length_exceeded": "context",
    "model_not_found": "model",
}
"""Failures by the code in an error's body, which is read before the status."""

TOO_LONG = re.compile(
    r"exceeds?\b.{0,40}\bcontext|context (?:length|window|size)|exceed_context_size|(?:prompt|input) is too long",
    re.IGNORECASE,
)
"""How services without OpenAI's error codes report a request that is too long for their model."""
