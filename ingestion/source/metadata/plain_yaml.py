"""Read YAML as text: every scalar is what the author wrote, or None, and no tag makes an object.

YAML turns `no` into false, `2019` into a number and a date into an object; a value must not change its type behind
the author's back.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import yaml

MAX_NODES = 20_000
"""More values than any real page has; a few lines of aliases can stand for billions."""

MAX_DEPTH = 100
MAX_CHARACTERS = 256 << 10
"""Of all values and keys together, with what aliases stand for; real pages have some thousands."""

TAGGED = "!"
"""The key of what a mapping's tag calls in Python (`!!python/object/apply:name`); such a tag alone is its name."""

_NULLS = ("", "~", "null", "Null", "NULL")

_SURROGATES = re.compile(r"\\u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})|\\ud[89a-f][0-9a-f]{2}", re.I)
_OTHER_BREAKS = "\u0085\u2028\u2029"


class YamlProblem(Exception):
    """YAML that cannot be read; `line` counts from 1 within the text."""

    def __init__(self, line: int, reason: str) -> None:
        self.line, self.reason = line, reason
        super().__init__(reason)


@dataclass(slots=True)
class PlainYaml:
    """What a YAML text says: `value` as text, lists and mappings.

    `lines` gives the line of each top-level key and `repeated` the keys that a mapping has twice, with their line.
    """

    value: Any = None
    lines: dict[str, int] = field(default_factory=dict)
    repeated: list[tuple[int, str]] = field(default_factory=list)
    _nodes: int = 0
    _characters: int = 0
    _depth: int = 0

    def read(self, root: Any) -> None:
        """Take the value of the root node of a document, None where it is empty."""
        self.value = None if root is None else self._value(root)

    def _mapping(self, node: Any) -> dict[str, Any]:
        values: dict[str, Any] = {}
        own: set[str] = set()
        for key_node, value_node in node.value:
            line = 1 + key_node.start_mark.line
            key = str(self._value(key_node))
            if key == "<<" and value_node.id == "mapping":
                values = self._value(value_node) | values
                continue
            if key in own:
                self.repeated.append((line, key))
            own.add(key)
            if self._depth == 1:
                self.lines[key] = line
            values[key] = self._value(value_node)
        return values

    def _value(self, node: Any) -> Any:
        self._nodes += 1
        if self._nodes > MAX_NODES or self._depth > MAX_DEPTH:
            raise YamlProblem(1 + node.start_mark.line, f"it stands for more than {MAX_NODES} values or never ends")
        if node.id == "scalar":
            return self._scalar(node)
        self._depth += 1
        if node.id == "sequence":
            value: Any = [self._value(item) for item in node.value]
        else:
            value = self._mapping(node) | ({TAGGED: name} if (name := _called(node)) else {})
        self._depth -= 1
        return value

    def _scalar(self, node: Any) -> str | None:
        self._characters += len(node.value)
        if self._characters > MAX_CHARACTERS:
            raise YamlProblem(1 + node.start_mark.line, f"it stands for more than {MAX_CHARACTERS:,} characters")
        return _called(node) or None if not node.style and node.value in _NULLS else str(node.value)


def _called(node: Any) -> str:
    """Return the name in a tag such as `!!python/name:package.function`, which nothing calls."""
    return str(node.tag.partition(":python/")[2].partition(":")[2]) if node.tag else ""


def read_yaml(text: str) -> PlainYaml:
    """Read a YAML document; raises YamlProblem with the line where it is not one."""
    # Imported late: a run with nothing to do reads no metadata.
    import yaml

    read = PlainYaml()
    try:
        read.read(yaml.compose(_as_generators_read(text), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise YamlProblem(1 + mark.line if mark else 1, str(error.problem or error.context)) from error
    except yaml.reader.ReaderError as error:
        raise YamlProblem(_line_of(text, error), "it holds a control character") from error
    except (yaml.YAMLError, RecursionError, UnicodeError, ValueError) as error:
        raise YamlProblem(1, str(error).splitlines()[0] if str(error) else type(error).__name__) from error
    return read


def has_odd_escapes(text: str) -> bool:
    """Return whether the text has escapes of half characters, which only generators in JavaScript read."""
    return _SURROGATES.search(text) is not None


def has_odd_breaks(text: str) -> bool:
    """Return whether the text has U+0085, U+2028 or U+2029, which YAML 1.1 takes for line ends and 1.2 does not."""
    return any(each in text for each in _OTHER_BREAKS)


def _as_generators_read(text: str) -> str:
    """Join surrogate escapes and keep other line breaks inside of their line, as YAML readers in JavaScript do."""
    if "\\u" in text:
        text = _SURROGATES.sub(_joined, text)
    return text.translate(dict.fromkeys(map(ord, _OTHER_BREAKS), " ")) if has_odd_breaks(text) else text


def _joined(pair: re.Match[str]) -> str:
    if not pair[1]:
        return "\\uFFFD"
    high, low = int(pair[1], 16), int(pair[2], 16)
    return f"\\U{0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00):08X}"


def _line_of(text: str, error: yaml.reader.ReaderError) -> int:
    return 1 + text.count("\n", 0, error.position if isinstance(error.position, int) else 0)
