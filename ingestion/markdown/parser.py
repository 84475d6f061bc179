"""Split a page into its blocks: markdown-it-py reads them, this module turns its tokens into our tree."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from ingestion.markdown.blocks import Block, Kind, Page
from ingestion.markdown.syntax import ANY, Syntax

if TYPE_CHECKING:
    from markdown_it.token import Token

_LEAVES: dict[str, Kind] = {
    "code_block": "code",
    "comment": "comment",
    "definition": "reference",
    "fence": "fence",
    "heading": "heading",
    "heading_open": "heading",
    "hr": "rule",
    "html": "html",
    "import": "import",
    "jsx": "jsx",
    "math": "math",
    "paragraph": "paragraph",
    "table": "table",
    "unclosed_directive": "paragraph",
}
_CONTAINERS: dict[str, Kind] = {
    "blockquote": "quote",
    "bullet_list": "list",
    "directive": "directive",
    "footnote": "footnote",
    "list_item": "item",
    "ordered_list": "list",
}


@lru_cache(maxsize=8)
def parse_page(text: str, syntax: Syntax = ANY) -> tuple[Page, tuple[Block, ...]]:
    """Return a page and its blocks; the last few are kept, since several stages read the same lesson."""
    page = Page(text)
    return page, tuple(parse_blocks(page.lines, syntax))


def parse_blocks(lines: Sequence[str], syntax: Syntax = ANY) -> list[Block]:
    """Return the top-level blocks of a page, in order; every non-blank line lies in exactly one of them.

    `lines` is the page split at line feeds, without front matter. Follows CommonMark and GitHub's tables, and beyond
    them: MDX imports, exports, comments and tags that span lines, `:::` directives, `$$` math, footnotes, and fences
    inside HTML (where authors mean a fence). In MDX, lines indented by four spaces are not code.
    Time and memory are linear in the length of the page: one that would need far more raises TooMuchWork.
    """
    from ingestion.markdown.rules import block_reader

    # Lines end at line feeds alone; markdown-it knows no other blank characters than space and tab.
    source = "\n".join(["" if line.isspace() else line for line in lines])
    if "\r" in source:
        source = source.replace("\r", " ")
    return _Tree(lines).build(block_reader(syntax)(source))


class _Tree:
    """Builds blocks from the tokens of a page."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._levels: list[list[Block]] = [[]]
        self._opened: list[Token] = []

    def build(self, tokens: Sequence[Token]) -> list[Block]:
        """Return the top-level blocks."""
        for token in tokens:
            if token.type in _LEAVES:
                self._levels[-1].append(self._leaf(token, _LEAVES[token.type]))
            elif token.nesting > 0 and token.type.removesuffix("_open") in _CONTAINERS:
                self._opened.append(token)
                self._levels.append([])
            elif token.nesting < 0 and (name := token.type.removesuffix("_close")) in _CONTAINERS:
                children = tuple(self._levels.pop())
                self._levels[-1].append(self._container(self._opened.pop(), _CONTAINERS[name], children))
        return self._levels[0]

    def _leaf(self, token: Token, kind: Kind) -> Block:
        start, end = self._range(token)
        level = int(token.tag[1]) if kind == "heading" else 0
        return Block(kind, start, end, level, (), token.meta.get("closed", True))

    def _container(self, token: Token, kind: Kind, children: tuple[Block, ...]) -> Block:
        start, end = self._range(token)
        if children and kind in ("list", "item", "footnote"):
            end = children[-1].end  # markdown-it counts the blank lines below, too
        if kind == "footnote" and len(children) == 1 and children[0].kind == "paragraph":
            children = ()
        return Block(kind, start, end, 0, children)

    def _range(self, token: Token) -> tuple[int, int]:
        assert token.map is not None
        start, end = token.map
        while end > start + 1 and not self._lines[end - 1].strip():
            end -= 1
        return start, end
