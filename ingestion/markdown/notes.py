"""Marks of footnotes (`[^1]`), and what defines them (`[^1]: words`)."""

from __future__ import annotations

import re

NOTE = re.compile(r"\[\^(?P<label>[^\]\s]{1,200}+)\](?P<defines>:[ \t]*)?")


def defined_notes(text: str) -> frozenset[str]:
    """Return the labels that a page defines, each at the beginning of a line or of a quotation in it."""
    if "]:" not in text or "[^" not in text:
        return frozenset()
    definitions = (found for found in NOTE.finditer(text) if found["defines"])
    return frozenset(found["label"] for found in definitions if _begins_line(text, found.start()))


def _begins_line(text: str, at: int) -> bool:
    return not text[text.rfind("\n", 0, at) + 1 : at].strip(" \t>")
