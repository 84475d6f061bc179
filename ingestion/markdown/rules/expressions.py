"""MDX remarks, `{/* … */}`, which may hold blank lines."""

from __future__ import annotations

from markdown_it.rules_block import StateBlock

from ingestion.markdown.rules.lookahead import add_leaf, find_mark, line_text


def remark(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read a remark that has its lines to itself."""
    if silent or state.is_code_block(start) or not line_text(state, start).startswith("{/*"):
        return False
    found = find_mark(state, start, end, "*/}")
    return found is not None and add_leaf(state, "comment", start, found)
