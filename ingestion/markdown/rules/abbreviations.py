"""Abbreviations: `*[HTML]: Hyper Text Markup Language`, which pages show only under a pointer."""

from __future__ import annotations

import re

from markdown_it.rules_block import StateBlock

from ingestion.markdown.rules.lookahead import add_leaf, line_text

_ABBREVIATION = re.compile(r"\*\[[^\]]+\]:[ \t]*\S")


def abbreviation(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read the lines of abbreviations that follow each other."""
    if silent or not _ABBREVIATION.match(line_text(state, start)) or state.is_code_block(start):
        return False
    line = start + 1
    while line < end and not state.isEmpty(line) and _ABBREVIATION.match(line_text(state, line)):
        line += 1
    return add_leaf(state, "definition", start, line)
