"""Front matter: the metadata at the top of a page, in every form that site generators read, kept as text.

`---` and `---yaml` open YAML, `+++` and `---toml` TOML, `;;;`, `---json` and a bare `{` JSON; MultiMarkdown has
`key: value` lines without a mark. A page without any is all text. Metadata that is there but cannot be read raises:
it may be what keeps the page from readers who must not see it.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ingestion.bounded_toml import read_toml
from ingestion.source.metadata_keys import KNOWN_KEYS
from ingestion.source.plain_yaml import MAX_CHARACTERS, YamlProblem, has_odd_breaks, has_odd_escapes, read_yaml

Problem = tuple[int, str, str]
"""Line, rule and message."""


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The metadata of a page and what was odd about it.

    `lines` gives the file line of each top-level key; `body_offset` is the number of lines before `body`.
    `repeated` are top-level keys that stand there twice. `published_until` is when the site stops to show the page,
    in UTC as ISO 8601, empty where it does not.
    """

    values: Mapping[str, Any]
    lines: Mapping[str, int]
    body: str
    body_offset: int
    problems: tuple[Problem, ...] = ()
    repeated: frozenset[str] = frozenset()
    published_until: str = ""


class UnreadableMetadata(Exception):
    """Metadata that is there and cannot be read; `line` counts from 1 in the file."""

    def __init__(self, line: int, reason: str) -> None:
        self.line, self.reason = line, reason
        super().__init__(reason)


@dataclass(slots=True)
class _Read:
    """What a block says; lines count from 1 within the block."""

    value: Any
    lines: Mapping[str, int] = field(default_factory=dict)
    repeated: list[tuple[int, str]] = field(default_factory=list)


_OPENING = re.compile(
    r"(?:(?P<long>-{4,})|(?P<dashes>---)[ \t]*(?P<language>[A-Za-z]*)|(?P<plus>\+\+\+)|(?P<json>;;;))[ \t]*(?:\n|\Z)"
)
_CLOSING = {
    "---": re.compile(r"^(?:---|\.\.\.)[ \t]*$", re.M),
    "+++": re.compile(r"^\+\+\+[ \t]*$", re.M),
    ";;;": re.compile(r"^;;;[ \t]*$", re.M),
    "----": re.compile(r"^-{3,}[ \t]*$", re.M),
}
_LANGUAGES = {"": "yaml", "yaml": "yaml", "yml": "yaml", "json": "json", "toml": "toml"}
_BARE_JSON = re.compile(r'\{\s*"[^"\n]*"\s*:')
_REMARKS = r"(?:[ \t]*+(?:#[^\n]*)?\n)*+[ \t]*+"
_KEY = re.compile(_REMARKS + r"""(?:- +)?(?:\{|["']?\w[\w .-]{0,100}["']?[ \t]*(?::(?:\s|$)|=)|&\w+ |<<:|\? )""")
_BLANK = r"[ \t\u00a0\u3000\u200b-\u200f\u2060\ufeff]"
_BEFORE = re.compile(
    rf"(?:{_BLANK}*+\n|{_BLANK}*+(?:<!--.*?-->|\{{/\*.*?\*/\}}){_BLANK}*+\n?|{_BLANK}++(?=[-+;{{]))+", re.S
)
_ODD_PLACE = "front matter must begin on line 1; most site generators show this one as text"
_ODD_MARK = "front matter opens with three hyphens, not more; site generators show this one as text"
_KNOWN_LINE = re.compile(rf"^[\"']?(?:{'|'.join(KNOWN_KEYS)})[\"']?[ \t]*[:=]", re.M)
_META_LINE = re.compile(r" {0,3}(?P<key>[A-Za-z0-9_-]+):[ \t]*(?P<value>.*)")
_MORE_LINE = re.compile(r"(?: {4}|\t)\s*(?P<value>.*)")


def split_front_matter(text: str) -> FrontMatter:
    """Split a page into metadata and body, in the forms that most generators read.

    No text is lost: what is not metadata stays in the body. Raises UnreadableMetadata where metadata is there (an
    opening mark, then a line that begins like `key:`) and cannot be read.
    """
    start = before.end() if (before := _BEFORE.match(text)) else 0
    block = _find_block(text, start) or (_bare_json(text, start) if text.startswith("{", start) else None)
    if block is None:
        return FrontMatter({}, {}, text, 0)
    message = _ODD_MARK if block.mark == "----" else _ODD_PLACE if start else ""
    is_text = block.mark == "----" and (block.body is None or "\n\n" in block.text)  # between two rules, say
    if message and (is_text or not _KNOWN_LINE.search(block.text)):
        return FrontMatter({}, {}, text, 0)
    if block.body is None:
        if _KEY.match(block.text):
            raise UnreadableMetadata(block.opened, f"front matter opens with `{block.mark}` and is never closed")
        return _prose(text)
    front = _front_of(text, block)
    if not message or not front.values:
        return front
    problems = ((block.opened, "front-matter-place", message), *front.problems)
    return FrontMatter(front.values, front.lines, front.body, front.body_offset, problems, front.repeated)


@dataclass(frozen=True, slots=True)
class _Block:
    """A block of metadata: its text from line `first` on, and where the body begins (None: never closed)."""

    mark: str
    language: str
    opened: int
    first: int
    text: str
    body: int | None


def _find_block(text: str, start: int) -> _Block | None:
    opening = _OPENING.match(text, start)
    if not opening:
        return None
    mark = opening["dashes"] or opening["plus"] or opening["json"] or "----"
    named = (opening["language"] or "").lower()
    language = {"+++": "toml", ";;;": "json"}.get(mark) or _LANGUAGES.get(named)
    if language is None:
        return None
    opened = 1 + text.count("\n", 0, start)
    closing = _CLOSING[mark].search(text, opening.end())
    inner = text[opening.end() : closing.start() if closing else len(text)]
    return _Block(mark, language, opened, opened + 1, inner, closing.end() if closing else None)


def _bare_json(text: str, start: int) -> _Block | None:
    """JSON without a mark, as Hugo reads it; a `{` before anything but a key is text, or MDX."""
    if not _BARE_JSON.match(text, start):
        return None
    opened = 1 + text.count("\n", 0, start)
    try:
        _, end = json.JSONDecoder().raw_decode(text, start)
    except (ValueError, RecursionError) as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else opened
        raise UnreadableMetadata(line, f"front matter is not valid JSON ({_cause(error)})") from error
    return _Block("{", "json", opened, opened, text[start:end], end)


def _front_of(text: str, block: _Block) -> FrontMatter:
    body = text[block.body :]
    offset = text.count("\n", 0, block.body)
    if not block.text.strip():
        return FrontMatter({}, {}, body, offset)
    try:
        if len(block.text) > MAX_CHARACTERS:
            raise YamlProblem(1, f"it has more than {MAX_CHARACTERS:,} characters")
        read = _READERS[block.language](block.text)
    except YamlProblem as error:
        if not _KEY.match(block.text):
            return _prose(text)
        hint = "; put the value in quotes" if "mapping values" in error.reason else ""
        reason = f"front matter is not valid {_NAMES[block.language]} ({error.reason}){hint}"
        raise UnreadableMetadata(block.first + error.line - 1, reason) from error
    if read.value is None:
        return FrontMatter({}, {}, body, offset)
    if not isinstance(read.value, dict):
        if isinstance(read.value, list) and any(isinstance(item, dict) for item in read.value):
            raise UnreadableMetadata(block.first, "front matter is a list, not `key: value` lines")
        return _prose(text) if isinstance(read.value, str) else _list(block, body, offset)
    shift = block.first - 1
    return FrontMatter(
        values=read.value,
        lines={key: line + shift for key, line in read.lines.items()},
        body=body,
        body_offset=offset,
        problems=tuple(_problems(block, read)),
        repeated=frozenset(key for _, key in read.repeated),
    )


def _problems(block: _Block, read: _Read) -> Iterator[Problem]:
    for line, key in read.repeated:
        message = f"key `{key}` twice; the last one counts"
        yield line + block.first - 1, "front-matter-duplicate-key", message
    if block.language == "yaml" and has_odd_escapes(block.text):
        message = (
            "escapes of half characters (`\\ud83d\\ude80`) are read by JavaScript generators only; write the sign"
        )
        yield block.opened, "front-matter-escape", message
    if has_odd_breaks(block.text):
        message = "holds U+0085, U+2028 or U+2029, which some generators read as the end of a line; use a blank"
        yield block.opened, "front-matter-break", message


def _list(block: _Block, body: str, offset: int) -> FrontMatter:
    problem = (block.opened, "front-matter-mapping", "front matter is a list, not `key: value` lines; ignored")
    return FrontMatter({}, {}, body, offset, (problem,))


def _prose(text: str) -> FrontMatter:
    message = "opens with a rule, which is read as text, not as front matter"
    return FrontMatter({}, {}, text, 0, ((1, "front-matter-unclosed", message),))


def multimarkdown(text: str) -> FrontMatter:
    """Split off `key: value` lines up to the first blank line, as MultiMarkdown has them."""
    values: dict[str, list[str]] = {}
    lines: dict[str, int] = {}
    key, end, position = "", 0, 0
    for number, line in enumerate(text.split("\n"), 1):
        position += len(line) + 1
        if not line.strip():
            break
        if found := _META_LINE.match(line):
            key = found["key"].lower()
            lines.setdefault(key, number)
            values.setdefault(key, []).append(found["value"].strip())
        elif key and (more := _MORE_LINE.match(line)):
            values[key].append(more["value"].strip())
        else:
            break
        end = min(position, len(text))
    joined = {key: " ".join(filter(None, parts)) for key, parts in values.items()}
    return FrontMatter(joined, lines, text[end:], text.count("\n", 0, end))


def _yaml(text: str) -> _Read:
    read = read_yaml(text)
    return _Read(read.value, read.lines, read.repeated)


def _toml(text: str) -> _Read:
    try:
        value = _plain(read_toml(text, parse_float=str))
    except (ValueError, RecursionError) as error:
        at = re.search(r"at line (\d+)", str(error))
        raise YamlProblem(int(at[1]) if at else 1, _cause(error)) from error
    table = re.search(r"^[ \t]*\[", text, re.M)
    return _Read(
        value, _key_lines(text[: table.start() if table else len(text)], r"^[ \t]*[\"']?([\w-]+)[\"']?[ \t]*=")
    )


def _json(text: str) -> _Read:
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
    return _Read(_plain(value), lines, [(lines.get(key, 1), key) for key in repeated])


_READERS = {"yaml": _yaml, "toml": _toml, "json": _json}
_NAMES = {"yaml": "YAML", "toml": "TOML", "json": "JSON"}


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
