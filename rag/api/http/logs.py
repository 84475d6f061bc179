"""One line of JSON a log record, with the id of its request; no text of a message unless asked."""

from __future__ import annotations

import json
import logging
import re
from contextvars import ContextVar
from datetime import UTC, datetime
from uuid import uuid4

request_id: ContextVar[str] = ContextVar("request_id", default="")

_USABLE = re.compile(r"[A-Za-z0-9._-]{8,64}")


def new_request_id(given: str | None) -> str:
    """The caller's id if it is one that can be logged, else a new one."""
    return given if given and _USABLE.fullmatch(given) else uuid4().hex[:16]


_PLAIN = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


class JsonLines(logging.Formatter):
    """Time, level, what, and the fields given as `extra`."""

    def format(self, record: logging.LogRecord) -> str:
        """One line."""
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            "request_id": request_id.get(),
        }
        line |= {name: value for name, value in vars(record).items() if name not in _PLAIN}
        if record.exc_info:
            line["trace"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str)


def log_as_json() -> None:
    """Write the log to stderr as lines of JSON."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines())
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    logging.getLogger("bookwise.api").setLevel(logging.INFO)
