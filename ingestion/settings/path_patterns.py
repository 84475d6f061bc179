"""Path patterns of `book.paths`: where in a path the module, the chapter and the lesson stand."""

from __future__ import annotations

import re
from functools import cache


@cache
def compile_pattern(pattern: str) -> re.Pattern[str]:
    """Compile a path pattern to a regular expression; `*` stays within a folder, `**` crosses folders.

    Raises ValueError where a name is unknown or repeated.
    """
    pieces = {"{module}": r"(?P<module>[^/]+?)", "{chapter}": r"(?P<chapter>\d+)", "{lesson}": r"(?P<lesson>\d+)"}
    pieces |= {"**/": r"(?:.*/)?", "**": ".*", "*": "[^/]*"}
    parts = re.split(r"(\{\w*\}|\*\*/|\*\*|\*)", re.sub(r"\.(?:mdx?|markdown)$", "", pattern))
    unknown = [part for part in parts if part.startswith("{") and part not in pieces]
    if unknown:
        raise ValueError(
            f"path pattern {pattern!r}: unknown {unknown[0]}; known are {{module}} {{chapter}} {{lesson}}"
        )
    try:
        return re.compile("".join(pieces.get(part, re.escape(part)) for part in parts))
    except re.error as error:
        raise ValueError(f"path pattern {pattern!r}: {error}") from error
