"""JSX tags that HTML does not know, whose attributes may span lines and hold blank ones."""

from __future__ import annotations

from markdown_it.rules_block import StateBlock

from ingestion.markdown.rules.html import begins_html
from ingestion.markdown.rules.lookahead import Lines, add_leaf, find_end, line_text
from ingestion.markdown.tags import MARK, TAG_NAME, Braces


def jsx(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read one tag that ends its line."""
    text = line_text(state, start)
    if silent or state.is_code_block(start) or not _begins_tag(text) or begins_html(text, mdx=state.env["mdx"]):
        return False
    found = find_end(state, start, end, _tag_end)
    return found is not None and add_leaf(state, "jsx", start, found)


def _begins_tag(text: str) -> bool:
    found = TAG_NAME.match(text)
    behind = text[found.end() : found.end() + 1] if found else "<"
    return behind == ">" or bool(found and found["name"] and (not behind or behind == "/" or behind.isspace()))


def _tag_end(lines: Lines) -> int | None:
    """Return the line after the one that closes the tag; None if the tag stands inside a line of text."""
    braces, is_first = Braces(), True
    for line, text in lines:
        if not braces.depth and not braces.quote and not text:
            return None
        for mark in MARK.finditer(text, 1 if is_first else 0):
            if braces.take(mark[0]) and mark[0] == ">":
                return line + 1 if not is_first or not text[mark.end() :].strip() else None
        is_first = False
        if braces.depth and braces.quote != "`":
            braces.quote = ""  # an apostrophe in text: strings of JavaScript end with their line
    return None
