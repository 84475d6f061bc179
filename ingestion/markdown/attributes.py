"""Attributes of tags, shortcodes and braces: `name="text"`, `name='text'`, `name=word`, a word or a text alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_QUOTED = r"\"[^\"]*+\"|'[^']*+'|`[^`]*+`"
_ATTRIBUTE = re.compile(
    rf"(?P<name>[^\s=\"'`<>{{}}]++)(?:\s*+=\s*+(?:\{{\s*+(?=[\"'\d]))?(?P<value>{_QUOTED}|[^\s\"'`<>{{}}]++))?"
    rf"|(?P<alone>{_QUOTED})"
)
"""JSX has texts and numbers in braces; what else stands there is no value."""


class Attribute(NamedTuple):
    """One attribute: its name, empty for a text alone, and its value, None for a word alone.

    `start` is where it begins; `is_text` tells that the value stands in quotes.
    """

    name: str
    value: str | None
    start: int
    is_text: bool


def attributes(written: str) -> Iterator[Attribute]:
    """Yield the attributes in a text, in order."""
    for found in _ATTRIBUTE.finditer(written):
        value = found["value"] or found["alone"]
        is_text = value is not None and value[0] in "\"'`"
        yield Attribute(found["name"] or "", value[1:-1] if value and is_text else value, found.start(), is_text)
