"""The forms of front matter, each a handler of python-frontmatter: how it opens, where it ends, what its text says.

The library's own handlers give typed values (`no` becomes false), drop lines, keep the last of two equal keys without
a word, and take metadata that is never closed for text; these keep text, the line of each key, and say what is wrong.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from frontmatter.default_handlers import BaseHandler

from ingestion.bounded_toml import read_toml
from ingestion.source.metadata.plain_yaml import YamlProblem, read_yaml


class NeverClosed(ValueError):
    """Metadata that opens and does not end; `text` is all that follows its mark."""

    def __init__(self, text: str) -> None:
        self.text = text
        super().__init__("never closed")


@dataclass(slots=True)
class Read:
    """What a block says; lines count from 1 within the block."""

    value: Any
    lines: Mapping[str, int] = field(default_factory=dict)
    repeated: list[tuple[int, str]] = field(default_factory=list)


class Form(BaseHandler):
    """Metadata between a line with a mark and another one, read by `read`; `name` is that of its language."""

    lines_before = 1
    """Lines from the one that opens it to the first of its text."""

    def __init__(
        self, mark: str, name: str, read: Callable[[str], Read], *, opening: str = "", closing: str = ""
    ) -> None:
        self.mark, self.name, self._read = mark, name, read
        super().__init__(re.compile(rf"(?:{opening or re.escape(mark)})[ \t]*(?:\n|\Z)", re.I), mark, mark)
        self._closing = re.compile(rf"^(?:{closing or re.escape(mark)})[ \t]*$", re.M)

    def split(self, text: str) -> tuple[str, str]:
        """Return the metadata's text and the body; raises NeverClosed."""
        assert self.FM_BOUNDARY is not None
        opening = self.FM_BOUNDARY.match(text)
        assert opening is not None
        closing = self._closing.search(text, opening.end())
        if closing is None:
            raise NeverClosed(text[opening.end() :])
        return text[opening.end() : closing.start()], text[closing.end() :]

    def load(self, fm: str) -> Any:
        """Return what the text says, as Read; raises YamlProblem, whatever the language."""
        return self._read(fm)


class BareJson(Form):
    """JSON without a mark, as Hugo reads it; a `{` before anything but a key is text, or MDX."""

    lines_before = 0

    def __init__(self) -> None:
        super().__init__("{", "JSON", _json)
        self.FM_BOUNDARY = re.compile(r'\{\s*"[^"\n]*"\s*:')

    def split(self, text: str) -> tuple[str, str]:
        """Return the object's text and the body; raises YamlProblem."""
        try:
            _, end = json.JSONDecoder().raw_decode(text)
        except (ValueError, RecursionError) as error:
            line = error.lineno if isinstance(error, json.JSONDecodeError) else 1
            raise YamlProblem(line, _cause(error)) from error
        return text[:end], text[end:]


def _yaml(text: str) -> Read:
    read = read_yaml(text)
    return Read(read.value, read.lines, read.repeated)


def _toml(text: str) -> Read:
    try:
        value = _plain(read_toml(text, parse_float=str))
    except (ValueError, RecursionError) as error:
        at = re.search(r"at line (\d+)", str(error))
        raise YamlProblem(int(at[1]) if at else 1, _cause(error)) from error
    table = re.search(r"^[ \t]*\[", text, re.M)
    return Read(
        value, _key_lines(text[: table.start() if table else len(text)], r"^[ \t]*[\"']?([\w-]+)[\"']?[ \t]*=")
    )


def _json(text: str) -> Read:
    repeated: list[str] = []

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        repeated.extend(key for key, count in Counter(key for key, _ in items).items() if count > 1)
        return dict(items)

    source = text if text.lstrip().startswith("{") else "{" + text + "}"
    try:
        value = json.loads(source, parse_int=str, parse_float=str, object_pairs_hook=pairs)
    except (ValueError, RecursionError) as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else 1
        raise YamlProblem(line, _cause(error)) from error
    lines = _key_lines(text, r"[\"]([^\"\n]+)\"[ \t]*:")
    return Read(_plain(value), lines, [(lines.get(key, 1), key) for key in repeated])


def _plain(value: Any) -> Any:
    """Numbers, dates and booleans as text; nothing stays None."""
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if value is None or isinstance(value, str) else str(value)


def _key_lines(text: str, pattern: str) -> dict[str, int]:
    lines: dict[str, int] = {}
    for number, line in enumerate(text.split("\n"), 1):
        for found in re.finditer(pattern, line):
            lines.setdefault(found[1], number)
    return lines


def _cause(error: Exception) -> str:
    return getattr(error, "msg", None) or str(error).split(" (at ")[0] or "nested too deeply"


_DASHES = r"---|\.\.\."
FORMS: tuple[Form, ...] = (
    Form("---", "YAML", _yaml, opening=r"---[ \t]*(?:ya?ml)?", closing=_DASHES),
    Form("---", "JSON", _json, opening=r"---[ \t]*json", closing=_DASHES),
    Form("---", "TOML", _toml, opening=r"---[ \t]*toml", closing=_DASHES),
    Form("+++", "TOML", _toml),
    Form(";;;", "JSON", _json),
    Form("----", "YAML", _yaml, opening="-{4,}", closing="-{3,}"),
    BareJson(),
)
"""The forms that site generators read; `----` is none of them, and reported."""
