"""Read the settings: flags, environment, `.env`, `bookwise.toml`, the user's configuration, defaults, in this order.

Every mistake is reported at once, with its source. A setting that a book may not set is ignored with a warning.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, replace
from io import StringIO
from pathlib import Path
from typing import Any

from ingestion.book_files import read_book_text
from ingestion.bounded_toml import read_toml
from ingestion.errors import ConfigurationError
from ingestion.file_owner import Owner, owner_of_file
from ingestion.own_files import explain
from ingestion.settings import FIELDS, Settings, nested
from ingestion.settings.index import STATE_AUTO, STATE_QDRANT
from ingestion.settings.places import CONFIG_NAME, find_config, is_planted, user_config
from ingestion.settings.retired import GONE, MOVED, VARIABLES, carried_over
from ingestion.settings.trust import (
    DOTENV,
    ENVIRONMENT,
    FLAG,
    Origins,
    paths_outside,
    trusts_book,
    withhold_secrets,
)
from ingestion.settings.validators import always, parse_table

__all__ = ["CONFIG_NAME", "Loaded", "find_config", "load", "load_settings"]

logger = logging.getLogger(__name__)

DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Loaded:
    """The settings, and the source of each by its name."""

    settings: Settings
    sources: Mapping[str, str]


def load_settings(
    flags: Mapping[str, Any], *, config: Path | None = None, environ: Mapping[str, str] | None = None
) -> Settings:
    """Return the settings of this run; see `load`."""
    return load(flags, config=config, environ=environ).settings


def load(
    flags: Mapping[str, Any],
    *,
    config: Path | None = None,
    environ: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> Loaded:
    """Return the settings and the source of each; raises ConfigurationError that lists every mistake.

    `flags` are by name (`qdrant.url`), None where the flag is not given; `config` is a `bookwise.toml`, whose folder
    is the book's, or None: then `folder` is, or the current one.
    """
    environ = os.environ if environ is None else environ
    unknown = flags.keys() - FIELDS.keys()
    if unknown:
        raise KeyError(f"no such setting: {', '.join(sorted(unknown))}")
    folder = config.parent if config else folder or Path()
    mistakes: list[str] = []
    sources = _sources(flags, config, environ, folder, mistakes)
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for name in FIELDS:
        values[name] = _first(name, sources, origins, folder, mistakes)
    found = Origins(origins, {source.name: source.owner for source in sources}, folder)
    if not mistakes:
        mistakes += _contradictions(values) + paths_outside(values, found)
    if mistakes:
        raise ConfigurationError("settings:\n  " + "\n  ".join(mistakes))
    withhold_secrets(values, found)
    return Loaded(nested(values, folder), {name: origins.get(name, DEFAULT) for name in FIELDS})


@dataclass(frozen=True, slots=True)
class _Source:
    name: str
    by_variable: bool
    values: Mapping[str, Any]
    owner: Owner = Owner.USER


def _sources(
    flags: Mapping[str, Any], config: Path | None, environ: Mapping[str, str], folder: Path, mistakes: list[str]
) -> list[_Source]:
    """Return the sources, strongest first, without settings that a book's own source may not set."""
    own = user_config(environ)
    users = [
        _Source(FLAG, False, {name: value for name, value in flags.items() if value is not None}),
        _Source(ENVIRONMENT, True, _by_variable(environ, ENVIRONMENT)),
        _Source(str(own), False, _by_toml_key(own, mistakes) if own and own.is_file() else {}),
    ]
    dotenv = next((path for path in (folder / DOTENV, Path(DOTENV)) if path.is_file() and not is_planted(path)), None)
    trusts = {name: _first(name, users, {}, folder, []) for name in ("trust.config", "trust.folders")}
    is_trusted = trusts_book(trusts | {"trust.folders": trusts["trust.folders"] or ()}, folder)
    owner = Owner.USER if is_trusted or dotenv is None else owner_of_file(dotenv)
    books = [
        _Source(DOTENV, True, _by_variable(_read_dotenv(dotenv, owner, mistakes), DOTENV), owner),
        _Source(str(config), False, _by_toml_key(config, mistakes), Owner.USER if is_trusted else Owner.BOOK),
    ]
    return [*users[:2], *(_permitted(source, own) for source in books), *users[2:]]


def _permitted(source: _Source, own: Path | None) -> _Source:
    """Return a book's source with the settings it may set; a warning names the rest."""
    refused = [name for name in source.values if not _may_set(source, name)]
    for name in refused:
        variable = FIELDS[name].metadata["env"]
        logger.warning(
            "%s (%s) is ignored: a book cannot set it. To use it, move it to %s%s, or trust the book: "
            "--trust-config, or its folder in `trust.folders` there",
            _named(name, source),
            source.name,
            own or "your own configuration",
            f" or set {variable} in your environment" if variable else "",
        )
    return replace(source, values={name: raw for name, raw in source.values.items() if name not in refused})


def _may_set(source: _Source, name: str) -> bool:
    if source.owner is Owner.USER or (source.owner is Owner.UNKNOWN and not name.startswith("trust.")):
        return not name.startswith("trust.")
    metadata = FIELDS[name].metadata
    try:
        return bool(metadata["by_book"](metadata["read"](source.values[name])))
    except ValueError:
        return metadata["by_book"] is always


def _first(name: str, sources: list[_Source], origins: dict[str, str], folder: Path, mistakes: list[str]) -> Any:
    field = FIELDS[name]
    if field.metadata["is_table"]:
        return _table(name, sources, origins, mistakes)
    for source in sources:
        if name in source.values:
            origins[name] = source.name
            try:
                value = field.metadata["read"](source.values[name])
            except ValueError as error:
                mistakes.append(f"{_named(name, source)} ({source.name}): {error}")
                return None
            return value if source.name in (FLAG, ENVIRONMENT) else _placed(name, value, folder)
    return None if field.default is MISSING else _placed(name, field.default, folder)


def _table(name: str, sources: list[_Source], origins: dict[str, str], mistakes: list[str]) -> Any:
    """Return a table, each key of which comes from the first source that has it."""
    read, merged = FIELDS[name].metadata["read"], dict[str, Any]()
    for source in reversed(sources):
        if name in source.values:
            origins[name] = source.name
            try:
                read(source.values[name])
                merged |= parse_table(source.values[name])
            except ValueError as error:
                mistakes.append(f"{_named(name, source)} ({source.name}): {error}")
    return read(merged) if merged else FIELDS[name].default


def _placed(name: str, value: Any, folder: Path) -> Any:
    """Resolve a path of the book's own configuration relative to the book's folder."""
    is_path = FIELDS[name].metadata["is_path"] and value not in (None, STATE_AUTO, STATE_QDRANT)
    return str(folder / value) if is_path else value


def _named(name: str, source: _Source) -> str:
    return str(FIELDS[name].metadata["env"]) if source.by_variable else name


def _contradictions(values: dict[str, Any]) -> list[str]:
    if values["chunk.tokens"] > values["chunk.max_tokens"]:
        return ["chunk.tokens is larger than chunk.max_tokens"]
    return []


def _by_variable(environ: Mapping[str, str], source: str) -> dict[str, Any]:
    """Return set variables by name of the setting; an empty one counts as not set, as in a shell's `VAR= command`."""
    named = ((name, field.metadata["env"]) for name, field in FIELDS.items() if field.metadata["env"])
    old = {name: environ[variable] for variable, name in VARIABLES.items() if environ.get(variable)}
    return carried_over({name: environ[variable] for name, variable in named if environ.get(variable)}, old, source)


def _by_toml_key(config: Path | None, mistakes: list[str]) -> dict[str, Any]:
    known = {name for name, field in FIELDS.items() if field.metadata["in_file"]}
    values: dict[str, Any] = {}
    old: dict[str, Any] = {}
    for key, value in _flatten(_read_toml(config, mistakes) if config else {}):
        if key in known:
            values[key] = value
        elif key in MOVED or key in GONE:
            old[key] = value
        else:
            mistakes.append(f"{key} ({config}): unknown setting; known are {', '.join(sorted(known))}")
    return carried_over(values, old, str(config))


def _flatten(toml: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in toml.items():
        if isinstance(value, dict) and prefix + key not in FIELDS:
            yield from _flatten(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value


def _read_toml(config: Path, mistakes: list[str]) -> dict[str, Any]:
    try:
        return read_toml(read_book_text(config))
    except (OSError, ValueError) as error:
        mistakes.append(f"{config}: cannot be read: {explain(error)}")
        return {}


def _read_dotenv(path: Path | None, owner: Owner, mistakes: list[str]) -> dict[str, str]:
    if path is None:
        return {}
    from dotenv import dotenv_values

    try:
        text = read_book_text(path)
        # A book's file could put a secret from the environment into a URL.
        values = dotenv_values(stream=StringIO(text), interpolate=owner is Owner.USER)
        return {key: value for key, value in values.items() if value is not None}
    except OSError as error:
        mistakes.append(f"{path}: cannot be read: {explain(error)}")
        return {}
    except UnicodeDecodeError:
        # A decoding error would repeat the bytes around it, which may be a secret.
        mistakes.append(".env: cannot be read as UTF-8")
        return {}
