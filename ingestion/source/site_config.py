"""Read the values of a site's configuration file: TOML, YAML and JSON as they are, JavaScript by its literals.

Nothing is executed: of JavaScript and TypeScript only what is written as a literal, or as the name of a constant that
is one, is seen. Values are text, keyed by their path: `("presets", "docs", "routeBasePath")`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ingestion.book_files import read_book_text
from ingestion.bounded_toml import read_toml
from ingestion.errors import ConfigurationError
from ingestion.own_files import explain
from ingestion.source.plain_yaml import YamlProblem, read_yaml

MAX_DEPTH = 50
"""Deeper than any real configuration; what lies deeper is not read, since each path is as long as it is deep."""

Values = Mapping[tuple[str, ...], tuple[str, ...]]
"""The texts at each path, in order; positions in lists do not count."""

_TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?(?:\*/|\Z)
    |(?P<string>'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`)
    |(?P<word>[\w$.-]+)|(?P<mark>[{}\[\]:,=;])""",
    re.X | re.S,
)


def read_config(path: Path) -> Values:
    """Read a configuration file by its ending; raises ConfigurationError where it cannot be read."""
    try:
        text = read_book_text(path)
        if path.suffix == ".toml":
            return values_of(read_toml(text))
        if path.suffix in (".yml", ".yaml"):
            return values_of(read_yaml(text).value)
        if path.suffix == ".json":
            return values_of(json.loads(text))
        return javascript_values(text)
    except YamlProblem as error:
        raise ConfigurationError(f"{path}:{error.line}: cannot be read: {error.reason}") from error
    except (OSError, ValueError, RecursionError) as error:
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
        yield path, str(value).lower() if isinstance(value, bool) else str(value)


def javascript_values(text: str) -> Values:
    """Return the literals of a JavaScript or TypeScript file by the keys that lead to them; linear in its length."""
    reader = _JavaScript()
    for token in _TOKEN.finditer(text):
        if token["mark"]:
            reader.mark(token["mark"])
        elif token["string"]:
            reader.value(re.sub(r"\\(.)", r"\1", token["string"][1:-1], flags=re.S))
        elif token["word"]:
            reader.word(token["word"])
    return {path: tuple(values) for path, values in reader.found.items()}


class _JavaScript:
    """Follows nesting, keys and constants through the tokens of a file."""

    def __init__(self) -> None:
        self.found: dict[tuple[str, ...], list[str]] = {}
        self._constants: dict[str, str] = {}
        self._stack: list[tuple[str, str]] = []
        self._key = self._last = self._before = ""

    def mark(self, mark: str) -> None:
        if mark in "{[":
            self._stack.append((self._key, mark))
        elif mark in "}]":
            self._shorthand()
            del self._stack[-1:]
        elif mark == ",":
            self._shorthand()
        self._key = self._last if mark == ":" else ""
        self._before = mark

    def word(self, word: str) -> None:
        if word in self._constants and self._before in (":", "["):
            self.value(self._constants[word])
        elif self._before in (":", "[", "=") and re.fullmatch(r"true|false|-?\d[\d.]*", word):
            self.value(word)
        elif self._before not in (":", "="):
            self._before = "word"
        self._last = word

    def value(self, value: str) -> None:
        if self._before == "=":
            self._constants[self._last] = value
        elif self._before == ":" or (self._before in ("[", ",") and self._stack and self._stack[-1][1] == "["):
            self._add(self._key, value)
        self._last = value
        self._before = "value"

    def _shorthand(self) -> None:
        """`{baseUrl, …}` is short for `{baseUrl: baseUrl, …}`."""
        inside = bool(self._stack) and self._stack[-1][1] == "{"
        if self._before == "word" and inside and self._last in self._constants:
            self._add(self._last, self._constants[self._last])

    def _add(self, key: str, value: str) -> None:
        if len(self._stack) > MAX_DEPTH:
            return
        path = tuple(name for name in (*(name for name, _ in self._stack), key) if name)
        self.found.setdefault(path, []).append(value)
