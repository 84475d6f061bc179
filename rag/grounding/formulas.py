"""Formulas in a text, which stand in a source letter by letter, but for their blanks.

Their numbers and letters say nothing apart from them: an exponent is no number of the book. The value behind the last
sign of equality is one.
"""

from __future__ import annotations

import re

_FORMULA = re.compile(r"\$([^\s$]+)\$")
"""One without blanks, as `in_one_word` writes it."""


def in_one_word(formula: str) -> str:
    """Return a formula of a page without blanks, between dollars."""
    bare = formula.strip("$") if formula[0] == "$" else formula[2:-2]
    return f"${''.join(bare.split()).strip('.,;')}$"


def formulas_in(text: str) -> tuple[str, ...]:
    """Return the formulas of a text, without their dollars."""
    return tuple(_FORMULA.findall(text))


def without_formulas(text: str) -> str:
    """Return a text of the same length that has only the values of its formulas."""
    return _FORMULA.sub(_value, text) if "$" in text else text


def _value(found: re.Match[str]) -> str:
    value = found[1].rpartition("=")[2].replace(",", "")
    is_number = value.replace(".", "", 1).isdigit()
    return (value if is_number else "").rjust(len(found[0]) - 1) + " "
