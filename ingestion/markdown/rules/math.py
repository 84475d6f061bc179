"""Display math between lines of `$$`, which may hold anything."""

from __future__ import annotations

from markdown_it.rules_block import StateBlock

from ingestion.markdown.rules.lookahead import add_leaf, find_mark, line_text


def math(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read a formula; only `$$` alone on its line interrupts a paragraph."""
    text = line_text(state, start)
    if not text.startswith("$$") or state.is_code_block(start) or (silent and text.rstrip() != "$$"):
        return False
    found = find_mark(state, start, end, "$$")
    return found is not None and (silent or add_leaf(state, "math", start, found))
