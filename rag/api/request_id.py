"""The id of the request that is being answered: in its log lines, its problem document and its headers."""

from __future__ import annotations

import re
from contextvars import ContextVar
from uuid import uuid4

request_id: ContextVar[str] = ContextVar("request_id", default="")

_USABLE = re.compile(r"[A-Za-z0-9._-]{8,64}")


def new_request_id(given: str | None) -> str:
    """The caller's id if it is one that can be logged, else a new one."""
    return given if given and _USABLE.fullmatch(given) else uuid4().hex[:16]
