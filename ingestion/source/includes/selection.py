"""The part of an included file that stands between two marks, which each generator writes its own way."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ingestion.source.includes.files import CannotInclude


def region(lines: Iterable[str], marks: re.Pattern[str], name: str, kind: str, *, ends: bool = False) -> list[str]:
    """Return the lines between the marks of this name, without the marks of others.

    `marks` finds a mark's `name`, and `end` where it closes. What is never closed goes to the end of the file, but
    for those who ask that it `ends`. Raises CannotInclude where there is no such part, of this `kind`.
    """
    inside: list[str] | None = None
    for line in lines:
        mark = marks.search(line)
        if mark is None:
            if inside is not None:
                inside.append(line)
        elif mark["name"] == name and (mark["end"] is not None) == (inside is not None):
            if inside is not None:
                return inside
            inside = []
    if inside is None or ends:
        raise CannotInclude(f"has no {kind} `{name}`")
    return inside


def lines_of(text: str) -> list[str]:
    """Return the lines of a file, without what follows its last line end where that is nothing."""
    return text.removesuffix("\n").split("\n") if text else []
