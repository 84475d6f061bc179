"""Values of configuration files as sites use them: one text, a flag, lines, a path, an address."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

from ingestion.source.site_reading.javascript import Values


def one(values: Values, *path: str) -> str | None:
    """Return the first text at a path, or None."""
    texts = values.get(path)
    return texts[0] if texts else None


def by_key(values: Values, before: tuple[str, ...], *after: str) -> tuple[tuple[str, str], ...]:
    """Return each key that stands between two paths, with the first text at the whole path."""
    at = len(before)
    return tuple(
        (path[at], texts[0])
        for path, texts in values.items()
        if len(path) > at and path == (*before, path[at], *after)
    )


def mapping(value: Any) -> Mapping[str, Any]:
    """Return a mapping, an empty one in the place of anything else."""
    return value if isinstance(value, Mapping) else {}


def items(value: Any) -> list[Any]:
    """Return a list, an empty one in the place of anything else."""
    return value if isinstance(value, list) else []


def texts(value: Any) -> tuple[str, ...]:
    """Return the texts of a list, or the one that stands in the place of a list."""
    if isinstance(value, list | tuple | set):
        return tuple(map(str, sorted(value, key=str) if isinstance(value, set) else value))
    return (str(value),) if value else ()


def scalar(value: Any) -> str:
    """Return a number, a text or a boolean of a configuration as text, `true` and `false` in lower case."""
    return str(value).lower() if isinstance(value, bool) else str(value)


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


def joined(address: str | None, path: str | None = None) -> str:
    """Return an http(s) address and a path on it; empty where the address is none."""
    if not re.match(r"https?://[^/]", address or ""):
        return ""
    return f"{(address or '').rstrip('/')}/{(path or '').strip('/')}".rstrip("/")
