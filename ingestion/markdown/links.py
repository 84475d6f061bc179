"""Find where a page links to: pages, pictures and other files, and the anchors that it has for links of others."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from html import unescape
from typing import NamedTuple

from ingestion.markdown.attributes import attributes
from ingestion.markdown.blocks import Block, Page
from ingestion.markdown.cleaner import edited
from ingestion.markdown.headings import heading_text, split_tag
from ingestion.markdown.inline_markup import TARGET, Edit
from ingestion.markdown.references import DEFINITION
from ingestion.markdown.tags import tag_name

_ADDRESSES = {"link-address": TARGET, "image-address": TARGET, "link-reference": DEFINITION}
"""What reads the address in an edit of each rule."""

_LINKING = frozenset(("a", "audio", "img", "link", "source", "video"))


MOST_BESIDE = 0.25
"""Of what a list of links says, how many letters beside those of the links' words may be: "see", "part 2"."""


class Link(NamedTuple):
    """A link or picture: its line in the text, counted from 1, and its address as a browser would read it."""

    line: int
    target: str
    is_image: bool = False


def find_links(page: Page, edits: Sequence[Edit]) -> Iterator[Link]:
    """Return the links of a page in the order of their lines, given what cleaning drops from it."""
    for edit in edits:
        source = page.text[edit.start : edit.end]
        for at, target, is_image in _targets(source, edit.rule):
            if target:
                yield Link(bisect_right(page.starts, edit.start + at), unescape(target), is_image)


def _targets(source: str, rule: str) -> Iterator[tuple[int, str, bool]]:
    if address := _ADDRESSES.get(rule):
        for found in address.finditer(source):
            yield found.start(), found["angle"] or found["plain"] or "", rule == "image-address"
    elif rule == "tag" and tag_name(source).lower() in _LINKING:
        yield from _targets_of_tag(source)


def _targets_of_tag(source: str) -> Iterator[tuple[int, str, bool]]:
    for name, target, start, _ in attributes(source):
        if target and name.lower() in ("href", "src") and "{" not in target:
            yield start, target, name.lower() == "src"


def is_links_alone(page: Page, start: int, end: int, edits: Sequence[Edit], *, at_least: int) -> bool:
    """Return whether a stretch of a page says next to nothing beside what its links are called, as "See also" does.

    `edits` are what cleaning drops from it, the ends of links among them. Fewer links than `at_least` are no list.
    """
    linked = links = opened = 0
    for edit in edits[bisect_left(edits, start, key=lambda edit: edit.start) :]:
        if edit.end > end:
            break
        if edit.rule != "link-address" and not (
            edit.rule == "tag" and tag_name(page.text, edit.start).lower() in ("a", "/a")
        ):
            continue
        if opened:
            linked += _letters(edited(page.text, opened, edit.start, edits))
        links, opened = links + (opened > 0), 0 if opened else edit.end
    return links >= at_least and _letters(edited(page.text, start, end, edits)) - linked < MOST_BESIDE * linked


def _letters(text: str) -> int:
    return sum(map(str.isalpha, text))


def heading_texts(page: Page, blocks: Sequence[Block]) -> list[tuple[int, str]]:
    """Return the level and the inline markdown of every heading, without those in HTML, which name themselves.

    `blocks` are all blocks of the page.
    """
    found = [(block.level, heading_text(page.source(block))) for block in blocks if block.kind == "heading"]
    return [(level, text) for level, text in found if split_tag(text) is None]


def own_ids(text: str) -> frozenset[str]:
    """Return the ids that a page writes out itself: in tags (`id`, `name`) and in braces (`{#id}`)."""
    written = (*_inside(text, "<", ">"), *_inside(text, "{", "}"))
    named = [attribute for inside in written for attribute in attributes(inside)]
    ids = (value if name.lower() in ("id", "name") else name[1:] * name.startswith("#") for name, value, *_ in named)
    return frozenset(filter(None, ids))


def _inside(text: str, opening: str, closing: str) -> Iterator[str]:
    """Yield what stands between these marks and may hold an id."""
    for part in text.split(opening)[1:]:
        inside, closed, _ = part.partition(closing)
        if closed and ("=" in inside or "#" in inside):
            yield inside
