"""The blocks that hold other blocks, while they are being read: which lines are theirs, and without which marks."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Protocol

from ingestion.markdown.block_starts import DIRECTIVE_END, LIST_MARKER, QUOTE_GOES_ON, RULE, interrupts
from ingestion.markdown.blocks import Block

NO_COLUMN = 1 << 30
"""Where the content of a list item begins that can have none."""


class Inner(Protocol):
    """The blocks inside a container; see `block_scanner.Content`."""

    @property
    def ends_in_paragraph(self) -> bool: ...
    def place_for_block(self, line: str) -> Inner | None: ...
    def add(self, block: Block) -> None: ...
    def takes_directive_end(self, length: int) -> bool: ...
    def feed(self, number: int, line: str) -> None: ...
    def extend_lazily(self, number: int) -> None: ...
    def close(self) -> list[Block]: ...


class Quote:
    """A block quote that is being read."""

    def __init__(self, content: Inner, number: int, line: str) -> None:
        self.content = content
        self.start = number
        self.end = number + 1
        self.feed(number, line)

    def feed(self, number: int, line: str) -> bool:
        """Take a line if it belongs to the quote."""
        found = QUOTE_GOES_ON.match(line)
        if found:
            rest = line[found.end() :]
            self.content.feed(number, "" if rest.isspace() else rest)
            self.end = number + 1
            return True
        if not line or not self.content.ends_in_paragraph or interrupts(line):
            return False
        self.end = number + 1
        self.content.extend_lazily(number)
        return True

    def close(self) -> list[Block]:
        """The finished block."""
        return [Block("quote", self.start, self.end, children=tuple(self.content.close()))]


class List:
    """A list that is being read: finished items and the content of the last one."""

    def __init__(self, new_content: Callable[[], Inner], number: int, line: str, marker: re.Match[str]) -> None:
        self.start = number
        self.end = number + 1
        self._new_content = new_content
        self._sign = marker["bullet"] or marker["stop"]
        self._items: list[Block] = []
        self._begin_item(number, line, marker)

    def _begin_item(self, number: int, line: str, marker: re.Match[str]) -> None:
        gap = len(marker["gap"])
        is_empty = marker.end() == len(line)
        self._item_start = number
        self._column = marker.end() - gap + (gap if 1 <= gap <= 4 and not is_empty else 1)
        self._is_empty = is_empty
        self.content = self._new_content()
        self.content.feed(number, line[self._column :])
        self.end = number + 1

    def feed(self, number: int, line: str) -> bool:
        """Take a line if it belongs to the list."""
        if not line:
            if self._is_empty and number == self._item_start + 1:
                self._column = NO_COLUMN  # an item that begins with a blank line has no content after a second one
            self.content.feed(number, "")
            return True
        indent = len(line) - len(line.lstrip(" "))
        if indent >= self._column:
            self.content.feed(number, line[self._column :])
            self.end = number + 1
            return True
        marker = LIST_MARKER.match(line)
        if marker and (marker["bullet"] or marker["stop"]) == self._sign and not RULE.match(line):
            self._end_item()
            self._begin_item(number, line, marker)
            return True
        if not self.content.ends_in_paragraph or interrupts(line):
            return False
        self.end = number + 1
        self.content.extend_lazily(number)
        return True

    def _end_item(self) -> None:
        children = tuple(self.content.close())
        self._items.append(Block("item", self._item_start, self.end, children=children))

    def close(self) -> list[Block]:
        """The finished block."""
        self._end_item()
        return [Block("list", self.start, self.end, children=tuple(self._items))]


class Directive:
    """A `:::` block that is being read. One that is never closed turns out to have been text."""

    def __init__(self, content: Inner, number: int, length: int) -> None:
        self.content = content
        self.length = length
        self.start = number
        self.end = number + 1
        self.is_closed = False

    def feed(self, number: int, line: str) -> bool:
        """Take a line if it belongs to the directive."""
        if self.is_closed:
            return False
        found = DIRECTIVE_END.match(line)
        if found and len(found["run"]) >= self.length and not self.content.takes_directive_end(len(found["run"])):
            self.is_closed = True
            self.end = number + 1
            return True
        self.content.feed(number, line)
        if line:
            self.end = number + 1
        return True

    def close(self) -> list[Block]:
        """The finished block; if it was never closed, its first line as text and the blocks after it."""
        children = self.content.close()
        if self.is_closed:
            return [Block("directive", self.start, self.end, children=tuple(children))]
        return [Block("paragraph", self.start, self.start + 1, closed=False), *children]
