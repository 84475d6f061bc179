"""Read the literals of JavaScript and TypeScript, of which nothing is executed.

Only what is written as a literal, or as the name of a constant that is one, is seen.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

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


class ObjectLiteral(NamedTuple):
    """An object of literals: the keys that lead to it, its own texts, and the first text of the list it stands in."""

    path: tuple[str, ...]
    values: Mapping[str, str]
    head: str


def javascript_values(script: str) -> Values:
    """Return the literals of a JavaScript or TypeScript file by the keys that lead to them; linear in its length."""
    return {path: tuple(values) for path, values in _read(script).found.items()}


def javascript_objects(script: str) -> list[ObjectLiteral]:
    """Return the objects of a JavaScript or TypeScript file, the inner ones first."""
    return _read(script).objects


def _read(script: str) -> _JavaScript:
    reader = _JavaScript()
    for token in _TOKEN.finditer(script):
        if token["mark"]:
            reader.mark(token["mark"])
        elif token["string"] and token["string"][0] == "`" and "${" in token["string"]:
            reader.word("")  # made of other values when it is run
        elif token["string"]:
            reader.value(re.sub(r"\\(.)", r"\1", token["string"][1:-1], flags=re.S))
        elif token["word"]:
            reader.word(token["word"])
    return reader


def without_texts(script: str) -> str:
    """Return JavaScript or TypeScript without its comments, and with `""` for each text."""
    return _TOKEN.sub(lambda token: '""' if token["string"] else "" if token[0][0] == "/" else token[0], script)


class _Open(NamedTuple):
    """A bracket that is not closed yet: the key before it, its own literals by key, and all texts in it so far."""

    key: str
    mark: str
    values: dict[str, str]
    texts: list[str]


class _JavaScript:
    """Follows nesting, keys and constants through the tokens of a file."""

    def __init__(self) -> None:
        self.found: dict[tuple[str, ...], list[str]] = {}
        self._constants: dict[str, str] = {}
        self.objects: list[ObjectLiteral] = []
        self._stack: list[_Open] = []
        self._key = self._last = self._before = ""

    def mark(self, mark: str) -> None:
        if mark in "{[":
            self._stack.append(_Open(self._key, mark, {}, []))
        elif mark in "}]":
            self._shorthand()
            self._close()
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
        elif self._before == ":" or (self._before in ("[", ",") and self._stack and self._stack[-1].mark == "["):
            self._add(self._key, value)
        if self._stack:
            self._stack[-1].texts.append(value)
        self._last = value
        self._before = "value"

    def _shorthand(self) -> None:
        """`{baseUrl, …}` is short for `{baseUrl: baseUrl, …}`."""
        inside = bool(self._stack) and self._stack[-1].mark == "{"
        if self._before == "word" and inside and self._last in self._constants:
            self._add(self._last, self._constants[self._last])

    def _add(self, key: str, value: str) -> None:
        if len(self._stack) > MAX_DEPTH:
            return
        self.found.setdefault(self._path(key), []).append(value)
        if self._stack:
            self._stack[-1].values.setdefault(key, value)

    def _close(self) -> None:
        if not self._stack:
            return
        closed = self._stack.pop()
        if closed.mark == "{" and closed.values and len(self._stack) <= MAX_DEPTH:
            head = next(iter(self._stack[-1].texts), "") if self._stack else ""
            self.objects.append(ObjectLiteral(self._path(closed.key), closed.values, head))

    def _path(self, key: str) -> tuple[str, ...]:
        return tuple(name for name in (*(opened.key for opened in self._stack), key) if name)
