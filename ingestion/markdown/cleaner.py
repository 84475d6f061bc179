"""Cleans markdown for embedding: what only a browser or a build needs goes, every word a reader sees stays."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from html import unescape
from html.entities import html5
from typing import NamedTuple

from ingestion.markdown.blocks import Block, Page
from ingestion.markdown.tags import TagReader
from ingestion.markdown.visible import (
    shortcode_words,
    shown_template_tag,
    tag_words,
)


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
_ATTRIBUTE = r"(?:[#.][\w:-]++|[\w:-]++=(?:\"[^\"\n]*+\"|'[^'\n]*+'|[^\s\"'{}]++))"
_MORE = rf"(?:[ \t]++{_ATTRIBUTE})*+[ \t]*+\}}(?!\}})"
_INLINE_KINDS = (
    ("`", "code", r"[^`\n]++`|`(?!`)[^\n]{1,1000}?``(?!`)|``[^\n]{1,1000}?```"),
    ("<", "comment", r"!--[ ]?-->"),
    ("<", "tag", r"(?=[A-Za-z/>])"),
    ("{", "shortcode", r"\{[<%]"),
    ("&", "entity", r"(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});"),
    ("{", "liquid", r"%(?!%)"),
    ("{", "extension", r":[:/]"),
    ("{", "id", r"#[\w.:-]+\}"),
    ("{", "attributes", rf":[ \t]*+(?:{_ATTRIBUTE}|[a-z_]++){_MORE}|(?<=[\])*_`]\{{)[ \t]*+{_ATTRIBUTE}{_MORE}"),
    ("!", "image", rf"\[(?P<alt>{_WORDS.format(nested='')}){_LINK_END}"),
    ("[", "admonition", r"![A-Za-z]++\][+-]?"),
    ("[", "link", rf"(?P<words>{_WORDS.format(nested=f'(?:{_TARGET})?+')}){_LINK_END}"),
    ("\\", "escape", r"[`<{!\[\\]"),
)
"""What may follow a character that begins something inside a line; the first that fits is taken."""

_INLINE = re.compile(
    r"[`<{!\[\\&](?:"
    + "|".join(rf"(?<={re.escape(first)})(?P<{kind}>{rest})" for first, kind, rest in _INLINE_KINDS)
    + ")"
)
_DIRECTIVE = re.compile(
    r"[ \t>]*(?P<marks>:{3,}[ \t]*)(?P<type>[\w-]+)(?:\[(?P<label>[^\n]*)\]|[ \t]+(?P<title>[^\n{]*[^\s{]))?"
    r"(?P<attributes>[ \t]*(?:\{[^\n]*\})?)"
)
_DROPPED_BLOCKS = {"comment": "comment", "reference": "link-reference"}
_TAG_LINE = re.compile(r"\s*</?[A-Za-z]")
_LEADING_BLANK_LINES = re.compile(r"\A(?:[ \t]*\n)+")
_ARABIC_FORMS = re.compile(r"[\ufb50-\ufdff\ufe70-\ufefc]+")
_HEADING_ID = re.compile(r"(?:\{:?[ \t]*[#.][^{}\n]*\}|(?<=[^\s\[])\[\[[\w.:-]+\]\])(?=[ \t]*#*[ \t]*\r?$)")
_TAIL = 400
"""How far from the end of a heading its id may begin."""

_NOTHING = " \t\n\r\f\v!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"


def find_edits(page: Page, blocks: Sequence[Block], props: Sequence[str] = ()) -> list[Edit]:
    """Return everything that the embedded text of a page lacks or has otherwise, in order and without overlap.

    `blocks` are all blocks, with those inside others. Code stays as it is. Link texts and image descriptions stay
    and their addresses go; so do imports, exports, comments, tags, scripts and styles, heading ids, shortcodes, data
    URIs, link references and characters nobody sees. The type and title of an admonition stay as words, and so do
    the words that tags and shortcodes show: labels of tabs, titles of cards, and what the attributes `props` hold.
    """
    text = page.text
    inline = _Inline(text, props)
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
    marks = [edit for block in blocks for edit in _block_edits(page, block)]
    return _with_hidden(text, _merge(inline.edits, marks))


def clean(text: str, start: int, end: int, edits: Sequence[Edit]) -> str:
    """Return the text from `start` to `end` with the edits that touch it; empty if only punctuation remains.

    Blanks at the ends of lines go: nobody sees them, and a change of them must embed nothing.
    """
    body = _LEADING_BLANK_LINES.sub("", _apply(text, start, end, edits).rstrip())
    if not body.strip(_NOTHING):
        return ""
    return "\n".join([line.rstrip(" \t\r") for line in body.split("\n")])


def searchable(text: str) -> str:
    """Return text as pages and questions are compared: without characters nobody sees, Arabic forms as letters."""
    if text.isascii():
        return text
    return _ARABIC_FORMS.sub(_plain_letters, _INVISIBLE.sub("", text))


def _plain_letters(found: re.Match[str]) -> str:
    return unicodedata.normalize("NFKC", found[0])


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

    def __init__(self, text: str, props: Sequence[str] = ()) -> None:
        self.edits: list[Edit] = []
        self._text = text
        self._props = props
        self._tags = TagReader(text)
        self._paragraph_end = -1
        self._hopeless: set[str] = set()

    def read(self, start: int, end: int) -> None:
        """Add the edits between two offsets."""
        at = start
        while found := _INLINE.search(self._text, at, end):
            at = self._take(found, found.lastgroup or "", end)

    def _take(self, found: re.Match[str], kind: str, end: int) -> int:
        """Add what one match asks for, and return where to read on."""
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
            stop, replacement = self._take_tag(start, *tag)
        elif kind == "entity":
            if not found[0].startswith("&#") and found[0][1:] not in html5:
                return stop
            replacement = searchable(unescape(found[0])).replace("\xa0", " ")
        elif kind in _CLOSINGS:
            closed = self._find_in_paragraph(_CLOSINGS[kind], stop, end)
            if closed < 0:
                return stop
            stop, replacement = closed, _template_words(self._text[start:closed], kind)
        elif kind == "admonition":
            replacement = found[0].strip("[!]+-").capitalize() + ":"
        self.edits.append(Edit(start, stop, replacement, _RULES.get(kind, kind)))
        return stop

    def _take_tag(self, start: int, stop: int, gap: str) -> tuple[int, str]:
        """Return where a tag ends and what takes its place."""
        text = self._text
        words = tag_words(text[start:stop], self._props)
        before, after = text[start - 1 : start].strip(), text[stop : stop + 1].strip()
        if words:
            return stop, f"{' ' if before else ''}{words}{' ' if after else ''}"
        return stop, gap if before and after else ""

    def _find_in_paragraph(self, closing: str, at: int, end: int) -> int:
        """Return where `closing` ends, before the next blank line, or -1.

        What a paragraph lacks is looked for only once.
        """
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


def _template_words(source: str, kind: str) -> str:
    """Return what takes the place of a shortcode or a tag of Liquid."""
    if shown := shown_template_tag(source):
        return shown
    words = shortcode_words(source) if kind in ("shortcode", "liquid") else ""
    return f"{words}: " if words else ""


_CLOSINGS = {
    "extension": "}",
    "liquid": "%}",
    "shortcode": "}}",
}
_RULES = {
    "admonition": "admonition-mark",
    "extension": "shortcode",
    "id": "heading-id",
    "liquid": "shortcode",
}


def _block_edits(page: Page, block: Block) -> Iterator[Edit]:
    if block.kind == "directive":
        yield from _directive_edits(page, block)
    elif block.kind == "heading":
        number = max(block.start, block.end - 2)  # the line above an underline
        line = page.lines[number]
        tail = max(len(line) - _TAIL, 0)
        if found := _HEADING_ID.search(line[tail:]):
            at = page.starts[number] + tail
            yield Edit(at + found.start(), at + found.end(), "", "heading-id")


def _directive_edits(page: Page, block: Block) -> Iterator[Edit]:
    start = page.starts[block.start]
    found = _DIRECTIVE.match(page.text, start)
    if found:
        words = found["type"] + (f": {title}" if (title := found["label"] or found["title"]) else "")
        yield Edit(found.start("marks"), found.end(), words, "admonition-mark")
    last = page.starts[block.end - 1]
    yield Edit(page.text.index(":::", last), page.starts[block.end], "", "admonition-mark")


def _with_hidden(text: str, edits: list[Edit]) -> list[Edit]:
    """Return the edits, with data URIs and characters nobody sees outside of them."""
    hidden: list[Edit] = []
    if "data:" in text:
        hidden += (Edit(found.start(), found.end(), "", "data-uri") for found in _DATA_URI.finditer(text))
    if not text.isascii():
        hidden += (Edit(found.start(), found.end(), "", "zero-width") for found in _INVISIBLE.finditer(text))
        hidden += (
            Edit(found.start(), found.end(), _plain_letters(found), "arabic-form")
            for found in _ARABIC_FORMS.finditer(text)
        )
        hidden.sort()
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
