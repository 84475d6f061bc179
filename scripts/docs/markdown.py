"""Pieces of Markdown that the generated pages are made of."""

from __future__ import annotations

import re
from collections.abc import Sequence


def text(value: str) -> str:
    """Return one line of Markdown; a pipe would end a cell."""
    return re.sub(r"\s+", " ", value).strip().replace("|", "\\|")


def first_paragraph(value: str) -> str:
    """Return the first paragraph as one line."""
    return text(value.split("\n\n")[0])


def table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table, "" where it has no rows."""
    if not rows:
        return ""
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in lines) + "\n"
