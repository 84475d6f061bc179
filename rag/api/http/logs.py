"""Write the log: readable lines on a terminal, JSON elsewhere, each with the id of its request."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from ingestion.masking import masked
from ingestion.output import visible
from rag.api.http.context import current_request
from rag.tracing import current_trace_id

_PLAIN = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}
_COLOURS = {"error": "31", "warning": "33", "info": "36", "debug": "2"}


def _fields(record: logging.LogRecord) -> dict[str, Any]:
    """Return the fields of a record beside time, level and event."""
    request = current_request()
    found = {name: value for name, value in vars(record).items() if name not in _PLAIN}
    context = {"request_id": request.request_id, "key_id": request.key_id, "trace_id": current_trace_id()}
    fields = {name: value for name, value in context.items() if value and name not in found} | found
    return {name: _masked(value) for name, value in fields.items()}


def _masked(value: Any) -> Any:
    """Return the value without passwords; lists and mappings keep their form."""
    if isinstance(value, Mapping):
        return {name: _masked(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_masked(each) for each in value]
    return value if isinstance(value, int | float | None) else masked(str(value))


class JsonLines(logging.Formatter):
    """Format a record as one line of JSON: time, level, event, and the fields given as `extra`."""

    def format(self, record: logging.LogRecord) -> str:
        """Return one line."""
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": masked(record.getMessage()),
        }
        line |= _fields(record)
        if record.exc_info:
            line["trace"] = masked(self.formatException(record.exc_info))
        return json.dumps(line, ensure_ascii=True)


class TerminalLines(logging.Formatter):
    """Format a record for people: time, level, event, then `name=value`; control characters are made visible."""

    def __init__(self, *, colours: bool = False) -> None:
        super().__init__()
        self._colours = colours

    def format(self, record: logging.LogRecord) -> str:
        """Return one line, and the trace of a bug below it."""
        level = record.levelname.lower()
        time = datetime.fromtimestamp(record.created).strftime("%H:%M:%S")
        shown = f"{level:7}"
        if self._colours:
            shown = f"\x1b[{_COLOURS.get(level, '0')}m{shown}\x1b[0m"
        pairs = [f"{name}={_visible(value)}" for name, value in _fields(record).items() if value not in ("", None)]
        line = " ".join([time, shown, _visible(masked(record.getMessage()), quote=False), *pairs])
        return f"{line}\n{visible(masked(self.formatException(record.exc_info)))}" if record.exc_info else line


def _visible(value: Any, *, quote: bool = True) -> str:
    text = str(value)
    escaped = "".join(mark if mark.isprintable() else mark.encode("unicode_escape").decode() for mark in text)
    return json.dumps(escaped, ensure_ascii=False) if quote and (" " in escaped or not escaped) else escaped


def set_up_logging(log_format: str = "auto") -> None:
    """Write the log to stderr, as `json` or `text`; `auto` takes text on a terminal."""
    handler = logging.StreamHandler()
    is_terminal = handler.stream.isatty()
    as_text = log_format == "text" or (log_format == "auto" and is_terminal)
    handler.setFormatter(TerminalLines(colours=is_terminal) if as_text else JsonLines())
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    logging.getLogger("bookwise.api").setLevel(logging.INFO)
    # An invalid request is the client's fault; its own log line says so.
    logging.getLogger("uvicorn.error").setLevel(logging.ERROR)
