"""The headings of a page: titles as words, anchors, and the path of sections above any place."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence, Set
from functools import partial
from typing import NamedTuple

from ingestion.markdown.anchors import PLAIN, HeadingIds
from ingestion.markdown.attributes import attributes
from ingestion.markdown.blocks import Block, Page, walk
from ingestion.markdown.inline import MAX_LENGTH, plain_words
from ingestion.markdown.notes import NOTE, defined_notes
from ingestion.markdown.parser import parse_page
from ingestion.markdown.references import DEFINITION
from ingestion.markdown.syntax import Syntax
from ingestion.markdown.tags import HEADING

_REFERENCE = re.compile(
    r"(?P<run>`++).{1,500}?(?<!`)(?P=run)(?!`)"
    r"|(?<![!\\\]])\[(?P<words>[^\[\]]{1,200})\](?:\[(?P<label>[^\[\]]{0,200})\])?(?![(\[])"
)
"""Code, or a link by the label of its target, which the page defines elsewhere."""
_CONTAINER_MARKS = " \t>*+-.)0123456789"


class Heading(NamedTuple):
    """A heading that begins a section; `start` is its offset in the page, `anchor` empty where the site has none."""

    start: int
    level: int
    title: str
    anchor: str


class Outline:
    """The sections of a page."""

    def __init__(
        self,
        page: Page,
        blocks: Sequence[Block],
        everything: Sequence[Block],
        ids: HeadingIds = PLAIN,
        anchors: Sequence[str] | None = None,
    ) -> None:
        """Read the headings of a page; `anchors` are those of all its headings where its text does not tell them."""
        found = [block for block in everything if block.kind == "heading"]
        named = _named(ids, page, found)
        is_told = anchors is not None and len(anchors) == len(named)
        self.anchors = list(anchors or ()) if is_told else [anchor for _, anchor in named]
        self.titles = [plain_words(text[:MAX_LENGTH]) for text, _ in named]
        self.headings = self._sections(page, found, {id(block) for block in blocks})
        self._starts = [heading.start for heading in self.headings]
        self._paths = self._find_paths()

    def _sections(self, page: Page, found: Sequence[Block], sections: Set[int]) -> list[Heading]:
        return [
            Heading(page.starts[block.start], block.level, title, anchor.replace(" ", "%20"))
            for block, title, anchor in zip(found, self.titles, self.anchors, strict=True)
            if id(block) in sections
        ]

    def _find_paths(self) -> list[tuple[Heading, ...]]:
        paths: list[tuple[Heading, ...]] = []
        path: tuple[Heading, ...] = ()
        for heading in self.headings:
            above = [other for other in path if other.level < heading.level]
            path = (*above, heading)
            paths.append(path)
        return paths

    def path_of(self, settled: int, end: int) -> tuple[Heading, ...]:
        """Return the path of the section that holds all the text up to `end`, beginning just before `settled`.

        Where no section holds it all, the path at `settled`.
        """
        at = bisect_left(self._starts, settled) - 1
        begun = path = self._paths[at] if at >= 0 else ()
        for heading in self.headings[at + 1 : bisect_left(self._starts, end)]:
            path = tuple(above for above in path if above.level < heading.level)
        return path or begun

    def anchor_of(self, start: int, settled: int, end: int) -> str | None:
        """Return the anchor to which a chunk links.

        That of the section that holds all of it, if that begins in it; else of its first section that has one; else
        of the nearest section around it.
        """
        at = bisect_left(self._starts, settled) - 1
        path = self._paths[at] if at >= 0 else ()
        holder = [heading for heading in self.path_of(settled, end)[-1:] if heading.start >= start]
        sections = (*holder, *path[-1:], *self.between(settled, end), *reversed(path))
        return next((heading.anchor for heading in sections if heading.anchor), None)

    def between(self, start: int, end: int) -> tuple[Heading, ...]:
        """Return the headings that begin in a stretch of the page."""
        return tuple(self.headings[bisect_left(self._starts, start) : bisect_left(self._starts, end)])


def outline_of(
    text: str, syntax: Syntax, ids: HeadingIds, anchors: Sequence[str] | None = None
) -> tuple[Page, Outline]:
    """Return the page that a text is, and the headings on it."""
    page, blocks = parse_page(text, syntax)
    return page, Outline(page, blocks, walk(blocks), ids, anchors)


def split_tag(text: str) -> tuple[str, str] | None:
    """Return the words and the id of a heading in HTML (`<h2 id="x">…</h2>`), None for another one."""
    found = HEADING.fullmatch(text)
    if found is None:
        return None
    own_id = next((value for name, value, *_ in attributes(found["attributes"]) if name.lower() == "id"), None)
    return found["words"].strip(), own_id or ""


def _named(ids: HeadingIds, page: Page, headings: Sequence[Block]) -> list[tuple[str, str]]:
    """Return the text and the anchor of each heading; generators name none that is written in HTML."""
    numbers = _note_numbers(page.text) if ids.numbers_notes and "[^" in page.text else {}
    texts = _without_references(page.text, [_text_for(ids, page, block) for block in headings])
    texts = [NOTE.sub(partial(_number_of, numbers), text) for text in texts]
    tagged = [split_tag(text) for text in texts]
    levels = zip(headings, texts, tagged, strict=True)
    others = iter(ids.name([(block.level, text) for block, text, of_tag in levels if of_tag is None]))
    return [of_tag or next(others) for of_tag in tagged]


def _without_references(page: str, headings: list[str]) -> list[str]:
    """Return headings with their reference links (`[words][label]`) written as links that hold their own target."""
    if "]:" not in page or not any("[" in text for text in headings):
        return headings
    defined = {" ".join(found["label"].lower().split()) for found in DEFINITION.finditer(page)}

    def link(found: re.Match[str]) -> str:
        label = " ".join((found["label"] or found["words"] or "").lower().split())
        return f"[{found['words']}](#)" if label in defined else found[0]

    return [_REFERENCE.sub(link, text) for text in headings]


def _note_numbers(text: str) -> dict[str, int]:
    """The number of each footnote that the page defines, in the order in which it refers to them."""
    defined = defined_notes(text)
    notes = (found for found in NOTE.finditer(text) if not found["defines"])
    labels = (found["label"] for found in notes if found["label"] in defined)
    return {label: number for number, label in enumerate(dict.fromkeys(labels), 1)}


def _number_of(numbers: Mapping[str, int], found: re.Match[str]) -> str:
    return f"[^{numbers.get(found['label'], found['label'])}]{found['defines'] or ''}"


def _text_for(ids: HeadingIds, page: Page, block: Block) -> str:
    text = heading_text(page.source(block))
    if not ids.attributes_below:
        return text
    text = " ".join(text.split("\n"))
    below = page.lines[block.end].strip() if block.end < len(page.lines) else ""
    return f"{text}\n{below}" if below.startswith("{:") and below.endswith("}") else text


def heading_text(source: str) -> str:
    """Return the inline markdown of a heading: its lines without the marks of headings and containers."""
    lines = source.rstrip().split("\n")
    if len(lines) > 1:  # underlined
        return "\n".join(line.strip().lstrip("> ") for line in lines[:-1])
    return without_closing_marks(lines[0].lstrip(_CONTAINER_MARKS).lstrip("#").strip())


def without_closing_marks(text: str) -> str:
    """Return the text of a heading without the `#` that may stand behind it."""
    bare = text.rstrip("#")
    return bare.rstrip() if not bare or bare[-1] in " \t" else text
