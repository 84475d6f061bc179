"""What a splitter did to a chunk, judged by its text alone, with nothing of bookwise's chunker.

A chunk from the middle of a code block that holds no fence line, and a table without outer pipes, are not seen: both
faults go unnoticed in every tool.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from rag.evaluation.questions import as_title

_FENCE = re.compile(r"[\s>]*(?:(?:[-*+]|\d+[.)])\s+)?(`{3,}|~{3,})(.*)")
_HEADING = re.compile(r" {0,3}#{1,6}\s+(.+)")
_ROW = re.compile(r"[\s>]*\|.*\|\s*")
_DELIMITERS = re.compile(r"[\s>]*\|(?:\s*:?-+:?\s*\|)+\s*")


def cuts_fence(text: str) -> bool:
    """Return whether a code fence is open at the end, or was already open at the beginning."""
    fence = ""
    for line in text.split("\n"):
        found = _fence(line)
        if found is None:
            continue
        marks, info = found
        if not fence:
            fence = marks
        elif marks.startswith(fence):
            if info:  # an opening line where only a closing one may stand
                return True
            fence = ""
    return bool(fence)


def cuts_table(text: str) -> bool:
    """Return whether a table stands there without its header and delimiter row."""
    rows: list[str] = []
    for line in [*prose_lines(text), ""]:
        if _ROW.fullmatch(line):
            rows.append(line)
        elif rows:
            if len(rows) < 2 or not _DELIMITERS.fullmatch(rows[1]):
                return True
            rows = []
    return False


def titles_in(page: str) -> set[str]:
    """Return the headings of a page that begin with `#`, as they are compared."""
    return {as_title(found[1].rstrip("# ")) for line in prose_lines(page) if (found := _HEADING.fullmatch(line))}


def has_heading(text: str, headings: Iterable[str], titles: set[str]) -> bool:
    """Return whether a heading of the page is known of the chunk or stands in it; true where the page has none."""
    lines = (line.strip("# ") for line in text.split("\n"))
    return not titles or any(as_title(each) in titles for each in (*headings, *lines))


def is_placed(text: str, line: int | None, page: Sequence[str]) -> bool:
    """Return whether the chunk's first line is that line of the page, counted from 1."""
    if line is None or not 1 <= line <= len(page):
        return False
    first = next((each.strip() for each in text.split("\n") if each.strip()), "")
    there = page[line - 1].strip()
    return bool(first) and bool(there) and (first in there or there in first)


def prose_lines(text: str) -> Iterator[str]:
    """Yield the lines outside code fences."""
    fence = ""
    for line in text.split("\n"):
        found = _fence(line)
        if found is None:
            if not fence:
                yield line
        elif not fence:
            fence = found[0]
        elif found[0].startswith(fence) and not found[1]:
            fence = ""


def _fence(line: str) -> tuple[str, str] | None:
    """Return the marks of a fence and what stands behind them."""
    found = _FENCE.fullmatch(line)
    if found is None or (found[1][0] == "`" and "`" in found[2]):
        return None
    return found[1], found[2].strip()
