"""Join neighbouring chunks into one continuous passage: what was repeated at their edges is shown once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ingestion.models import lines_of_text

_NEAR = 80
"""Characters on both sides of a cut inside a line that tell whether its script spaces words."""


class Joined(NamedTuple):
    """A text of several chunks, and the line of the file for each of its lines."""

    text: str
    lines: tuple[int, ...]


def join_chunks(chunks: Sequence[Mapping[str, Any]]) -> Joined:
    """Return the text of payloads that follow each other in one file, as it stands there up to blank lines.

    What the chunker repeats at the beginning or end of a piece of a fence or a table is left out between two pieces.
    """
    text, lines = "", [0]
    for number, chunk in enumerate(chunks):
        before, behind = chunk.get("repeated") or (0, 0)
        rows = str(chunk["text"]).split("\n")
        first = before if number else 0
        last = len(rows) - (behind if number + 1 < len(chunks) else 0)
        rest = "\n".join(rows[first:last])
        gap = _between(chunks[number - 1], chunk, text, rest) if number else ""
        in_file = lines_of_text(chunk, len(rows))[first:last]
        text += gap + rest
        lines += [lines[-1]] * (gap.count("\n") - 1)
        lines += in_file if "\n" in gap or not number else in_file[1:]  # which go on where the text before ends
    return Joined(text, tuple(lines[1:]))


def _lines(chunk: Mapping[str, Any]) -> tuple[int, int]:
    """Return the first and last line of a chunk in the page as its readers see it."""
    first, last = chunk.get("expanded_lines") or (chunk["line_start"], chunk["line_end"])
    return int(first), int(last)


def _between(before: Mapping[str, Any], after: Mapping[str, Any], left: str, right: str) -> str:
    gap = _lines(after)[0] - _lines(before)[1]
    if gap > 0:
        return "\n" if gap == 1 else "\n\n"
    around = left[-_NEAR:].rpartition("\n")[2] + right[:_NEAR].partition("\n")[0]
    return " " if " " in around else ""
