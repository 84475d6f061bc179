"""Definitions of links (`[label]: address "title"`), which links name by their label."""

from __future__ import annotations

import re

DEFINITION = re.compile(
    r"^[ \t>]*(?:[-*+][ \t>]+)*\[(?!\^)(?P<label>[^\]\n]+)\]:[ \t]*\n?[ \t>]*(?:<(?P<angle>[^<>\n]*)>|(?P<plain>\S+))"
    r"(?P<title>[ \t]*\n?[ \t>]*[\"'(])?",
    re.M,
)
_NOWHERE = ("", "#", "-")


def is_remark(definition: str) -> bool:
    """Return whether a definition leads nowhere and has a title: how authors write remarks."""
    found = DEFINITION.match(definition)
    return found is not None and found["title"] is not None and (found["angle"] or found["plain"] or "") in _NOWHERE
