"""Paragraphs and the headings that are underlined: one look at each line, where markdown-it takes two."""

from __future__ import annotations

from markdown_it.rules_block import StateBlock

from ingestion.markdown.rules.lookahead import add_leaf

_UNDERLINES = {"=": 1, "-": 2}


def text(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read lines up to a blank one, an underline, or one that begins another block."""
    (interrupts,) = state.md.block.ruler.getRules("paragraph")
    before, state.parentType = state.parentType, "paragraph"
    line, level = start + 1, 0
    while line < state.lineMax and not state.isEmpty(line):
        indent = state.sCount[line]
        if 0 <= indent < state.blkIndent + 4:
            if line < end and indent >= state.blkIndent and (level := _underline_level(state, line)):
                break
            if interrupts(state, line, state.lineMax, True):
                break
        line += 1
    state.parentType = before
    if not level:
        return add_leaf(state, "paragraph", start, line)
    add_leaf(state, "heading", start, line + 1)
    state.tokens[-1].tag = f"h{level}"
    return True


def _underline_level(state: StateBlock, line: int) -> int:
    """Return the level of the heading that a line underlines, or 0."""
    at = state.bMarks[line] + state.tShift[line]
    mark = state.src[at]
    if mark not in _UNDERLINES:
        return 0
    return 0 if state.src[at : state.eMarks[line]].rstrip(" \t").strip(mark) else _UNDERLINES[mark]
