"""Rewrite the paths of pages as VitePress does: `packages/:name/(.*)` and the like, as path-to-regexp reads them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import count
from typing import NamedTuple

MAX_PATH = 512
MAX_PARTS = 8
MAX_REPEATS = 3
"""Bounds of what is matched, since a pattern may come from a stranger."""

_GROUP = r"\((?P<{}>(?!\?)(?:\\.|[^()\\])+)\)"
_TOKEN = re.compile(
    rf"(?::(?P<name>\w+)(?:{_GROUP.format('of_name')})?|{_GROUP.format('alone')})(?P<times>[*+?]?)"
    r"|\\(?P<escaped>.)|(?P<sign>[{}*+?])|(?P<char>[^()])",
    re.S,
)
_ANY = r"[^/#?]+?"


class UnreadableRewrite(Exception):
    """A pattern that cannot be followed: another one might then be the page's."""


class _Part(NamedTuple):
    """A named part of a path, the sign before it that is there only with it, and how often it may be there."""

    name: str
    pattern: str
    before: str = ""
    times: str = ""


def rewrite(path: str, rules: Sequence[tuple[str, str]]) -> str:
    """Return the path that the first fitting rule makes of a path, else the path itself.

    Raises UnreadableRewrite for rules that cannot be followed.
    """
    if len(path) > MAX_PATH:
        return path
    for source, target in rules:
        parts = _parse(source)
        if found := _matcher(source).fullmatch(path):
            named = [part for part in parts if isinstance(part, _Part)]
            values = dict(zip((part.name for part in named), zip(named, found.groups(), strict=True), strict=True))
            return _build(_parse(f"/{target}"), values)[1:]
    return path


def _build(parts: Sequence[str | _Part], values: Mapping[str, tuple[_Part, str | None]]) -> str:
    made = []
    for part in parts:
        if isinstance(part, str):
            made.append(part)
            continue
        of_source, value = values.get(part.name, (part, None))
        if value is None and part.times not in ("*", "?"):
            raise UnreadableRewrite(f"`:{part.name}` stands for nothing")
        if value is not None:
            is_repeated = of_source.times in ("*", "+") and of_source.before
            repeated = value.split(of_source.before) if is_repeated else [value]
            made += [f"{part.before}{each}" for each in repeated]
    return "".join(made)


@cache
def _matcher(source: str) -> re.Pattern[str]:
    parts = _parse(source)
    patterns = [part.pattern for part in parts if isinstance(part, _Part)]
    repeats = sum(len(re.findall(r"[*+]", pattern)) for pattern in patterns if pattern != _ANY)
    if repeats > MAX_REPEATS or len(patterns) > MAX_PARTS:
        raise UnreadableRewrite(f"`{source}` has too many parts")
    try:
        return re.compile("".join(_regex(part) for part in parts) + "/?", re.I)
    except re.error as error:
        raise UnreadableRewrite(f"`{source}`: {error}") from error


def _regex(part: str | _Part) -> str:
    if isinstance(part, str):
        return re.escape(part)
    before = re.escape(part.before)
    if part.times not in ("*", "+"):
        return f"(?:{before}({part.pattern})){part.times}"
    if not before:
        return f"((?:{part.pattern}){part.times})"
    more = f"(?:{before}(?:{part.pattern}))*"
    return f"(?:{before}((?:{part.pattern}){more}))" + ("?" if part.times == "*" else "")


@cache
def _parse(source: str) -> tuple[str | _Part, ...]:
    if source.startswith("^"):
        raise UnreadableRewrite(f"`{source}` is a regular expression")
    return tuple(_parts(source))


def _parts(source: str) -> Iterator[str | _Part]:
    text, unnamed = "", count()
    for token in _tokens(source):
        if literal := token["escaped"] or token["char"]:
            text += literal
            continue
        before = text[-1:] if text.endswith((".", "/")) else ""
        yield from filter(None, [text.removesuffix(before)])
        name = token["name"] or str(next(unnamed))
        yield _Part(name, token["of_name"] or token["alone"] or _ANY, before, token["times"])
        text = ""
    yield from filter(None, [text])


def _tokens(source: str) -> list[re.Match[str]]:
    tokens = list(_TOKEN.finditer(source))
    if "".join(token[0] for token in tokens) != source:
        raise UnreadableRewrite(f"`{source}` cannot be read")
    if sign := next((token["sign"] for token in tokens if token["sign"]), None):
        raise UnreadableRewrite(f"`{source}` has `{sign}` where nothing is known to repeat")
    return tokens
