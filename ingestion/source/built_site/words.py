"""Texts of pages and of lessons as they are compared: by their words, and headings in their order."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from unicodedata import normalize

from ingestion.markdown.cleaner import searchable

MAX_CELLS = 4_000_000
"""Comparisons of headings with each other; a page of a thousand headings takes a million."""

ALIKE = 0.5
"""The share of their words that two headings have in common which are the same one, with an icon more or less."""

_WORD = re.compile(r"[^\W_]+")
_MARKS = str.maketrans("", "", "`*")
"""Marks that stand within words (`` `await`ed ``)."""


def words_of(text: str) -> list[str]:
    """Return the words of a text, in the letters and the case in which they are compared."""
    return _WORD.findall(normalize("NFKC", searchable(text.translate(_MARKS))).lower())


def are_alike(one: str, other: str) -> bool:
    """Return whether two texts are those of one heading: most of their words in common, or none in either."""
    words, others = set(words_of(one)), set(words_of(other))
    return words == others or len(words & others) > ALIKE * len(words | others)


def as_compared(text: str) -> str:
    """Return a heading as it is compared; one without words stands as it is."""
    return " ".join(words_of(text)) or "".join(text.split())


def matched_in_order(wanted: Sequence[str], found: Sequence[str]) -> list[int | None]:
    """Return for each text the place of an equal one, in the same order, so that as many as possible have one."""
    begin, end = 0, 0
    shorter = min(len(wanted), len(found))
    while begin < shorter and wanted[begin] == found[begin]:
        begin += 1
    while end < shorter - begin and wanted[-1 - end] == found[-1 - end]:
        end += 1
    places: list[int | None] = [None] * len(wanted)
    places[:begin] = range(begin)
    for back in range(1, end + 1):
        places[-back] = len(found) - back
    rows, columns = wanted[begin : len(wanted) - end], found[begin : len(found) - end]
    if len(rows) * len(columns) <= MAX_CELLS:
        for row, column in _longest_common(rows, columns):
            places[begin + row] = begin + column
    return places


def _longest_common(rows: Sequence[str], columns: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the places of the longest sequence of texts that both have."""
    lengths = [[0] * (len(columns) + 1) for _ in range(len(rows) + 1)]
    for row in range(len(rows) - 1, -1, -1):
        below = lengths[row + 1]
        for column in range(len(columns) - 1, -1, -1):
            equal = rows[row] == columns[column]
            lengths[row][column] = below[column + 1] + 1 if equal else max(below[column], lengths[row][column + 1])
    row = column = 0
    while row < len(rows) and column < len(columns):
        if rows[row] == columns[column]:
            yield row, column
            row, column = row + 1, column + 1
        elif lengths[row + 1][column] >= lengths[row][column + 1]:
            row += 1
        else:
            column += 1
