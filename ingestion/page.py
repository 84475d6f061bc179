"""A page's text with its lines and where they start."""

from __future__ import annotations

from itertools import accumulate

from ingestion.blocks import Block


class Page:
    """The text of a lesson without front matter, split at line feeds."""

    __slots__ = ("lines", "starts", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = text.split("\n")
        self.starts = [0, *accumulate(len(line) + 1 for line in self.lines)]
        self.starts[-1] = len(text)

    def span(self, block: Block) -> tuple[int, int]:
        """Where a block's lines begin and end, as offsets into the text."""
        return self.starts[block.start], self.starts[block.end]

    def source(self, block: Block) -> str:
        """The lines of a block."""
        return self.text[self.starts[block.start] : self.starts[block.end]]
