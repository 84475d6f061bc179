"""Read the literals of JavaScript and TypeScript, of which nothing is executed.

Only what is written as a literal, or as the name of a constant that is one, is seen.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

MAX_DEPTH = 50
"""Deeper than any real configuration; what lies deeper is not read, since each path is as long as it is deep."""

MAX_NODES = 50_000
"""Values of a document, each counted as often as a name stands for it: names that name names grow without end."""

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


def javascript_document(script: str) -> Any:
    """Return what a JavaScript or TypeScript file exports, as mappings, lists and texts; None where it is no literal.

    A name stands for the literal that it was given, or that the function of the name returns.
    """
    named = _read(script).named
    return _Resolver(named).value(named.get(_EXPORTED))


@lru_cache(maxsize=2)
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


_EXPORTED = "default"
_EXPORTS = ("module.exports", "exports.default")
_BEFORE_VALUES = ("=", ":", "[", ",")


class _Name(str):
    """A name that stands for a value, with three dots before it where all of its parts are meant."""


class _Resolver:
    """Puts values in the place of names."""

    def __init__(self, named: Mapping[str, Any]) -> None:
        self._named = named
        self._left = MAX_NODES

    def value(self, found: Any, above: tuple[str, ...] = ()) -> Any:
        self._left -= 1
        if self._left < 0 or len(above) > MAX_DEPTH:
            return None
        if isinstance(found, _Name):
            name = found.removeprefix("...")
            return None if name in above else self.value(self._named.get(name), (*above, name))
        if isinstance(found, list):
            return [each for item in found for each in self._items(item, (*above, ""))]
        if isinstance(found, dict):
            return {key: self.value(inner, (*above, "")) for key, inner in found.items()}
        return found

    def _items(self, item: Any, above: tuple[str, ...]) -> list[Any]:
        value = self.value(item, above)
        return value if isinstance(value, list) and isinstance(item, _Name) and item[:3] == "..." else [value]


class _Open(NamedTuple):
    """A bracket that is not closed yet: the key before it, its own literals by key, and all texts in it so far.

    `node` is the value that it makes, and `name` what stands for that.
    """

    key: str
    mark: str
    values: dict[str, str]
    texts: list[str]
    node: dict[str, Any] | list[Any]
    name: str


class _JavaScript:
    """Follows nesting, keys and constants through the tokens of a file."""

    def __init__(self) -> None:
        self.found: dict[tuple[str, ...], list[str]] = {}
        self._constants: dict[str, str] = {}
        self.objects: list[ObjectLiteral] = []
        self._stack: list[_Open] = []
        self._key = self._last = self._before = ""
        self.named: dict[str, Any] = {}
        self._named = self._function = ""  # what the next value is named, and the function whose body is read

    def mark(self, mark: str) -> None:
        if mark in "{[":
            node: dict[str, Any] | list[Any] = {} if mark == "{" else []
            name = self._make(node)
            self._stack.append(_Open(self._key, mark, {}, [], node, name))
        elif mark in "}]":
            self._shorthand()
            self._close()
        elif mark == ",":
            self._shorthand()
        self._key = self._last if mark == ":" else ""
        self._before = mark

    def word(self, word: str) -> None:
        self._name(word)
        if word in self._constants and self._before in (":", "["):
            self.value(self._constants[word])
        elif self._before in (":", "[", "=") and re.fullmatch(r"true|false|-?\d[\d.]*", word):
            self.value(word)
        elif self._before not in (":", "="):
            self._before = "word"
        self._last = word

    def _name(self, word: str) -> None:
        """Follow what the next value is called: `const x =`, `export default`, `function x() { return`."""
        if word in _EXPORTS or (self._last, word) == ("export", "default"):
            self._named = _EXPORTED
        elif self._last in ("const", "let", "var"):
            self._named = word
        elif self._last == "function":
            self._function = word
        elif word == "return" and self._stack:
            self._named = self._stack[-1].name or self._function_around()
        elif self._before in _BEFORE_VALUES or self._named == _EXPORTED or self._last == "return":
            self._make(_Name(word))

    def _function_around(self) -> str:
        """Return the function whose own body is read, not a block in it."""
        return self._function if len(self._stack) == 1 else ""

    def _make(self, value: Any) -> str:
        """Put a value where it stands; a name gives way to the literal behind it, which a call is given."""
        name, self._named = self._named, self._named if isinstance(value, _Name) else ""
        if name:
            self.named[name] = value
        elif self._stack and len(self._stack) <= MAX_DEPTH:
            within = self._stack[-1].node
            if isinstance(within, list):
                within.append(value)
            elif self._key and isinstance(within.get(self._key), (_Name, type(None))):
                within[self._key] = value
        return name

    def value(self, value: str) -> None:
        self._make(value)
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
