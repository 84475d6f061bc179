"""The blocks of a lesson: what each line belongs to, exactly as CommonMark, GitHub tables and MDX see it."""

from __future__ import annotations

from collections.abc import Iterable
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


def parse_blocks(lines: list[str]) -> list[Block]:
    """The top-level blocks of a page, in order; every line that is not blank lies in exactly one of them.

    `lines` is the page split at line feeds, without front matter. Follows CommonMark 0.31 and GitHub's tables as
    markdown-it-py reads them (a test compares the two), and beyond them: MDX imports, exports, comments and tags
    over several lines, `:::` directives, `$$` math, and fences inside HTML (where authors mean a fence).
    Time and memory are linear in the number of lines.
    """
    from ingestion.block_scanner import scan

    return scan(lines)


def walk(blocks: Iterable[Block]) -> list[Block]:
    """All blocks with those inside them, in the order of their lines."""
    found = []
    for block in blocks:
        found.append(block)
        if block.children:
            found += walk(block.children)
    return found
