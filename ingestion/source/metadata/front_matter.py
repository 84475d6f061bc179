"""Front matter: the metadata at the top of a page, in every form that site generators read, kept as text.

`---` and `---yaml` open YAML, `+++` and `---toml` TOML, `;;;`, `---json` and a bare `{` JSON; MultiMarkdown has
`key: value` lines without a mark. A page without any is all text. Metadata that is there but cannot be read raises:
it may be what keeps the page from readers who must not see it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from ingestion.source.metadata.keys import KNOWN_KEYS
from ingestion.source.metadata.plain_yaml import MAX_CHARACTERS, YamlProblem, has_odd_breaks, has_odd_escapes

if TYPE_CHECKING:
    from ingestion.source.metadata.front_matter_forms import Form, Read

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


_REMARKS = r"(?:[ \t]*+(?:#[^\n]*)?\n)*+[ \t]*+"
_KEY = re.compile(_REMARKS + r"""(?:- +)?(?:\{|["']?\w[\w .-]{0,100}["']?[ \t]*(?::(?:\s|$)|=)|&\w+ |<<:|\? )""")
_BLANK = r"[ \t\u00a0\u3000\u200b-\u200f\u2060\ufeff]"
_BEFORE = re.compile(
    rf"(?:{_BLANK}*+\n|{_BLANK}*+(?:<!--.*?-->|\{{/\*.*?\*/\}}){_BLANK}*+\n?|{_BLANK}++(?=[-+;{{]))+", re.S
)
_ODD_PLACE = "front matter must begin on line 1; most site generators show this one as text"
_ODD_MARK = "front matter opens with three hyphens, not more; site generators show this one as text"


def split_front_matter(text: str) -> FrontMatter:
    """Split a page into metadata and body, in the forms that most generators read.

    No text is lost: what is not metadata stays in the body. Raises UnreadableMetadata where metadata is there (an
    opening mark, then a line that begins like `key:`) and cannot be read.
    """
    from frontmatter import detect_format

    from ingestion.source.metadata.front_matter_forms import FORMS

    start = before.end() if (before := _BEFORE.match(text)) else 0
    form = cast("Form | None", detect_format(text[start:] if start else text, FORMS))
    if form is None:
        return FrontMatter({}, {}, text, 0)
    block = _block_of(text, start, form)
    message = _ODD_MARK if form.mark == "----" else _ODD_PLACE if start else ""
    if message and not _is_meant(block):
        return FrontMatter({}, {}, text, 0)
    front = _front_of(text, block)
    if not message or not front.values:
        return front
    problems = ((block.opened, "front-matter-place", message), *front.problems)
    return FrontMatter(front.values, front.lines, front.body, front.body_offset, problems, front.repeated)


def _is_meant(block: _Block) -> bool:
    """Return whether what no generator reads was meant as metadata, and is no text between two rules, say."""
    is_text = block.form.mark == "----" and (block.body is None or "\n\n" in block.text)
    pairs = (line.replace("=", ":").partition(":") for line in block.text.split("\n"))
    return not is_text and any(mark and key.rstrip().strip("\"'") in KNOWN_KEYS for key, mark, _ in pairs)


@dataclass(frozen=True, slots=True)
class _Block:
    """A block of metadata: its text from line `first` on, and where the body begins (None: never closed)."""

    form: Form
    opened: int
    first: int
    text: str
    body: int | None


def _block_of(text: str, start: int, form: Form) -> _Block:
    from ingestion.source.metadata.front_matter_forms import NeverClosed

    opened = 1 + text.count("\n", 0, start)
    first = opened + form.lines_before
    try:
        inner, body = form.split(text[start:] if start else text)
    except NeverClosed as error:
        return _Block(form, opened, first, error.text, None)
    except YamlProblem as error:
        reason = f"front matter is not valid {form.name} ({error.reason})"
        raise UnreadableMetadata(opened + error.line - 1, reason) from error
    return _Block(form, opened, first, inner, len(text) - len(body))


def _front_of(text: str, block: _Block) -> FrontMatter:
    if block.body is None and _KEY.match(block.text):
        raise UnreadableMetadata(block.opened, f"front matter opens with `{block.form.mark}` and is never closed")
    if block.body is None:
        return _prose(text)
    body = text[block.body :]
    offset = text.count("\n", 0, block.body)
    read = _read_block(block) if block.text.strip() else None
    if read is None or not isinstance(read.value, dict):
        return _without_mapping(text, block, read)
    shift = block.first - 1
    return FrontMatter(
        values=read.value,
        lines={key: line + shift for key, line in read.lines.items()},
        body=body,
        body_offset=offset,
        problems=tuple(_problems(block, read)),
        repeated=frozenset(key for _, key in read.repeated),
    )


def _read_block(block: _Block) -> Read:
    """Return what a block says; one that cannot be read, and has no key either, is the text that it is."""
    from ingestion.source.metadata.front_matter_forms import Read

    try:
        if len(block.text) > MAX_CHARACTERS:
            raise YamlProblem(1, f"it has more than {MAX_CHARACTERS:,} characters")
        return cast("Read", block.form.load(block.text))
    except YamlProblem as error:
        if not _KEY.match(block.text):
            return Read(block.text)
        hint = "; put the value in quotes" if "mapping values" in error.reason else ""
        reason = f"front matter is not valid {block.form.name} ({error.reason}){hint}"
        raise UnreadableMetadata(block.first + error.line - 1, reason) from error


def _without_mapping(text: str, block: _Block, read: Read | None) -> FrontMatter:
    """Return a page whose block holds nothing, prose, or a list, which is metadata where mappings are in it."""
    body, offset = text[block.body :], text.count("\n", 0, block.body)
    if read is None or read.value is None:
        return FrontMatter({}, {}, body, offset)
    if isinstance(read.value, str):
        return _prose(text)
    if isinstance(read.value, list) and any(isinstance(item, dict) for item in read.value):
        raise UnreadableMetadata(block.first, "front matter is a list, not `key: value` lines")
    return _list(block, body, offset)


def _problems(block: _Block, read: Read) -> Iterator[Problem]:
    for line, key in read.repeated:
        message = f"key `{key}` twice; the last one counts"
        yield line + block.first - 1, "front-matter-duplicate-key", message
    if block.form.name == "YAML" and has_odd_escapes(block.text):
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


def _is_key(name: str) -> bool:
    return name.isascii() and name.replace("-", "").replace("_", "").isalnum()


def multimarkdown(text: str) -> FrontMatter:
    """Split off `key: value` lines up to the first blank line, as MultiMarkdown has them."""
    values: dict[str, list[str]] = {}
    lines: dict[str, int] = {}
    key, end, position = "", 0, 0
    for number, line in enumerate(text.split("\n"), 1):
        position += len(line) + 1
        if not line.strip():
            break
        name, mark, value = line.partition(":")
        is_more = line.startswith(("    ", "\t"))
        if is_more and key:
            values[key].append(line.strip())
        elif not is_more and mark and _is_key(name.lstrip(" ")):
            key = name.lstrip(" ").lower()
            lines.setdefault(key, number)
            values.setdefault(key, []).append(value.strip())
        else:
            break
        end = min(position, len(text))
    joined = {key: " ".join(filter(None, parts)) for key, parts in values.items()}
    return FrontMatter(joined, lines, text[end:], text.count("\n", 0, end))
