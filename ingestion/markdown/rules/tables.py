"""GitHub tables by their lines: the cells are of no interest here, and splitting them would take most of the time."""

from __future__ import annotations

import re

from markdown_it.rules_block import StateBlock

from ingestion.markdown.rules.lookahead import add_leaf, line_text

UNESCAPED_PIPE = re.compile(r"(?<!\\)\|")


def table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read a row with a pipe, a delimiter row with as many cells, and the rows below."""
    line = start + 1
    if not _begins(state, start, end):
        return False
    if silent:
        return True
    (interrupts,) = state.md.block.ruler.getRules("blockquote")
    before, state.parentType = state.parentType, "table"
    line += 1
    while line < end and not state.isEmpty(line) and state.sCount[line] >= state.blkIndent:
        if state.is_code_block(line) or interrupts(state, line, end, True):
            break
        line += 1
    state.parentType = before
    return add_leaf(state, "table", start, line)


def _begins(state: StateBlock, start: int, end: int) -> bool:
    line = start + 1
    if line >= end or state.sCount[line] < state.blkIndent:
        return False
    at = state.bMarks[line] + state.tShift[line]
    if state.src[at : at + 1] not in ("|", "-", ":") or state.is_code_block(line) or state.is_code_block(start):
        return False
    return _is_head(line_text(state, start), line_text(state, line))


def _is_head(header: str, delimiter: str) -> bool:
    if "|" not in header or len(delimiter) < 2 or delimiter.startswith(("- ", "-\t")):  # which begins a list
        return False
    cells = delimiter.strip(" \t").removeprefix("|").removesuffix("|").split("|")
    if any(set(cell.strip(" \t").removeprefix(":").removesuffix(":")) != {"-"} for cell in cells):
        return False
    titles = UNESCAPED_PIPE.split(header.strip(" \t"))
    return len(cells) == len(titles) - (not titles[0]) - (len(titles) > 1 and not titles[-1])
