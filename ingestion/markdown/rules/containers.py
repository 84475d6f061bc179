"""MkDocs' `!!!`, `???` and `===`: containers whose content is indented by four columns."""

from __future__ import annotations

from markdown_it.rules_block import StateBlock

from ingestion.markdown.rules.lookahead import line_text

_INDENT = 4


def container(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read a container with everything that is indented below it."""
    if state.is_code_block(start) or not _opens(line_text(state, start)):
        return False
    if silent or state.level + 2 >= state.md.options.maxNesting:
        return silent
    token = state.push("directive_open", "", 1)
    around, state.blkIndent = state.blkIndent, state.sCount[start] + _INDENT
    state.line = start + 1
    state.md.block.tokenize(state, start + 1, end)
    state.blkIndent = around
    state.push("directive_close", "", -1)
    state.line = max(state.line, start + 1)
    token.map = [start, state.line]
    return True


def _opens(line: str) -> bool:
    marks, *rest = line.split(None, 1)
    first = rest[0][0] if rest else ""
    if marks.rstrip("!+") == "===":
        return first in ("'", '"')
    return marks in ("!!!", "???", "???+") and (first.isalnum() or first in ("_", "-", "'", '"'))
