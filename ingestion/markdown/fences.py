"""The lines that open and close a block of code."""

from __future__ import annotations

import re

FENCE = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(?P<run>`{3,}|~{3,})")
"""The first line of a block of code, which may stand in a quotation or in a list."""


def opening_run(line: str) -> str:
    """Return the marks that open a block of code in this line, or an empty text."""
    found = FENCE.match(line)
    return found["run"] if found else ""


def closes_fence(line: str, run: str) -> bool:
    """Return whether the line closes the block of code that `run` opened."""
    found = FENCE.match(line)
    return found is not None and found["run"].startswith(run) and not line[found.end() :].strip()
