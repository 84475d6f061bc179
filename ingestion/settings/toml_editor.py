"""Set the values of one table in a TOML file, and leave everything else as its author wrote it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

from ingestion.atomic_file import write_atomically
from ingestion.errors import ConfigurationError

Value = str | float | Sequence[float] | Sequence[str]


def set_table(path: Path, table: str, values: Mapping[str, Value]) -> None:
    """Write the values into `[table]`, which is added at the end where there is none.

    Other keys, comments and order stay. Raises ConfigurationError, with the file as it was, where it is no TOML or
    gives the table in a form that cannot be edited line by line.
    """
    before = path.read_text(encoding="utf-8") if path.exists() else ""
    after = _edited(before, table, [f"{key} = {_written(value)}" for key, value in values.items()], set(values))
    try:
        wanted = tomllib.loads(before)
        place = wanted
        for name in table.split("."):
            place = place.setdefault(name, {})
        place.update({key: list(value) if isinstance(value, tuple) else value for key, value in values.items()})
        is_right = tomllib.loads(after) == wanted
    except (tomllib.TOMLDecodeError, AttributeError) as error:
        raise ConfigurationError(f"{path}: cannot be edited: {error}") from error
    if not is_right:
        lines = "\n  ".join(f"{key} = {_written(value)}" for key, value in values.items())
        raise ConfigurationError(f"{path}: cannot be edited line by line; write into [{table}] yourself:\n  {lines}")
    write_atomically(path, after)


def _edited(text: str, table: str, lines: Sequence[str], keys: set[str]) -> str:
    old = text.split("\n")
    header = next(
        (at for at, line in enumerate(old) if re.fullmatch(rf"\s*\[{re.escape(table)}\]\s*(#.*)?", line)), None
    )
    if header is None:
        gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
        return f"{text}{gap}[{table}]\n" + "\n".join(lines) + "\n"
    end = next((at for at in range(header + 1, len(old)) if old[at].lstrip().startswith("[")), len(old))
    kept = [line for line in old[header + 1 : end] if line.partition("=")[0].strip() not in keys]
    return "\n".join((*old[: header + 1], *lines, *kept, *old[end:]))


def _written(value: Value) -> str:
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"'
    if isinstance(value, Sequence):
        return f"[{', '.join(_written(item if isinstance(item, str) else float(item)) for item in value)}]"
    return repr(value)
