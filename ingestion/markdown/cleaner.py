"""Cleans markdown for embedding: what only a browser or a build needs goes, every word a reader sees stays."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ingestion.markdown.blocks import Block, Page
from ingestion.markdown.tags import TagReader


class Edit(NamedTuple):
    """A stretch of the page that is replaced in the embedded text, and the rule that says so."""

    start: int
    end: int
    replacement: str
    rule: str


_INVISIBLE = re.compile(
    r"[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]"
    r"(?<!(?:[\u2600-\u27bf\ufe0f]|[\U0001f000-\U0001faff])\u200d)"  # which joins emoji
)

_DATA_URI = re.compile(r"data:[\w.+-]+/[\w.+-]+(?:;[\w.+=-]+)*+,[A-Za-z0-9+/=%_.~-]{40,}+")
_TARGET = (
    r"\(\s*+(?:<[^<>\n]*+>|[^\s()<>]*+(?:\([^\s()]*+\)[^\s()<>]*+)*+)"
    r"(?:\s++(?:\"[^\"]{0,500}+\"|'[^']{0,500}+'|\([^()]{0,500}+\)))?\s*+\)"
)
_WORDS = r"(?:[^\[\]\\\n]|\\.|\n(?!\s*\n)|\[[^\[\]\n]*+\]{nested})*+"
_LINK_END = rf"\](?:{_TARGET}|\[[^\[\]\n]*+\])"
_INLINE_KINDS = (
    ("`", "code", r"[^`\n]++`|`(?!`)[^\n]{1,1000}?``(?!`)|``[^\n]{1,1000}?```"),
    ("<", "comment", r"!--"),
    ("<", "tag", r"(?=[A-Za-z/>])"),
    ("{", "remark", r"/\*"),
    ("{", "shortcode", r"\{[<%]"),
    ("{", "id", r"#[\w.:-]+\}"),
    ("!", "image", rf"\[(?P<alt>{_WORDS.format(nested='')}){_LINK_END}"),
    ("[", "admonition", r"![A-Za-z]++\][+-]?"),
    ("[", "link", rf"(?P<words>{_WORDS.format(nested=f'(?:{_TARGET})?+')}){_LINK_END}"),
    ("[", "double", r"\[[\w.-]++\]\](?=\s*(?:\n|\Z))"),
    ("\\", "escape", r"[`<{!\[\\]"),
)
"""What may follow a character that begins something inside a line; the first that fits is taken."""

_INLINE = re.compile(
    r"[`<{!\[\\](?:"
    + "|".join(rf"(?<={re.escape(first)})(?P<{kind}>{rest})" for first, kind, rest in _INLINE_KINDS)
    + ")"
)
_DIRECTIVE = re.compile(
    r"[ \t>]*(?P<marks>:{3,}[ \t]*)(?P<type>[\w-]+)(?:\[(?P<label>[^\n]*)\]|[ \t]+(?P<title>[^\n{]*[^\s{]))?"
    r"(?P<attributes>[ \t]*(?:\{[^\n]*\})?)"
)
_SHORTCODE_TITLE = re.compile(r"title=\"([^\"]*)\"")
_DROPPED_BLOCKS = {"comment": "comment", "import": "import", "reference": "link-reference"}
_TAG_LINE = re.compile(r"\s*</?[A-Za-z]")
_LEADING_BLANK_LINES = re.compile(r"\A(?:[ \t]*\n)+")
_NOTHING = " \t\n\r\f\v!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"


def find_edits(page: Page, blocks: Sequence[Block]) -> list[Edit]:
    """Everything the embedded text of a page lacks or has otherwise, in order and without overlap.

    `blocks` are all blocks, with those inside others. Code stays as it is. Link texts and image descriptions stay
    and their addresses go; so do imports, exports, comments, tags, heading ids, shortcodes, data URIs, link
    references and characters nobody sees. The type and title of an admonition stay as words.
    """
    text = page.text
    inline = _Inline(text)
    at = 0
    for block in blocks:
        rule = _DROPPED_BLOCKS.get(block.kind)
        if rule or block.kind == "fence" or (block.kind == "code" and not _TAG_LINE.match(page.lines[block.start])):
            start, end = page.span(block)
            if at < start:
                inline.read(at, start)
            if rule:
                inline.edits.append(Edit(start, end, "", rule))
            at = end
    inline.read(at, len(text))
    marks = [edit for block in blocks if block.kind == "directive" for edit in _directive_edits(page, block)]
    return _with_hidden(text, _merge(inline.edits, marks))


def clean(text: str, start: int, end: int, edits: Sequence[Edit]) -> str:
    """The text from `start` to `end` with the edits that touch it; empty if no more than punctuation remains."""
    body = _LEADING_BLANK_LINES.sub("", _apply(text, start, end, edits).rstrip())
    return body if body.strip(_NOTHING) else ""


def clean_inline(text: str) -> str:
    """One heading or line of text, cleaned."""
    inline = _Inline(text)
    inline.read(0, len(text))
    edits = _with_hidden(text, inline.edits)
    return _apply(text, 0, len(text), edits) if edits else text


def _apply(text: str, start: int, end: int, edits: Sequence[Edit]) -> str:
    parts: list[str] = []
    at = start
    for number in range(bisect_right(edits, start, key=lambda edit: edit.end), len(edits)):
        edit = edits[number]
        if edit.start >= end:
            break
        parts.append(text[at : max(edit.start, at)])
        if edit.start >= start:
            parts.append(edit.replacement)
        at = min(edit.end, end)
    parts.append(text[at:end])
    return "".join(parts)


class _Inline:
    """Finds the edits inside the lines of text of a page."""

    def __init__(self, text: str) -> None:
        self.edits: list[Edit] = []
        self._text = text
        self._tags = TagReader(text)
        self._paragraph_end = -1
        self._hopeless: set[str] = set()

    def read(self, start: int, end: int) -> None:
        """Add the edits between two offsets."""
        at = start
        while found := _INLINE.search(self._text, at, end):
            at = self._take(found, found.lastgroup or "", end)

    def _take(self, found: re.Match[str], kind: str, end: int) -> int:
        """Add what one match asks for; where to read on."""
        start, stop, replacement = found.start(), found.end(), ""
        if kind in ("code", "escape"):
            return stop
        if kind in ("image", "link"):
            words = "alt" if kind == "image" else "words"
            self.edits.append(Edit(start, found.start(words), "", f"{kind}-address"))
            self.read(found.start(words), found.end(words))
            self.edits.append(Edit(found.end(words), stop, "", f"{kind}-address"))
            return stop
        if kind == "tag":
            tag = self._tags.read(start, end)
            if tag is None:
                return stop
            stop, replacement = tag
            if self._text[start - 1 : start].strip() == "" or self._text[stop : stop + 1].strip() == "":
                replacement = ""
        elif kind in _CLOSINGS:
            closed = self._find_in_paragraph(_CLOSINGS[kind], stop, end)
            if closed < 0:
                return stop
            stop = closed
            title = _SHORTCODE_TITLE.search(self._text, start, stop) if kind == "shortcode" else None
            replacement = f"{title[1]}: " if title else ""
        elif kind == "admonition":
            replacement = found[0].strip("[!]+-").capitalize() + ":"
        self.edits.append(Edit(start, stop, replacement, _RULES.get(kind, kind)))
        return stop

    def _find_in_paragraph(self, closing: str, at: int, end: int) -> int:
        """Where `closing` ends, before the next blank line, or -1. What a paragraph lacks is looked for only once."""
        if at > self._paragraph_end:
            blank = self._text.find("\n\n", at)
            self._paragraph_end = blank if blank >= 0 else len(self._text)
            self._hopeless.clear()
        if closing in self._hopeless:
            return -1
        found = self._text.find(closing, at, min(self._paragraph_end, end))
        if found < 0:
            self._hopeless.add(closing)
            return -1
        return found + len(closing)


_CLOSINGS = {"comment": "-->", "remark": "*/}", "shortcode": "}}"}
_RULES = {"remark": "comment", "admonition": "admonition-mark", "id": "heading-id", "double": "heading-id"}


def _directive_edits(page: Page, block: Block) -> Iterator[Edit]:
    start = page.starts[block.start]
    found = _DIRECTIVE.match(page.text, start)
    if found:
        words = found["type"] + (f": {title}" if (title := found["label"] or found["title"]) else "")
        yield Edit(found.start("marks"), found.end(), words, "admonition-mark")
    last = page.starts[block.end - 1]
    yield Edit(page.text.index(":::", last), page.starts[block.end], "", "admonition-mark")


def _with_hidden(text: str, edits: list[Edit]) -> list[Edit]:
    """The edits, with data URIs and characters nobody sees outside of them."""
    hidden: list[Edit] = []
    if "data:" in text:
        hidden += (Edit(found.start(), found.end(), "", "data-uri") for found in _DATA_URI.finditer(text))
    if not text.isascii():
        hidden += (Edit(found.start(), found.end(), "", "zero-width") for found in _INVISIBLE.finditer(text))
    return _merge(hidden, edits)


def _merge(edits: list[Edit], stronger: list[Edit]) -> list[Edit]:
    """Both, in order; where two overlap, the stronger stays."""
    if not edits or not stronger:
        return edits or stronger
    starts = [edit.start for edit in stronger]
    kept = [*stronger]
    for edit in edits:
        at = bisect_left(starts, edit.end) - 1
        if at < 0 or stronger[at].end <= edit.start:
            kept.append(edit)
    return sorted(kept)
