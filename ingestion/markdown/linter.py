"""What a reader of the index should know about a page's markdown: broken constructs, and text left out of search."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from ingestion.markdown.blocks import Block, Page, walk
from ingestion.markdown.cleaner import find_edits
from ingestion.markdown.parser import parse_page

_FENCE_LINE = re.compile(r"[ \t>]*(?P<run>`{3,}|~{3,})(?P<info>[^`]*)$")
_BROKEN = {
    "fence": ("unclosed-fence", "this code fence is never closed: everything below it is read as code"),
    "comment": ("unclosed-comment", "this comment is never closed: everything below it is hidden"),
    "html": ("unclosed-html", "this HTML block is never closed: everything below it is read as HTML"),
    "paragraph": ("unclosed-directive", "this ::: block is never closed: its line is read as text"),
}


class Notice(NamedTuple):
    """One finding: its line in the text, counted from 1, the rule, and what it means.

    A rule that begins with `dropped-` names text that is stored but not embedded; the others name mistakes.
    """

    line: int
    rule: str
    message: str


def find_notices(text: str, *, mdx: bool = False) -> list[Notice]:
    """Return mistakes in a page's markdown and everything that cleaning drops, in the order of their lines."""
    page, top = parse_page(text, mdx=mdx)
    blocks = walk(top)
    return sorted([*_mistakes(page, blocks), *_dropped(page, blocks)])


def _mistakes(page: Page, blocks: list[Block]) -> Iterator[Notice]:
    for block in blocks:
        if not block.closed and block.kind in _BROKEN:
            yield Notice(block.start + 1, *_BROKEN[block.kind])
        if block.kind == "fence":
            yield from _nested_fences(page, block)


def _nested_fences(page: Page, block: Block) -> Iterator[Notice]:
    """A fence that opens inside one no longer than itself: the first closing line ends the outer one."""
    opening = re.search(r"`{3,}|~{3,}", page.lines[block.start])
    assert opening is not None
    for number in range(block.start + 1, block.end):
        found = _FENCE_LINE.match(page.lines[number].rstrip("\r"))
        if found and found["info"].strip() and found["run"].startswith(opening[0]):
            message = f"a fence opens inside the fence of line {block.start + 1}: give the outer one a longer marker"
            yield Notice(number + 1, "nested-fence", message)


def _dropped(page: Page, blocks: list[Block]) -> Iterator[Notice]:
    for edit in find_edits(page, blocks):
        if edit.rule in ("entity", "arabic-form"):  # which are shown as what they mean
            continue
        source = page.text[edit.start : edit.end].strip()
        if source.strip("![") and source != edit.replacement:
            excerpt = source if len(source) <= 60 else f"{source[:57]}..."
            yield Notice(bisect_right(page.starts, edit.start), f"dropped-{edit.rule}", excerpt.replace("\n", " "))
