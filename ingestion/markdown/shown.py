"""The text of a page that its readers see: the page without what it hides, and the lines that it came from."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from ingestion.markdown.blocks import Block, Page, walk
from ingestion.markdown.hidden import Hidden, hidden_around, hidden_in_page
from ingestion.markdown.parser import parse_page
from ingestion.markdown.syntax import Syntax

_WORDLESS = "<!-- -->"


class ShownText(NamedTuple):
    """What readers see of a page; `lines` are those of the page for each of its own, from 1; empty if all is shown.

    `hidden` is what was cut. `headings` are the numbers of the page's headings that are shown, None where all are.
    """

    text: str
    lines: tuple[int, ...] = ()
    hidden: tuple[Hidden, ...] = ()
    headings: tuple[int, ...] | None = None


@lru_cache(maxsize=2)
def shown_text(text: str, syntax: Syntax) -> ShownText:
    """Return what readers see of a page, which two stages ask; raises TooMuchWork as reading its blocks does."""
    page, blocks = parse_page(text, syntax)
    hidden = hidden_in_page(page, blocks, syntax)
    if not hidden:
        return ShownText(text)
    everything = walk(blocks)
    before = [block for block in everything if not _is_cut(page, block, hidden)]
    shown, lines = cut(page, everything, hidden)
    if not _has_kinds(shown, syntax, before):
        # Where blocks that a comment parts would join, an empty one stays between them.
        parted = cut(page, everything, hidden, between=_WORDLESS)
        shown, lines = parted if _has_kinds(parted[0], syntax, before) else (shown, lines)
    headings = [block for block in everything if block.kind == "heading"]
    kept = tuple(number for number, block in enumerate(headings) if not _is_cut(page, block, hidden))
    return ShownText(shown, tuple(lines), tuple(hidden), kept)


def _is_cut(page: Page, block: Block, hidden: Sequence[Hidden]) -> bool:
    line = page.lines[block.start]
    at = page.starts[block.start] + len(line) - len(line.lstrip(" \t>"))
    return hidden_around(hidden, at)


def _has_kinds(text: str, syntax: Syntax, blocks: Sequence[Block]) -> bool:
    """Return whether the blocks of a text are of these kinds, in this order, empty comments aside."""
    found = [(block.kind, block.level) for block in walk(parse_page(text, syntax)[1]) if block.kind != "comment"]
    return found == [(block.kind, block.level) for block in blocks]


def cut(page: Page, blocks: Sequence[Block], hidden: Sequence[Hidden], between: str = "") -> tuple[str, list[int]]:
    """Return a page without what is hidden, and the number of the line that each of its lines was, from 1.

    Marks of containers stay. A line that the cut leaves blank goes where it lies inside of a block or after another
    blank line, and stays elsewhere, so that paragraphs never join; `between` stands in it. Hidden lines of code go.
    """
    inner = _inner_lines(blocks)
    out: list[str] = []
    lines: list[int] = []
    for number, line in enumerate(page.lines):
        start = page.starts[number]
        if touching := _touching(hidden, start, start + len(line)):
            line = _left(line, start, touching)
            if _is_blank(line):
                filling = between if touching[0].start >= start else ""
                is_inside = touching[0].rule == "hidden-code" or number in inner
                if is_inside or (not filling and (not out or _is_blank(out[-1]))):
                    continue
                line += filling
        out.append(line)
        lines.append(number + 1)
    return "\n".join(out), lines


def _is_blank(line: str) -> bool:
    return not line.strip(" \t>\r")


def _touching(hidden: Sequence[Hidden], start: int, end: int) -> Sequence[Hidden]:
    """Return the hidden stretches in a line."""
    at = last = bisect_right(hidden, start, key=lambda stretch: stretch.end)
    while last < len(hidden) and hidden[last].start < end:
        last += 1
    return hidden[at:last]


def _left(line: str, start: int, hidden: Sequence[Hidden]) -> str:
    """Return what is left of a line; a stretch that began above leaves the marks of containers."""
    parts, at = [], 0
    for stretch in hidden:
        first, last = stretch.start - start, min(stretch.end - start, len(line))
        if first < 0:
            first = min(len(line) - len(line.lstrip(" \t>")), last)
        parts.append(line[at : max(first, at)])
        at = max(last, at)
    return "".join([*parts, line[at:]]).rstrip(" \t")


def _inner_lines(blocks: Sequence[Block]) -> set[int]:
    """Return the lines inside of blocks that hold no others, but for their first and last."""
    leaves = (block for block in blocks if not block.children and block.kind not in ("comment", "import", "html"))
    return {line for block in leaves for line in range(block.start + 1, block.end - 1)}
