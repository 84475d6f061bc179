"""Split a page into its blocks."""

from __future__ import annotations

from ingestion.markdown.blocks import Block


def parse_blocks(lines: list[str]) -> list[Block]:
    """The top-level blocks of a page, in order; every line that is not blank lies in exactly one of them.

    `lines` is the page split at line feeds, without front matter. Follows CommonMark 0.31 and GitHub's tables as
    markdown-it-py reads them (a test compares the two), and beyond them: MDX imports, exports, comments and tags
    over several lines, `:::` directives, `$$` math, and fences inside HTML (where authors mean a fence).
    Time and memory are linear in the number of lines.
    """
    from ingestion.markdown.block_scanner import scan

    return scan(lines)
