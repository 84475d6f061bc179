"""Read the settings: flags over environment over `.env` over `bookwise.toml` over defaults, every mistake named."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass
from pathlib import Path
from typing import Any

from ingestion.errors import ConfigurationError
from ingestion.settings import FIELDS, Settings, nested

CONFIG_NAME = "bookwise.toml"


def load_settings(
    flags: Mapping[str, Any], *, config: Path | None = None, environ: Mapping[str, str] | None = None
) -> Settings:
    """The settings of this run; raises ConfigurationError that lists every mistake with its source.

    `flags` are by name (`qdrant.url`), None where the flag is not given; `config` is a `bookwise.toml` or None.
    """
    environ = os.environ if environ is None else environ
    mistakes: list[str] = []
    toml = _read_toml(config, mistakes) if config else {}
    sources = [
        _Source("flag", False, {name: value for name, value in flags.items() if value is not None}),
        _Source("environment", True, _by_variable(environ)),
        _Source(".env", True, _by_variable(_read_dotenv(mistakes))),
        _Source(str(config), False, dict(_by_toml_key(toml, mistakes, str(config)))),
    ]
    unknown = flags.keys() - FIELDS.keys()
    if unknown:
        raise KeyError(f"no such setting: {', '.join(sorted(unknown))}")
    values = {name: _first(name, sources, mistakes) for name in FIELDS}
    if not mistakes and values["chunk.tokens"] > values["chunk.max_tokens"]:
        mistakes.append("chunk.tokens is larger than chunk.max_tokens")
    if mistakes:
        raise ConfigurationError("settings:\n  " + "\n  ".join(mistakes))
    return nested(values)


def find_config(*folders: Path) -> Path | None:
    """The first `bookwise.toml` in these folders, in order."""
    return next((path for folder in folders if (path := folder / CONFIG_NAME).is_file()), None)


@dataclass(frozen=True, slots=True)
class _Source:
    name: str
    by_variable: bool
    values: Mapping[str, Any]


def _first(name: str, sources: list[_Source], mistakes: list[str]) -> Any:
    each = FIELDS[name]
    for source in sources:
        if name in source.values:
            try:
                return each.metadata["read"](source.values[name])
            except ValueError as error:
                said = each.metadata["env"] if source.by_variable else name
                mistakes.append(f"{said} ({source.name}): {error}")
                break
    return None if each.default is MISSING else each.default


def _by_variable(environ: Mapping[str, str]) -> dict[str, str]:
    """Set variables by name of the setting; an empty one counts as not set, as in a shell's `VAR= command`."""
    named = ((name, each.metadata["env"]) for name, each in FIELDS.items() if each.metadata["env"])
    return {name: environ[variable] for name, variable in named if environ.get(variable)}


def _by_toml_key(toml: Mapping[str, Any], mistakes: list[str], config: str) -> Iterator[tuple[str, Any]]:
    known = {name for name, each in FIELDS.items() if each.metadata["in_file"]}
    for key, value in _flatten(toml):
        if key in known:
            yield key, value
        else:
            mistakes.append(f"{key} ({config}): unknown setting; known are {', '.join(sorted(known))}")


def _flatten(toml: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in toml.items():
        if isinstance(value, dict) and prefix + key not in FIELDS:
            yield from _flatten(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value


def _read_toml(config: Path, mistakes: list[str]) -> dict[str, Any]:
    try:
        return tomllib.loads(config.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        mistakes.append(f"{config}: cannot be read: {error}")
        return {}


def _read_dotenv(mistakes: list[str]) -> dict[str, str]:
    if not Path(".env").is_file():
        return {}
    from dotenv import dotenv_values

    try:
        return {key: value for key, value in dotenv_values(".env").items() if value is not None}
    except (OSError, UnicodeDecodeError):
        # A decoding error would repeat the bytes around it, which may be a secret.
        mistakes.append(".env: cannot be read as UTF-8")
        return {}
