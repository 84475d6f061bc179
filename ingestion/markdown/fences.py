"""Where a line begins behind the marks of its containers, and the lines that open and close a block of code."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

_CONTAINER_MARKS = re.compile(r"(?:[ \t>]|(?:[-*+]|\d{1,9}[.)])(?=[ \t]))*+")
_RUN = re.compile(r"`{3,}|~{3,}")


def after_marks(text: str, start: int = 0) -> int:
    """Return where a line that begins at `start` goes on behind the marks of quotations and lists, and blanks."""
    found = _CONTAINER_MARKS.match(text, start)
    return found.end() if found else start


def opening_run(line: str) -> str:
    """Return the marks that open a block of code in this line, or an empty text."""
    if "```" not in line and "~~~" not in line:
        return ""
    found = _RUN.match(line, after_marks(line))
    return found[0] if found else ""


def closes_fence(line: str, run: str) -> bool:
    """Return whether the line closes the block of code that `run` opened."""
    if run not in line:
        return False
    marks = line[after_marks(line) :].rstrip()
    return marks.startswith(run) and not marks.strip(run[0])


def are_code(lines: Iterable[str]) -> Iterator[bool]:
    """Yield for each line whether it is in a block of code, the lines that open and close it included."""
    run = ""
    for line in lines:
        opened = run or opening_run(line)
        yield bool(opened)
        run = "" if run and closes_fence(line, run) else opened


def fenced(text: str, language: str) -> str:
    """Return a text as a block of code, between marks that are longer than any in it."""
    longest = max((len(run) for run in _RUN.findall(text) if run[0] == "`"), default=2)
    run = "`" * (longest + 1)
    return f"{run}{language}\n{text}\n{run}"
