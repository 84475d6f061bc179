"""Comments that may hold blank lines: `{/* … */}` of MDX and `%% … %%` of Obsidian."""

from __future__ import annotations

from markdown_it.rules_block import StateBlock

from ingestion.markdown.rules.lookahead import add_leaf, find_mark, line_text

_CLOSINGS = {"{/*": "*/}", "%%": "%%"}


def comment(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read a comment that has its lines to itself."""
    closing = _CLOSINGS.get(line_text(state, start)[:3].strip())
    if silent or closing is None or state.is_code_block(start):
        return False
    found = find_mark(state, start, end, closing)
    return found is not None and add_leaf(state, "comment", start, found)
