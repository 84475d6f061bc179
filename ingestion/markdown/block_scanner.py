"""Reads a page line by line and closes blocks as they end: the container algorithm of CommonMark."""

from __future__ import annotations

import re
from collections.abc import Callable

from ingestion.markdown.block_starts import (
    ATX_HEADING,
    DIRECTIVE,
    FENCE,
    FOOTNOTE,
    LIST_MARKER,
    REFERENCE,
    RULE,
    SETEXT_UNDERLINE,
    fence_end,
)
from ingestion.markdown.blocks import Block, Kind
from ingestion.markdown.containers import Directive, Inner, List, Quote
from ingestion.markdown.html_blocks import UNTIL_BLANK, html_block_end
from ingestion.markdown.rules.mdx import MAY_BEGIN_AHEAD, Lookahead
from ingestion.markdown.tables import is_table_head

MAX_NESTING = 20
"""Containers inside containers beyond this are read as text, so that hostile input cannot exhaust the stack."""


def scan(lines: list[str]) -> list[Block]:
    """The top-level blocks of a page; see `blocks.parse_blocks`."""
    columns = [_expand(line) for line in lines]
    page = Content(depth=0)
    lookahead = Lookahead(columns)
    read_up_to = 0
    for number, line in enumerate(columns):
        if number < read_up_to:
            continue
        if line[:1] in MAY_BEGIN_AHEAD and (line[0] != " " or line.lstrip(" ")[0] == "<"):
            place = page.place_for_block(line)
            found = lookahead.block_at(number) if place else None
            if place and found:
                kind, read_up_to = found
                place.add(Block(kind, number, read_up_to))
                continue
        page.feed(number, line)
    return page.close()


def _expand(line: str) -> str:
    """The line by columns: tabs expanded, nothing where it is blank. Only what lines begin with matters here."""
    if line.isspace():
        return ""
    return line.rstrip("\r").expandtabs(4) if "\t" in line or "\r" in line else line


class Content:
    """The blocks of one container. The last may be open: a leaf, a raw leaf or a container inside this one.

    A raw leaf takes every line as it is until `_raw_end` matches one.
    """

    __slots__ = ("_blocks", "_depth", "_end", "_inner", "_is_footnote", "_kind", "_last_line", "_raw_end", "_start")

    def __init__(self, depth: int) -> None:
        self._blocks: list[Block] = []
        self._depth = depth
        self._kind: Kind | None = None
        self._start = self._end = 0
        self._last_line = ""
        self._is_footnote = False
        self._raw_end: re.Pattern[str] | None = None
        self._inner: Quote | List | Directive | None = None

    def place_for_block(self, line: str) -> Inner | None:
        """The container to which a line without marks would add a new block; None if it may continue an open one."""
        if self._kind is not None:
            return None
        inner = self._inner
        if isinstance(inner, Directive) and not inner.is_closed:
            return inner.content.place_for_block(line)
        return None if inner is not None and (line[0] == " " or inner.content.ends_in_paragraph) else self

    @property
    def ends_in_paragraph(self) -> bool:
        """Whether the innermost open block is a paragraph, which a line without its container's marks continues."""
        if self._inner is not None:
            return self._inner.content.ends_in_paragraph
        return self._kind == "paragraph"

    def takes_directive_end(self, length: int) -> bool:
        """Whether a `:::` line of this length belongs to something in here."""
        if self._raw_end is not None:
            return self._raw_end is not UNTIL_BLANK
        inner = self._inner
        if not isinstance(inner, Directive) or inner.is_closed:
            return False
        return inner.length <= length or inner.content.takes_directive_end(length)

    def add(self, block: Block) -> None:
        """Append a block that was read elsewhere."""
        self._close_leaf()
        self._blocks.append(block)

    def close(self) -> list[Block]:
        """Close what is open; the blocks of this container."""
        self._close_leaf(complete=self._raw_end is None or self._raw_end is UNTIL_BLANK)
        return self._blocks

    def extend_lazily(self, number: int) -> None:
        """Add a line to the innermost paragraph."""
        if self._inner is not None:
            self._inner.end = number + 1
            self._inner.content.extend_lazily(number)
        else:
            self._end = number + 1
            self._last_line = ""

    def feed(self, number: int, line: str) -> None:
        """Take the next line of this container, without the container's own marks; a blank line is empty."""
        if self._raw_end is not None:
            if self._feed_raw(number, line):
                return
        elif self._inner is not None:
            if self._inner.feed(number, line):
                return
            self._close_leaf()
        if not line:
            if self._kind is not None and self._kind != "code":
                self._close_leaf()
            return
        if line[0] == " " and len(line) - len(line.lstrip(" ")) >= 4:
            self._feed_indented(number, line)
        else:
            self._feed_text(number, line)

    def _feed_raw(self, number: int, line: str) -> bool:
        if self._raw_end is UNTIL_BLANK:
            if not line or FENCE.match(line):
                self._close_leaf()
                return False
        elif self._raw_end and self._raw_end.search(line):
            self._end = number + 1
            self._close_leaf()
            return True
        if line:
            self._end = number + 1
        return True

    def _feed_indented(self, number: int, line: str) -> None:
        if self._kind == "paragraph" or self._kind == "code":
            self._end = number + 1
            self._last_line = ""
        else:
            self._open("code", number, line)

    def _feed_text(self, number: int, line: str) -> None:
        first = line[0] if line[0] != " " else line.lstrip(" ")[0]
        for rule in RULES.get(first, ()):
            if rule(self, number, line):
                return
        if self._kind == "paragraph" or self._kind == "table":
            self._end = number + 1
            self._last_line = line
        else:
            self._open("paragraph", number, line)

    def _open(self, kind: Kind, number: int, line: str, raw_end: re.Pattern[str] | None = None) -> None:
        if self._kind is not None or self._inner is not None:
            self._close_leaf()
        self._kind = kind
        self._start = number
        self._end = number + 1
        self._last_line = line
        self._raw_end = raw_end

    def _close_leaf(self, *, complete: bool = True) -> None:
        if self._inner is not None:
            self._blocks += self._inner.close()
            self._inner = None
        if self._kind is not None:
            if self._is_footnote and self._kind == "paragraph":
                self._kind = "footnote"
            self._is_footnote = False
            self._blocks.append(Block(self._kind, self._start, self._end, 0, (), complete))
            self._kind = None
            self._raw_end = None

    def _enter(self, inner: Quote | List | Directive) -> bool:
        self._close_leaf()
        self._inner = inner
        return True

    # What may begin: each takes the line and says whether it did.

    def _atx_heading(self, number: int, line: str) -> bool:
        found = ATX_HEADING.match(line)
        if found:
            self.add(Block("heading", number, number + 1, level=len(found["run"])))
        return found is not None

    def _setext_heading(self, number: int, line: str) -> bool:
        if self._kind != "paragraph" or not (found := SETEXT_UNDERLINE.match(line)):
            return False
        self._kind = None
        self.add(Block("heading", self._start, number + 1, level=1 if found["run"][0] == "=" else 2))
        return True

    def _thematic_break(self, number: int, line: str) -> bool:
        if not RULE.match(line):
            return False
        self.add(Block("rule", number, number + 1))
        return True

    def _fence(self, number: int, line: str) -> bool:
        found = FENCE.match(line)
        if found:
            self._open("fence", number, line, fence_end(found["run"]))
        return found is not None

    def _html(self, number: int, line: str) -> bool:
        text = line.lstrip(" ")
        end = html_block_end(text, in_paragraph=self._kind == "paragraph" or self._kind == "table")
        if end is None:
            return False
        self._open("comment" if text.startswith("<!--") else "html", number, line, end)
        if end is not UNTIL_BLANK and end.search(text):
            if self._kind == "comment" and not text.rstrip().endswith("-->"):
                self._kind = "html"
            self._close_leaf()
        return True

    def _table(self, number: int, line: str) -> bool:
        if self._kind != "paragraph" or not is_table_head(self._last_line, line):
            return False
        if self._start < number - 1:
            self._end = number - 1
            self._close_leaf()
        self._kind, self._start, self._end = "table", number - 1, number + 1
        return True

    def _definition(self, number: int, line: str) -> bool:
        if self._kind == "paragraph" or self._kind == "table":
            return False
        if REFERENCE.match(line):
            self.add(Block("reference", number, number + 1))
            return True
        if FOOTNOTE.match(line):
            self._open("paragraph", number, line)
            self._is_footnote = True
            return True
        return False

    def _quote(self, number: int, line: str) -> bool:
        return self._depth < MAX_NESTING and self._enter(Quote(Content(self._depth + 1), number, line))

    def _list(self, number: int, line: str) -> bool:
        found = LIST_MARKER.match(line)
        if not found or self._depth >= MAX_NESTING:
            return False
        if self._kind == "paragraph":
            is_empty = found.end() == len(line)
            if is_empty or int(found["number"] or 1) != 1:
                return False
        return self._enter(List(lambda: Content(self._depth + 1), number, line, found))

    def _directive(self, number: int, line: str) -> bool:
        found = DIRECTIVE.match(line)
        if not found or self._depth >= MAX_NESTING:
            return False
        return self._enter(Directive(Content(self._depth + 1), number, len(found["run"])))


RULES: dict[str, tuple[Callable[[Content, int, str], bool], ...]] = {
    "#": (Content._atx_heading,),
    "`": (Content._fence,),
    "~": (Content._fence,),
    "=": (Content._setext_heading,),
    "-": (Content._table, Content._setext_heading, Content._thematic_break, Content._list),
    "*": (Content._thematic_break, Content._list),
    "_": (Content._thematic_break,),
    "+": (Content._list,),
    "|": (Content._table,),
    ":": (Content._table, Content._directive),
    ">": (Content._quote,),
    "<": (Content._html,),
    "[": (Content._definition,),
    **dict.fromkeys("0123456789", (Content._list,)),
}
"""What may begin with a character (after up to three spaces), in the order in which it is tried."""
