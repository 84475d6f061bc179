"""Tells tags of HTML and JSX from placeholders and comparisons, and finds where a tag ends."""

from __future__ import annotations

import re
from collections.abc import Set

from markdown_it.common.html_blocks import block_names

TAG_NAME = re.compile(r"<(?P<close>/?)(?P<name>[A-Za-z][\w.:-]*)?")
HEADING = re.compile(r"<(?P<name>h[1-6])(?P<attributes>(?:\s[^<>]*)?)>(?P<words>.*)</(?P=name)\s*>", re.I | re.S)
"""A heading that is written in HTML."""

CLOSING_NAMES = re.compile(r"</(?P<name>[A-Za-z][\w.:-]*)\s*>")
_REST = re.compile(
    r"""(?P<attributes>(?:[\s](?:[^<>{}"'`]++|"[^"<]*+"|'[^'<]*+'|"[^"\n]*+"|'[^'\n]*+')*+)?)(?P<self_closing>/?)>"""
)
MARK = re.compile(r"""\\.|["'`{}<>]|\n[ \t]*\n""", re.S)
"""What tells where a tag with braces ends; see Braces."""

_ANGLES = frozenset("<>")
_NEVER_CLOSED = {"br", "hr", "img", "wbr", "p", "li", "td", "th", "tr", "dt", "dd"}
_BLOCKS = frozenset(block_names) - {"base", "link", "param", "title", "menu", "address", "option", "source", "track"}
"""Elements that begin a block, but for those whose names are words that stand for something in a command."""

_INSIDE_WORDS = {"a", "abbr", "b", "cite", "code", "del", "em", "font", "i", "ins", "kbd", "mark", "q", "s", "samp"}
_INSIDE_WORDS |= {"small", "span", "strong", "sub", "sup", "u", "var"}


def tag_name(text: str, at: int = 0) -> str:
    """Return the name of the tag that begins at `at`, with `/` before it where it closes an element; "" for none."""
    found = TAG_NAME.match(text, at)
    return f"{found['close']}{found['name']}" if found and found["name"] else ""


def is_opening_tag(source: str) -> bool:
    """Return whether a text is one opening tag and nothing else."""
    tag = source.strip()
    name = tag_name(tag)
    inside = tag[1:-1]
    return name[:1].isalpha() and tag.endswith(">") and not inside.endswith("/") and _ANGLES.isdisjoint(inside)


class Braces:
    """Where a reader of a tag's attributes is: in how many braces (`depth`), and in which quotes."""

    def __init__(self) -> None:
        self.depth, self.quote, self.has_braces = 0, "", False

    def take(self, sign: str) -> bool:
        """Take in the next mark; returns whether it stands outside of both, and is neither itself."""
        if self.quote:
            self.quote = "" if sign == self.quote else self.quote
        elif sign in "\"'`":
            self.quote = sign
        elif sign in "{}":
            self.depth += 1 if sign == "{" else -1
            self.has_braces = True
        else:
            return self.depth <= 0
        return False


class TagReader:
    """Decides which `<` of a page begin tags.

    A tag is closing, self-closing, has an attribute with a value, has a closing tag somewhere on the page, or is one
    that HTML lets stand open. `<UDID>`, `List<T>` and `a < b` are none of these and remain text.
    """

    def __init__(self, text: str, closed: Set[str] | None = None) -> None:
        self._text = text
        self._closed = closed if closed is not None else set(CLOSING_NAMES.findall(text)) if "</" in text else set()
        self._has_fragments = "</>" in text
        self._hopeless_until = -1

    def read(self, start: int, end: int) -> tuple[int, str] | None:
        """Return the end of the tag that begins at `start` and its replacement, or None if it is text."""
        found = TAG_NAME.match(self._text, start, end)
        if found is None:
            return None
        name = found["name"] or ""
        if not name:
            return self._fragment(found.end(), end)
        rest = self._rest(found.end(), end)
        if rest is None:
            return None
        attributes, stop = rest
        is_tag = found["close"] or self._opens(name, attributes)
        return (stop, "" if name.lower() in _INSIDE_WORDS else " ") if is_tag else None

    def _opens(self, name: str, attributes: str) -> bool:
        return (
            attributes.endswith("/")
            or "=" in attributes
            or name.lower() in _NEVER_CLOSED
            or name in _BLOCKS
            or (name in self._closed and len(attributes.split()) <= 1)
        )

    def reading(self, text: str) -> TagReader:
        """Return a reader of a part of the page, where the same tags are closed."""
        reader = TagReader(text, self._closed)
        reader._has_fragments = self._has_fragments
        return reader

    def end_of(self, start: int, end: int) -> int | None:
        """Return where what looks like the tag at `start` ends, be it a tag or text; None where nothing ends it."""
        found = TAG_NAME.match(self._text, start, end)
        rest = self._rest(found.end(), end) if found else None
        return rest and rest[1]

    def replace(self, tag: str) -> str | None:
        """Return what takes the place of a tag that stands on the page, or None if it is text."""
        if not TAG_NAME.match(tag) or not re.match(r"</?[A-Za-z>]", tag):
            return ""
        found = TagReader(tag, self._closed).read(0, len(tag))
        return found[1] if found else None

    def _fragment(self, at: int, end: int) -> tuple[int, str] | None:
        has_end = at < end and self._text[at] == ">" and self._has_fragments
        return (at + 1, " ") if has_end else None

    def _rest(self, at: int, end: int) -> tuple[str, int] | None:
        """Return what stands behind the name of a tag, `=` for attributes in braces, and where the tag ends."""
        if rest := _REST.match(self._text, at, end):
            return rest["attributes"] + rest["self_closing"], rest.end()
        braced = self._end_of_braced(at, end)
        return None if braced is None else ("=", braced)

    def _end_of_braced(self, start: int, end: int) -> int | None:
        """Return the end of a tag with `{…}` attributes. One that never closes makes the rest of its block text."""
        text = self._text
        if start >= end or not text[start].isspace() or end <= self._hopeless_until:
            return None
        braces = Braces()
        for mark in MARK.finditer(text, start, end):
            if braces.take(mark[0]):
                return mark.end() if mark[0] == ">" and braces.has_braces else None
        self._hopeless_until = end
        return None
