"""Values of configuration files as sites use them: one text, a flag, lines, a path, an address."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from ingestion.source.site_reading.javascript import Values


def one(values: Values, *path: str) -> str | None:
    """Return the first text at a path, or None."""
    texts = values.get(path)
    return texts[0] if texts else None


def flag(value: str | None) -> bool | None:
    """Return a value as a boolean, None where there is none."""
    return None if value is None else value == "true"


def lines(values: Values, name: str) -> tuple[str, ...]:
    """Return the lines of a text that holds patterns as .gitignore does."""
    written = (line.strip() for line in (one(values, name) or "").split("\n"))
    return tuple(line for line in written if line and not line.startswith("#"))


def clean(path: str) -> str:
    """Return a path with `/` between its parts and no `.` among them."""
    return PurePosixPath(path.replace("\\", "/")).as_posix()


def joined(address: str, path: str) -> str:
    """Return an http(s) address and a path on it; empty where the address is none."""
    if not re.match(r"https?://[^/]", address):
        return ""
    return f"{address.rstrip('/')}/{path.strip('/')}".rstrip("/")
