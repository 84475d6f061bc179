"""Read TOML that a stranger may have written, in time that grows with its length."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from typing import Any

_DEEP_KEY = re.compile(r"(?:^|[\[{,])[ \t]*+(?:(?:[\w-]++|\"[^\"\n]*+\"|'[^'\n]*+')[ \t]*+\.[ \t]*+){100}", re.M)
"""A key with this many parts; tomllib takes quadratic time for it."""


def read_toml(text: str, *, parse_float: Callable[[str], Any] = float) -> dict[str, Any]:
    """Return the document; raises ValueError with the line for invalid TOML or too deep nesting."""
    if deep := _DEEP_KEY.search(text):
        raise ValueError(f"nested too deeply (at line {1 + text.count(chr(10), 0, deep.start())})")
    try:
        return tomllib.loads(text, parse_float=parse_float)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
