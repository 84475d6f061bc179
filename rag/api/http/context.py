"""The context of the current request: its id, its client, its outcome."""

from __future__ import annotations

import re
from contextvars import ContextVar
from dataclasses import dataclass, field
from uuid import uuid4

_USABLE = re.compile(r"[A-Za-z0-9._-]{8,64}")


@dataclass(frozen=True, slots=True)
class Allowance:
    """What a caller has left of a limit, for the `RateLimit-*` headers."""

    limit: int
    remaining: int
    reset_seconds: int

    def headers(self) -> dict[str, str]:
        """Return the headers (IETF draft of RateLimit fields)."""
        return {
            "RateLimit-Limit": str(self.limit),
            "RateLimit-Remaining": str(self.remaining),
            "RateLimit-Reset": str(self.reset_seconds),
        }


@dataclass(slots=True)
class RequestContext:
    """Facts about one request, filled in while it is answered and written to its log line.

    `awaits` is the part that a late answer was waiting for.
    """

    request_id: str = ""
    client: str = ""
    prefix: str = ""
    key_id: str = ""
    allowance: Allowance | None = None
    awaits: str = ""
    failure: dict[str, str] = field(default_factory=dict)


_current: ContextVar[RequestContext | None] = ContextVar("request", default=None)


def current_request() -> RequestContext:
    """Return the context of the request being answered, an empty one outside of requests."""
    return _current.get() or RequestContext()


def begin_request(request_id: str, *, client: str, prefix: str) -> RequestContext:
    """Make this the request being answered, for this task and all it starts; `prefix` is the path of the server."""
    context = RequestContext(request_id, client, prefix)
    _current.set(context)
    return context


def new_request_id(given: str | None) -> str:
    """Return the caller's id if it can be logged, else a new one."""
    return given if given and _USABLE.fullmatch(given) else uuid4().hex[:16]
