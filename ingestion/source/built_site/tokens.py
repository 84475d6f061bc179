"""HTML as tags and texts, in one pass whose work grows with the page alone.

A build may come from a stranger, and `html.parser` takes over a minute for 40 kB of `<a `. Here nothing is read
twice: what is never closed ends the page, as it does in browsers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from html import unescape
from typing import NamedTuple

from ingestion.markdown.attributes import attributes

_TAG = re.compile(
    r"<(?P<end>/?)(?P<name>[A-Za-z][^\s/>]*+)(?P<attributes>(?:[^>=]++|=\s*+(?:\"[^\"]*+\"|'[^']*+')|=)*+)>"
)
_NAMED = re.compile("</?[A-Za-z]")
_HOLDS_TEXT = ("script", "style", "textarea", "title", "iframe", "noembed", "noframes", "xmp")
"""Elements whose inside is no HTML."""

_END_OF_TEXT = re.compile(rf"</({'|'.join(_HOLDS_TEXT)})(?=[\s/>])", re.I)

_DECODED = frozenset(("textarea", "title"))


class Tag(NamedTuple):
    """A tag: its name in lower case, whether it closes an element, and its attributes as they are written."""

    name: str
    is_end: bool
    written: str = ""

    @property
    def attributes(self) -> Mapping[str, str]:
        """Return the attributes by name in lower case; of two equal ones the first counts."""
        if not self.written:
            return {}
        found = reversed([*attributes(self.written)])
        return {name.strip("/").lower(): unescape(value or "") for name, value, *_ in found}


def read_tokens(html: str) -> Iterator[Tag | str]:
    """Yield the tags and the texts of a page in their order."""
    at = 0
    while (opening := html.find("<", at)) >= 0:
        if opening > at:
            yield unescape(html[at:opening])
        at = opening
        is_tag = bool(_NAMED.match(html, at))
        if not is_tag and html[at + 1 : at + 2] in ("!", "?", "/"):
            at = _end_of_comment(html, at)
        elif tag := _TAG.match(html, at):
            name, is_end = tag["name"].lower(), bool(tag["end"])
            yield Tag(name, is_end, tag["attributes"])
            at = tag.end() if is_end or name not in _HOLDS_TEXT else _end_of_text(html, tag.end(), name)
            if name in _DECODED and not is_end:
                yield unescape(html[tag.end() : at])
        elif is_tag:
            return
        else:
            yield "<"
            at += 1
    if at < len(html):
        yield unescape(html[at:])


def _end_of_comment(html: str, at: int) -> int:
    """Return where what begins with `<!`, `<?` or `</` ends; that of the page where it is never closed."""
    is_long = html.startswith("<!--", at) and not html.startswith(("<!-->", "<!--->"), at)
    closing = html.find("-->" if is_long else ">", at + (4 if is_long else 1))
    return closing + (3 if is_long else 1) if closing >= 0 else len(html)


def _end_of_text(html: str, at: int, name: str) -> int:
    """Return where an element ends whose inside is no HTML."""
    ends = (end.start() for end in _END_OF_TEXT.finditer(html, at) if end[1].lower() == name)
    return next(ends, len(html))
