"""Comments that may hold blank lines: `{/* … */}` of MDX, `%% … %%` of Obsidian; labels `(name)=` of MyST."""

from __future__ import annotations

from markdown_it.rules_block import StateBlock

from ingestion.markdown.rules.lookahead import add_leaf, find_mark, line_text

_CLOSINGS = {"{/*": ("mdx", "*/}"), "%%": ("percent", "%%")}


def comment(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read a comment that has its lines to itself."""
    form, closing = _CLOSINGS.get(line_text(state, start)[:3].strip(), ("", ""))
    if silent or form not in state.env["comments"] or state.is_code_block(start):
        return False
    found = find_mark(state, start, end, closing)
    return found is not None and add_leaf(state, "comment", start, found)


def label(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read a line of MyST that only names what stands below it: `(name)=`."""
    line = line_text(state, start).rstrip()
    is_label = len(line) > 3 and line.endswith(")=") and "(" not in line[1:] and ")" not in line[:-2]
    if not is_label or state.is_code_block(start):
        return False
    return silent or add_leaf(state, "comment", start, start + 1)
