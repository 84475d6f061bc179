"""Comments that may hold blank lines: `{/* … */}` of MDX and `%% … %%` of Obsidian; and the lines `% …` of MyST."""

from __future__ import annotations

from markdown_it.rules_block import StateBlock

from ingestion.markdown.rules.lookahead import add_leaf, find_mark, is_outside, line_text

_CLOSINGS = {"{/*": ("mdx", "*/}"), "%%": ("percent", "%%")}


def comment(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read a comment that has its lines to itself."""
    form, closing = _CLOSINGS.get(line_text(state, start)[:3].strip(), ("", ""))
    if silent or form not in state.env["comments"] or state.is_code_block(start):
        return False
    found = find_mark(state, start, end, closing)
    return found is not None and add_leaf(state, "comment", start, found)


def line_comment(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read lines that begin with `%`."""
    if not line_text(state, start).startswith("%") or state.is_code_block(start):
        return False
    line = start + 1
    while line < end and line_text(state, line).startswith("%") and not is_outside(state, line):
        line += 1
    return silent or add_leaf(state, "comment", start, line)
