"""Quotations as CommonMark has them, with the lines that are looked at in vain counted as work."""

from __future__ import annotations

from markdown_it import rules_block
from markdown_it.rules_block import StateBlock

from ingestion.markdown.rules.work import spend


def quote(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read a quotation.

    markdown-it looks for its end as if it were one paragraph, and begins again after the first line
    that is none of it: `> # a` and `b` by turns would take quadratic time.
    """
    if silent:
        return rules_block.blockquote(state, start, end, True)
    around, state.env["lazy"] = state.env["lazy"], start
    found = rules_block.blockquote(state, start, end, False)
    last, state.env["lazy"] = max(state.line, state.env["lazy"]), around
    if found and last > state.line:
        while last < end and state.src.startswith(">", state.bMarks[last] + state.tShift[last]):
            last += 1
        spend(state, state.line, last - state.line)
    return found


def unquoted(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Note a line without a mark that a quotation may take in: it interrupts nothing."""
    state.env["lazy"] = start
    return False
