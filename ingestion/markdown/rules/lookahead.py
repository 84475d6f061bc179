"""Reads ahead of a block's first line for its end, which decides whether it is a block at all."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from markdown_it.rules_block import StateBlock

Lines = Iterator[tuple[int, str]]


def line_text(state: StateBlock, line: int) -> str:
    """Return a line without the marks and the indentation of its containers."""
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]


def is_outside(state: StateBlock, line: int) -> bool:
    """Return whether a line that is not blank lies outside of the container that is being read."""
    return state.sCount[line] < state.blkIndent and not state.isEmpty(line)


def begins_in_margin(state: StateBlock, line: int) -> bool:
    """Return whether a line stands in no container and begins without a space."""
    at = state.bMarks[line]
    return state.blkIndent == 0 and state.tShift[line] == 0 and (at == 0 or state.src[at - 1] == "\n")


def new_budget(text: str) -> int:
    """Return how many characters all failed searches of a page may read together: linear work on any input."""
    return 4 * len(text) + 100


def find_end(state: StateBlock, start: int, end: int, search: Callable[[Lines], int | None]) -> int | None:
    """Return what `search` finds in the lines from `start`: the line after a block's last one, or None.

    A search that fails uses up the page's budget; after that nothing more is found.
    """
    budget = state.env["lookahead"]

    def lines() -> Lines:
        for line in range(start, end):
            if is_outside(state, line):
                return
            text = line_text(state, line)
            state.env["lookahead"] -= len(text) + 1
            if state.env["lookahead"] < 0:
                return
            yield line, text

    found = search(lines())
    if found is not None:
        state.env["lookahead"] = budget
    return found


def find_mark(state: StateBlock, start: int, end: int, mark: str) -> int | None:
    """Return the line after the first that ends with `mark`; None if text follows the mark in its line."""

    def search(lines: Lines) -> int | None:
        for line, text in lines:
            if mark in (text[len(mark) :] if line == start else text):
                return line + 1 if text.rstrip().endswith(mark) else None
        return None

    return find_end(state, start, end, search)


def add_leaf(state: StateBlock, kind: str, start: int, end: int, *, closed: bool = True) -> bool:
    """Add a block without blocks inside and continue after it."""
    state.line = end
    token = state.push(kind, "", 0)
    token.map = [start, end]
    token.meta["closed"] = closed
    return True
