"""Footnotes: containers whose content is indented by four columns."""

from __future__ import annotations

from markdown_it.rules_block import StateBlock

from ingestion.markdown.notes import NOTE
from ingestion.markdown.rules.lookahead import line_text

_INDENT = 4


def footnote(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read a footnote with everything that belongs to it."""
    found = NOTE.match(line_text(state, start))
    if not found or not found["defines"] or state.is_code_block(start):
        return False
    if silent:
        return True
    before = state.bMarks[start], state.tShift[start], state.sCount[start], state.blkIndent
    state.bMarks[start] += state.tShift[start] + found.end()
    state.tShift[start] = 0
    state.blkIndent += _INDENT
    state.sCount[start] = state.blkIndent
    token = state.push("footnote_open", "", 1)
    token.map = [start, start + 1]
    state.line = start + 1
    state.md.block.tokenize(state, start, end)
    state.push("footnote_close", "", -1)
    token.map = [start, max(state.line, start + 1)]
    state.bMarks[start], state.tShift[start], state.sCount[start], state.blkIndent = before
    return True
