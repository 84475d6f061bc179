"""Recognises GitHub tables."""

from __future__ import annotations

import re

DELIMITER_CELL = re.compile(r":?-+:?")
DELIMITER_ROW = re.compile(r" {0,3}(?=\S[-:| ])(?!- )[-:| ]+$")
UNESCAPED_PIPE = re.compile(r"(?<!\\)\|")


def is_table_head(header: str, delimiter: str) -> bool:
    """Whether two lines begin a table: a row with a pipe, and a delimiter row with as many cells."""
    if "|" not in header or not DELIMITER_ROW.match(delimiter):
        return False
    cells = delimiter.strip().removeprefix("|").removesuffix("|").split("|")
    return all(DELIMITER_CELL.fullmatch(cell.strip()) for cell in cells) and len(cells) == _count_cells(header)


def _count_cells(row: str) -> int:
    row = row.strip()
    pipes = len(UNESCAPED_PIPE.findall(row))
    return pipes + 1 - row.startswith("|") - (len(row) > 1 and row.endswith("|") and not row.endswith("\\|"))
