"""HTML blocks as CommonMark has them, but a fence ends one, as authors mean it, and a heading is one of the page."""

from __future__ import annotations

import re

from markdown_it.rules_block import StateBlock
from markdown_it.rules_block.html_block import HTML_SEQUENCES

from ingestion.markdown.rules.directives import directive_end
from ingestion.markdown.rules.fences import fence
from ingestion.markdown.rules.lookahead import add_leaf, is_outside, line_text
from ingestion.markdown.tags import HEADING


def html_block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read an HTML block or comment; one without its closing mark runs to the end of its container."""
    text = line_text(state, start)
    if not text.startswith("<") or state.is_code_block(start):
        return False
    for opening, closing, interrupts in HTML_SEQUENCES:
        if opening.search(text):
            if silent:
                return interrupts
            heading = HEADING.fullmatch(text.rstrip())
            if heading and heading["words"].strip() and _ends_there(state, start + 1, end):
                return _heading(state, start, heading["name"].lower())
            return _until_blank(state, start, end) if closing.search("") else _until(closing, state, start, end)
    return False


def _ends_there(state: StateBlock, line: int, end: int) -> bool:
    """Whether no text follows in the next line, which HTML would make part of the same block."""
    return line >= end or state.isEmpty(line) or is_outside(state, line) or line_text(state, line).startswith("<")


def _heading(state: StateBlock, line: int, tag: str) -> bool:
    add_leaf(state, "heading", line, line + 1)
    state.tokens[-1].tag = tag
    return True


def begins_html(text: str, *, mdx: bool) -> bool:
    """Return whether a line begins an HTML block; in MDX no element does that holds Markdown."""
    return any(opening.search(text) for opening, closing, _ in HTML_SEQUENCES if not (mdx and closing.search("")))


def _until_blank(state: StateBlock, start: int, end: int) -> bool:
    line = start + 1
    while line < end and not state.isEmpty(line) and not is_outside(state, line):
        if fence(state, line, end, True) or directive_end(state, line, end, True):
            break
        line += 1
    return add_leaf(state, "html", start, line)


def _until(closing: re.Pattern[str], state: StateBlock, start: int, end: int) -> bool:
    line, last, found = start, "", None
    while line < end and not found and (line == start or not is_outside(state, line)):
        last = line_text(state, line)
        found = closing.search(last)
        line += 1
    while state.isEmpty(line - 1):
        line -= 1
    is_comment = line_text(state, start).startswith("<!--") and (not found or last.rstrip().endswith("-->"))
    return add_leaf(state, "comment" if is_comment else "html", start, line, closed=found is not None)
