"""Read a site's configuration file: TOML, YAML and JSON as they are, JavaScript by its literals.

Values are text, keyed by their path: `("presets", "docs", "routeBasePath")`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from ingestion.book_files import read_book_text
from ingestion.bounded_toml import read_toml
from ingestion.errors import ConfigurationError
from ingestion.own_files import explain
from ingestion.source.metadata.plain_yaml import YamlProblem, read_yaml
from ingestion.source.site_reading.javascript import Values
from ingestion.source.site_reading.values import mapping, scalar

MAX_VALUE = 300
"""Characters of a text that stands for a variable."""

MAX_VARIABLES = 500

DATA_ENDINGS = ("json", "toml", "yaml", "yml")


def read_document(path: Path) -> Any:
    """Return what a TOML or JSON file holds, or one of another name, which is YAML; raises ConfigurationError."""
    text = read_text(path)
    try:
        if path.suffix == ".toml":
            return read_toml(text)
        return json.loads(text) if path.suffix == ".json" else read_yaml(text).value
    except YamlProblem as error:
        raise ConfigurationError(f"{path}:{error.line}: cannot be read: {error.reason}") from error
    except (ValueError, RecursionError) as error:
        raise ConfigurationError(f"{path}: cannot be read: {explain(error)}") from error


def read_mapping(path: Path) -> Mapping[str, Any]:
    """Return what a file holds as `read_document` does, nothing where that is no mapping."""
    return mapping(read_document(path))


def is_own_file(path: Path) -> bool:
    """Return whether there is a regular file, and no link: a link may lead out of a stranger's book."""
    return path.is_file() and not path.is_symlink()


def read_text(path: Path) -> str:
    """Return the text of a configuration file; raises ConfigurationError where it cannot be read."""
    try:
        return read_book_text(path)
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"{path}: cannot be read: {explain(error)}") from error


def values_of(document: Any) -> Values:
    """Return the scalars of nested mappings and lists as text, by path."""
    found: dict[tuple[str, ...], list[str]] = {}
    for path, value in _scalars(document, ()):
        found.setdefault(path, []).append(value)
    return {path: tuple(values) for path, values in found.items()}


def _scalars(value: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _scalars(inner, (*path, str(key)))
    elif isinstance(value, list):
        for inner in value:
            yield from _scalars(inner, path)
    elif value is not None:
        yield path, scalar(value)


def texts_below(values: Mapping[tuple[str, ...], Sequence[str]], *path: str) -> tuple[tuple[str, str], ...]:
    """Return the short texts below a path of a configuration, by their names from there on, parted by dots."""
    found = (
        (".".join(key[len(path) :]), texts[0])
        for key, texts in values.items()
        if key[: len(path)] == path and len(key) > len(path) and len(texts) == 1 and len(texts[0]) <= MAX_VALUE
    )
    return tuple(islice(found, MAX_VARIABLES))
