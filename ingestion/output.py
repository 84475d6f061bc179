"""Results as lines, blocks of text and tables, and the one gate through which text reaches a person or a log.

Titles, paths, texts and answers come from lessons and models: what would steer a terminal or forge a line of a log is
made visible here (`\\x1b`, `\\n`), and nowhere else.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

Cell = str | int | float | None

# C0 without tab and newline, DEL, C1, lone surrogates, what turns the direction of writing, and other line breaks.
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]")


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: `1 chunk`, `2 chunks`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


@dataclass(frozen=True, slots=True)
class Table:
    """A titled table; an empty one is not shown."""

    title: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[Cell, ...]]


@dataclass(frozen=True, slots=True)
class Block:
    """Text of several lines."""

    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Markdown:
    """Text in Markdown: rendered on a terminal, as it is in a pipe.

    `strong` are offsets of prose that a terminal shows in bold.
    """

    text: str
    strong: tuple[tuple[int, int], ...] = ()

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Link:
    """One line that leads to an address, which a terminal opens; elsewhere the address stands in the line."""

    text: str
    address: str

    def __str__(self) -> str:
        return self.text if self.address in self.text else f"{self.text}, {self.address}"


Part = str | Block | Markdown | Link | Table
"""A `str` is one line, whatever it holds."""

View = Sequence[Part]
"""The parts of a result in the order in which they are shown."""


def one_line(text: str) -> str:
    """Return the text as one line that steers nothing: control characters and line breaks made visible."""
    return visible(text).replace("\n", "\\n").replace("\t", "\\t")


def visible(text: str) -> str:
    """Return the text with its lines and tabs, and every other control character made visible, as `\\x1b`."""
    return _UNSAFE.sub(_escaped, text)


def json_escaped(text: str) -> str:
    """Return JSON in which what would steer a terminal stands as an escape of JSON; its value is the same."""
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _escaped(found: re.Match[str]) -> str:
    code = ord(found[0])
    if found[0] == "\r":
        return "\\r"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
