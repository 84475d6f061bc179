"""Join neighbouring chunks into one continuous passage: what was repeated at their edges is shown once."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

_FENCE = re.compile(r"[\s>]*(`{3,}|~{3,})")
_DELIMITER = re.compile(r"[\s>]*\|?[\s:|-]*-[\s:|-]*")
_NEAR = 80
"""Characters on both sides of a cut inside a line that tell whether its script spaces words."""


def join_chunks(chunks: Sequence[Mapping[str, Any]]) -> str:
    """Return the text of payloads that follow each other in one file, as it stands there up to blank lines.

    The chunker repeats a fence's opening line or a table's head in each later piece, and closes the fence in each
    earlier one; between two pieces of one block these lines are left out.
    """
    text = str(chunks[0]["text"])
    opened = 0
    for before, after in pairwise(chunks):
        ends, begins = str(before["text"]).split("\n"), str(after["text"]).split("\n")
        goes_on = _goes_on(ends, begins) and _added_lines(before, ends) > opened and _added_lines(after, begins) > 0
        if goes_on:
            text = text.rpartition("\n")[0]
        opened = 1 if goes_on else _repeated_head(after, begins)
        rest = "\n".join(begins[opened:])
        text += _between(before, after, text, rest) + rest
    return text


def _goes_on(ends: Sequence[str], begins: Sequence[str]) -> bool:
    """Return whether a fence is closed by the last line and opened by the first of the next chunk in the same way."""
    closing, opening = _FENCE.match(ends[-1]), _FENCE.match(begins[0])
    return closing is not None and opening is not None and closing[1] == opening[1]


def _repeated_head(chunk: Mapping[str, Any], lines: Sequence[str]) -> int:
    """Return how many lines of a table's head are repeated."""
    is_table = len(lines) > 2 and "|" in lines[0] and _DELIMITER.fullmatch(lines[1]) is not None
    return 2 if is_table and _added_lines(chunk, lines) >= 2 else 0


def _added_lines(chunk: Mapping[str, Any], lines: Sequence[str]) -> int:
    """Return how many lines the text has beyond those of the file it was cut from."""
    first, last = _lines(chunk)
    return len(lines) - (last - first + 1)


def _lines(chunk: Mapping[str, Any]) -> tuple[int, int]:
    """First and last line of a chunk, counted with the text of included files."""
    first, last = chunk.get("expanded_lines") or (chunk["line_start"], chunk["line_end"])
    return int(first), int(last)


def _between(before: Mapping[str, Any], after: Mapping[str, Any], left: str, right: str) -> str:
    gap = _lines(after)[0] - _lines(before)[1]
    if gap > 0:
        return "\n" if gap == 1 else "\n\n"
    around = left[-_NEAR:].rpartition("\n")[2] + right[:_NEAR].partition("\n")[0]
    return " " if " " in around else ""
