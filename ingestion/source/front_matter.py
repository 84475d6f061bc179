"""Front matter: optional, local, and read as text, so that no value changes its type behind the author's back.

YAML turns `no` into false, `2019` into a number and a date into an object; here every scalar is the text that the
author wrote, or None (REAL_BOOKS rules 4 and 5).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import yaml
from frontmatter.default_handlers import YAMLHandler

MAX_NODES = 20_000
"""More values than any real page has; a few lines of aliases can stand for billions."""

_HANDLER = YAMLHandler()
_FIRST_KEY = re.compile(r"\s*(?:#[^\n]*\n\s*)*(?:[\w\"'-][^\n:]*:(?:\s|$))")
_NULLS = ("", "~", "null", "Null", "NULL")
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The mapping at the top of a page and what was odd about it.

    `lines` gives the file line of each top-level key; `body_offset` is the number of lines before `body`.
    `problems` are (line, rule, message).
    """

    values: Mapping[str, Any]
    lines: Mapping[str, int]
    body: str
    body_offset: int
    problems: tuple[tuple[int, str, str], ...] = ()


class _Refused(Exception):
    """The mapping cannot be used; carries the line and the reason."""

    def __init__(self, line: int, reason: str) -> None:
        self.line, self.reason = line, reason
        super().__init__(reason)


def split_front_matter(text: str) -> FrontMatter:
    """The page's front matter and body. Never raises: what cannot be used is a problem, and no text is lost."""
    if not _HANDLER.detect(text):
        return FrontMatter({}, {}, text, 0)
    try:
        block, body = _HANDLER.split(text)
    except ValueError:
        return _prose(text, "opens with `---` that is never closed; read as text")
    offset = text.count("\n", 0, len(text) - len(body))
    if not block.strip():
        return FrontMatter({}, {}, body, offset)
    first_line = 1 + text.count("\n", 0, text.index(block))
    reader = _Reader(first_line)
    try:
        root = yaml.compose(block, Loader=_LOADER)
        values = reader.mapping(root) if isinstance(root, yaml.MappingNode) else {}
    except _Refused as error:
        return FrontMatter({}, {}, body, offset, ((error.line, "front-matter-yaml", error.reason),))
    except (yaml.YAMLError, RecursionError, UnicodeError) as error:
        if not _FIRST_KEY.match(block):
            return _prose(text, "opens with a `---` rule; read as text, not as front matter")
        return FrontMatter({}, {}, body, offset, (_yaml_problem(error, first_line),))
    if root is not None and not isinstance(root, yaml.MappingNode):
        if isinstance(root, yaml.ScalarNode):
            return _prose(text, "opens with a `---` rule; read as text, not as front matter")
        problem = (first_line, "front-matter-mapping", "front matter is a list, not `key: value` lines; ignored")
        return FrontMatter({}, {}, body, offset, (problem,))
    lines = MappingProxyType(reader.lines)
    return FrontMatter(MappingProxyType(values), lines, body, offset, tuple(reader.problems))


def _prose(text: str, message: str) -> FrontMatter:
    return FrontMatter({}, {}, text, 0, ((1, "front-matter-unclosed", message),))


def _yaml_problem(error: Exception, first_line: int) -> tuple[int, str, str]:
    mark = getattr(error, "problem_mark", None)
    cause = getattr(error, "problem", None) or str(error).splitlines()[0]
    line = mark.line + first_line if mark else first_line
    return line, "front-matter-yaml", f"front matter is not valid YAML ({cause}); its keys are ignored"


@dataclass(slots=True)
class _Reader:
    """Turns YAML nodes into text, lists and mappings; notes key lines and repeated keys."""

    first_line: int
    lines: dict[str, int] = field(default_factory=dict)
    problems: list[tuple[int, str, str]] = field(default_factory=list)
    _nodes: int = 0
    _depth: int = 0

    def mapping(self, node: yaml.MappingNode) -> dict[str, Any]:
        values: dict[str, Any] = {}
        own: set[str] = set()
        for key_node, value_node in node.value:
            line = self.first_line + key_node.start_mark.line
            key = str(self._value(key_node))
            if key == "<<" and isinstance(value_node, yaml.MappingNode):
                values = self._nested(value_node) | values
                continue
            if key in own:
                self.problems.append((line, "front-matter-duplicate-key", f"key `{key}` twice; the last one counts"))
            own.add(key)
            if self._depth == 0:
                self.lines[key] = line
            values[key] = self._value(value_node)
        return values

    def _nested(self, node: yaml.MappingNode) -> dict[str, Any]:
        self._depth += 1
        values = self.mapping(node)
        self._depth -= 1
        return values

    def _value(self, node: yaml.Node) -> Any:
        self._nodes += 1
        if self._nodes > MAX_NODES or self._depth > 100:
            line = self.first_line + node.start_mark.line
            raise _Refused(line, f"front matter stands for more than {MAX_NODES} values or never ends; ignored")
        if isinstance(node, yaml.ScalarNode):
            return None if not node.style and node.value in _NULLS else node.value
        self._depth += 1
        try:
            if isinstance(node, yaml.SequenceNode):
                return [self._value(item) for item in node.value]
            return self.mapping(node) if isinstance(node, yaml.MappingNode) else None
        finally:
            self._depth -= 1
