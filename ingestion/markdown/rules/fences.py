"""Code fences, with the word whether their closing line is there."""

from __future__ import annotations

from markdown_it import rules_block
from markdown_it.rules_block import StateBlock

from ingestion.markdown.rules.lookahead import line_text


def fence(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read a fence as CommonMark does."""
    if not rules_block.fence(state, start, end, silent):
        return False
    if not silent:
        token = state.tokens[-1]
        last = line_text(state, state.line - 1).rstrip()
        run = token.markup
        # A line that looks like the closing one and is not indented too far would have closed the fence before.
        closed = last.startswith(run) and not last.strip(run[0]) and not state.is_code_block(state.line - 1)
        token.meta["closed"] = closed and state.line - 1 > start
        line = state.line
        while state.isEmpty(line - 1):
            line -= 1
        token.map = [start, line]
    return True
