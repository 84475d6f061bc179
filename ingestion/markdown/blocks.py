"""The blocks of a lesson: what each line belongs to, exactly as CommonMark, GitHub tables and MDX see it."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate
from typing import Literal, NamedTuple

Kind = Literal[
    "heading", "paragraph", "list", "item", "quote", "fence", "code", "table", "html", "comment", "rule",
    "import", "jsx", "directive", "math", "reference", "footnote",
]  # fmt: skip


class Block(NamedTuple):
    """A markdown construct and its lines, counted from 0; `end` is the line after the last that is not blank.

    `level` is a heading's 1 to 6. `children` are the blocks inside a list, item, quote or directive. `closed` is
    False where the closing line of a fence, comment, HTML block or directive is missing.
    """

    kind: Kind
    start: int
    end: int
    level: int = 0
    children: tuple[Block, ...] = ()
    closed: bool = True


class TooMuchWork(Exception):
    """A page whose blocks take far more steps to read than its size allows; `line` counts from 1 in the page."""

    def __init__(self, line: int) -> None:
        self.line = line
        super().__init__(
            "the blocks take far more work to read than a page of this size should; "
            "simplify the quotes and lists from here on, or split the page"
        )


def walk(blocks: Iterable[Block]) -> list[Block]:
    """Return all blocks with those inside them, in the order of their lines."""
    found = []
    for block in blocks:
        found.append(block)
        if block.children:
            found += walk(block.children)
    return found


class Page:
    """The text of a lesson without front matter, split at line feeds."""

    __slots__ = ("lines", "starts", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = text.split("\n")
        self.starts = [0, *accumulate(len(line) + 1 for line in self.lines)]
        self.starts[-1] = len(text)

    def span(self, block: Block) -> tuple[int, int]:
        """Return where a block's lines begin and end, as offsets into the text."""
        return self.starts[block.start], self.starts[block.end]

    def source(self, block: Block) -> str:
        """Return the lines of a block."""
        return self.text[self.starts[block.start] : self.starts[block.end]]
