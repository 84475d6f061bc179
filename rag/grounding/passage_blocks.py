"""The blocks of a passage, each with the heading above it and its lines in the file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ingestion.markdown.blocks import Block, Kind, Page
from ingestion.markdown.parser import parse_blocks
from ingestion.models import lines_of_text

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
    lines = _lines_in_file(passage, len(page.lines))
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
        first, last = lines[start], lines[block.end - 1]
        yield PassageBlock(passage, block.kind, section, anchor, text, first, max(first, last))


def _lines_in_file(passage: SearchResult, count: int) -> list[int]:
    names = ("line_start", "line_end", "text_lines", "repeated")
    return lines_of_text({name: getattr(passage, name) for name in names}, count)


def _introduces(block: Block, text: str) -> bool:
    """Return whether a sentence ends in a colon: it says nothing without what follows."""
    return block.kind == "paragraph" and text.rstrip("*_ \n").endswith((":", "："))
