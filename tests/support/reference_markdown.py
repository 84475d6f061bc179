"""Blocks as pulldown-cmark reads them: an independent parser (pyromark), for tests that compare."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import Any

import pyromark

from ingestion.markdown.blocks import walk
from ingestion.markdown.parser import parse_blocks

Found = tuple[int, int, str, int, bool]
"""First line, line after the last, kind, a heading's level, and whether a heading stands in no container."""

_READER = pyromark.Markdown(options=pyromark.Options.ENABLE_TABLES | pyromark.Options.ENABLE_FOOTNOTES)


def our_structure(text: str) -> list[Found]:
    """Return the headings, fences and tables of a page."""
    blocks = parse_blocks(text.split("\n"))
    top = {id(block) for block in blocks}
    return sorted(
        (block.start, block.end, block.kind, block.level, block.kind == "heading" and id(block) in top)
        for block in walk(blocks)
        if block.kind in ("heading", "fence", "table")
    )


def reference_structure(text: str) -> list[Found]:
    """Return the same as the other parser reads it."""
    lines = text.split("\n")
    starts = [0, *accumulate(len(line.encode()) + 1 for line in lines)]
    found: list[Found] = []
    depth = 0
    for event, place in _READER.events_with_range(text):
        if not isinstance(event, dict):
            continue
        if "End" in event:
            depth -= 1
        elif "Start" in event:
            kind, level = _kind(event["Start"])
            if kind:
                start = bisect_right(starts, place["start"]) - 1
                end = bisect_right(starts, max(place["end"] - 1, place["start"]))
                while end > start + 1 and not lines[end - 1].strip(" >\t"):
                    end -= 1
                found.append((start, end, kind, level, kind == "heading" and depth == 0))
            depth += 1
    return sorted(found)


def _kind(tag: Any) -> tuple[str, int]:
    if not isinstance(tag, dict):
        return "", 0
    if "Heading" in tag:
        return "heading", int(tag["Heading"]["level"][1])
    if "Table" in tag:
        return "table", 0
    is_fence = isinstance(tag.get("CodeBlock"), dict) and "Fenced" in tag["CodeBlock"]
    return ("fence", 0) if is_fence else ("", 0)
