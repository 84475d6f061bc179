"""Results as tables and lines of text, which the command line prints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    pass

Cell = str | int | float | None


@dataclass(frozen=True, slots=True)
class Table:
    """A titled table; an empty one is not shown."""

    title: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[Cell, ...]]


View = Sequence[Table | str]
"""Tables and lines of text in the order in which they are shown."""
