"""The headings of a page: titles as words, anchors, and the path of sections above any place."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

from ingestion.markdown.blocks import Block, Page
from ingestion.markdown.cleaner import clean_inline

_NOT_IN_ASCII_SLUG = re.compile(r"[^a-z0-9 _-]+")


def slug(title: str) -> str:
    """The anchor GitHub gives a heading: lower case, letters, marks, digits, `-` and `_` kept, spaces to hyphens."""
    if title.isascii():
        return _NOT_IN_ASCII_SLUG.sub("", title.strip().lower()).replace(" ", "-")
    kept = (character for character in title.strip().lower() if character in " -_" or _is_word(character))
    return "".join(kept).replace(" ", "-")


def number_anchors(titles: Sequence[str], explicit_ids: Sequence[str | None]) -> list[str]:
    """One anchor for each heading of a page, in order.

    A heading with an id of its own keeps it. The others get their slug, and `-1`, `-2` … where it is taken by an
    earlier heading or by any heading's own id.
    """
    taken = {own for own in explicit_ids if own}
    repeats: dict[str, int] = {}
    anchors = []
    for title, own in zip(titles, explicit_ids, strict=True):
        anchor = own
        if not anchor:
            plain = anchor = slug(title)
            while anchor in taken:
                repeats[plain] = repeats.get(plain, 0) + 1
                anchor = f"{plain}-{repeats[plain]}"
            taken.add(anchor)
        anchors.append(anchor)
    return anchors


def _is_word(character: str) -> bool:
    return character.isalnum() or unicodedata.category(character)[0] == "M"


_ATX = re.compile(r"[\s>*+\-\d.)]*?#{1,6}(?:[ \t]+|$)(?P<title>.*?)(?:[ \t]+#+)?[ \t]*$", re.S)
_OWN_ID = re.compile(
    r"\s*(?:\{#(?P<braces>[\w.:-]+)\}|\[\[(?P<brackets>[\w.:-]+)\]\]|\{/\*\s*#?(?P<comment>[\w.:-]+)\s*\*/\})\s*$"
)
_CODE_SPAN = re.compile(r"(`+)([^`\n]+)\1(?!`)")
_STARS = re.compile(r"(\*{1,3}|~~)(?=\S)(.{1,300}?)(?<=\S)\1")
_UNDERSCORES = re.compile(r"(?<!\w)(_{1,3})(?=\S)(.{1,300}?)(?<=\S)\1(?!\w)")
_MARKUP = re.compile(r"[`*_~<{\[\\\0\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]|data:")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")


class Heading(NamedTuple):
    """A heading that begins a section; `start` is its offset in the page."""

    start: int
    level: int
    title: str
    anchor: str


class Outline:
    """The sections of a page."""

    def __init__(self, page: Page, blocks: Sequence[Block], everything: Sequence[Block]) -> None:
        found = [block for block in everything if block.kind == "heading"]
        titles, ids = [], []
        for block in found:
            title, own_id = read_title(page.source(block))
            titles.append(title)
            ids.append(own_id)
        anchors = number_anchors(titles, ids)
        sections = {id(block) for block in blocks}
        self.headings = [
            Heading(page.starts[block.start], block.level, title, anchor)
            for block, title, anchor in zip(found, titles, anchors, strict=True)
            if id(block) in sections
        ]
        self._starts = [heading.start for heading in self.headings]
        self._paths = self._find_paths()

    def _find_paths(self) -> list[tuple[Heading, ...]]:
        paths: list[tuple[Heading, ...]] = []
        path: tuple[Heading, ...] = ()
        for heading in self.headings:
            above = [other for other in path if other.level < heading.level]
            path = (*above, heading)
            paths.append(path)
        return paths

    def path_of(self, settled: int, end: int) -> tuple[Heading, ...]:
        """The path of the section that holds all the text up to `end`, beginning just before `settled`.

        Where no section holds it all, the path at `settled`.
        """
        at = bisect_left(self._starts, settled) - 1
        begun = path = self._paths[at] if at >= 0 else ()
        for heading in self.headings[at + 1 : bisect_left(self._starts, end)]:
            path = tuple(above for above in path if above.level < heading.level)
        return path or begun

    def between(self, start: int, end: int) -> tuple[Heading, ...]:
        """The headings that begin in a stretch of the page."""
        return tuple(self.headings[bisect_left(self._starts, start) : bisect_left(self._starts, end)])


def read_title(source: str) -> tuple[str, str | None]:
    """A heading's title as words, and the id it gives itself, if any."""
    atx = _ATX.match(source.rstrip("\n"))
    text = atx["title"] if atx else " ".join(line.lstrip("> ") for line in source.rstrip().split("\n")[:-1])
    own_id = None
    if found := _OWN_ID.search(text):
        own_id = found["braces"] or found["brackets"] or found["comment"]
        text = text[: found.start()]
    return plain_words(text), own_id


def plain_words(text: str) -> str:
    """Text without markup: what a reader sees, on one line."""
    if not _MARKUP.search(text):
        return " ".join(text.split())
    codes: list[str] = []

    def put_aside(code: re.Match[str]) -> str:
        codes.append(code[2].strip())
        return f"\0{len(codes) - 1}\0"

    text = clean_inline(_CODE_SPAN.sub(put_aside, text.replace("\0", "")))
    for pattern in (_STARS, _STARS, _UNDERSCORES):
        text = pattern.sub(r"\2", text)
    text = _ESCAPE.sub(r"\1", text)
    text = re.sub(r"\0(\d+)\0", lambda mark: codes[int(mark[1])], text)
    return " ".join(text.split())
