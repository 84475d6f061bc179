"""The blocks of a passage, each with the heading above it and its lines in the file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ingestion.markdown.blocks import Block, Kind, Page
from ingestion.markdown.parser import parse_blocks

if TYPE_CHECKING:
    from rag.models import SearchResult

_NOT_CONTENT = ("heading", "rule", "import", "comment", "reference")


@dataclass(frozen=True, slots=True)
class PassageBlock:
    """A block of a passage, or a block with the sentence that introduces it; then `kind` is of what it introduces.

    `section` and `anchor` are of the heading above it, the lines are the file's, as exact as the passage tells.
    """

    passage: SearchResult
    kind: Kind
    section: str | None
    anchor: str | None
    text: str
    line_start: int
    line_end: int


def blocks_of(passage: SearchResult) -> Iterator[PassageBlock]:
    """Yield what a passage says, block by block, without its headings."""
    page = Page(passage.text)
    sections = zip(passage.section_titles, passage.section_anchors, strict=True)
    section, anchor = passage.section_title, passage.anchor
    begin: int | None = None
    added = _repeated_lines(passage)
    for block in parse_blocks(page.lines, passage.page_syntax):
        if block.kind == "heading":
            section, anchor = next(sections, (section, anchor))
        if block.kind in _NOT_CONTENT:
            begin = None
            continue
        start = block.start if begin is None else begin
        text = page.text[page.starts[start] : page.starts[block.end]].strip("\n")
        if _introduces(block, text):
            begin = start
            continue
        begin = None
        if passage.expanded_lines:  # its lines are not the file's, some of which are those of an include
            first, last = passage.line_start, passage.line_end
        else:
            first, last = (_line_in_file(passage, line - added) for line in (start, block.end - 1))
        yield PassageBlock(passage, block.kind, section, anchor, text, first, last)


def _line_in_file(passage: SearchResult, line: int) -> int:
    return min(passage.line_start + max(line, 0), passage.line_end)


def _repeated_lines(passage: SearchResult) -> int:
    """Return the lines at the beginning that the file has not there: a piece of a long block repeats its head."""
    lines = passage.text.split("\n")
    added = max(0, len(lines) - (passage.line_end - passage.line_start + 1))
    if lines[0].lstrip().startswith(("```", "~~~")):
        return min(added, 1)
    return min(added, 2) if "|" in lines[0] else 0


def _introduces(block: Block, text: str) -> bool:
    """Return whether a sentence ends in a colon: it says nothing without what follows."""
    return block.kind == "paragraph" and text.rstrip("*_ \n").endswith((":", "："))
