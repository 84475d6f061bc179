"""Abbreviations: `*[HTML]: Hyper Text Markup Language`, which pages show only under a pointer."""

from __future__ import annotations

from markdown_it.rules_block import StateBlock

from ingestion.markdown.rules.lookahead import add_leaf, line_text


def abbreviation(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read the lines of abbreviations that follow each other."""
    if silent or not _is_abbreviation(line_text(state, start)) or state.is_code_block(start):
        return False
    line = start + 1
    while line < end and not state.isEmpty(line) and _is_abbreviation(line_text(state, line)):
        line += 1
    return add_leaf(state, "definition", start, line)


def _is_abbreviation(line: str) -> bool:
    name, mark, meaning = line.partition("]:")
    return bool(name.startswith("*[") and name[2:] and "]" not in name and mark and meaning.strip())
