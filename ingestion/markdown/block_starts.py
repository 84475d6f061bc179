"""What a line looks like that begins a block (CommonMark 0.31, GitHub tables, directives)."""

from __future__ import annotations

import re
from functools import cache

from ingestion.markdown.html_blocks import html_block_end

FENCE = re.compile(r" {0,3}(?P<run>`{3,}(?=[^`]*$)|~{3,})")
ATX_HEADING = re.compile(r" {0,3}(?P<run>#{1,6})(?= |$)")
SETEXT_UNDERLINE = re.compile(r" {0,3}(?P<run>=+|-+) *$")
RULE = re.compile(r" {0,3}(?:(?:\* *){3,}|(?:- *){3,}|(?:_ *){3,})$")
QUOTE = re.compile(r" {0,3}> ?")
QUOTE_GOES_ON = re.compile(r" *> ?")
LIST_MARKER = re.compile(r" {0,3}(?:(?P<bullet>[-+*])|(?P<number>\d{1,9})(?P<stop>[.)]))(?P<gap> +|$)")
DIRECTIVE = re.compile(r" {0,3}(?P<run>:{3,}) ?(?=[A-Za-z])")
DIRECTIVE_END = re.compile(r" {0,3}(?P<run>:{3,}) *$")
REFERENCE = re.compile(r""" {0,3}\[(?!\^)[^\]]+\]: *(?:<[^<>]*>|[^\s<]\S*)(?: +(?:"[^"]*"|'[^']*'|\([^()]*\)))? *$""")
FOOTNOTE = re.compile(r" {0,3}\[\^[^\]]+\]:")


@cache
def fence_end(run: str) -> re.Pattern[str]:
    """What closes a fence that was opened by a run of backticks or tildes."""
    return re.compile(rf"^ {{0,3}}{run[0]}{{{len(run)},}} *$")


def interrupts(line: str) -> bool:
    """Whether a line that lacks its container's marks begins a block, and so does not continue a paragraph inside."""
    text = line.lstrip(" ")
    if len(line) - len(text) >= 4:
        return False
    patterns = (ATX_HEADING, FENCE, QUOTE, RULE, LIST_MARKER, DIRECTIVE)
    if any(pattern.match(line) for pattern in patterns):
        return True
    return text.startswith("<") and html_block_end(text, in_paragraph=True) is not None
