"""Where the sentences of a text begin and end."""

from __future__ import annotations

import re

_END = re.compile(r"""(?<=[.!?…])["'”’)*_`]*(?:\s+|$)|(?<=[。！？])["'”’）」]*\s*""")
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|fig|approx|resp|ca)\.|\b[A-Z]\.|^\s*\d{1,3}\.)$", re.IGNORECASE
)


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """The sentences as pairs of offsets, without the spaces between them.

    A stop after an abbreviation, an initial or an item's number ends nothing, nor does one before a small letter.
    """
    spans = []
    start = 0
    for found in _END.finditer(text):
        end = len(text[: found.end()].rstrip())
        following = text[found.end() : found.end() + 1]
        if end <= start or following.islower() or _ABBREVIATION.search(text[start : found.start()]):
            continue
        spans.append((start, end))
        start = found.end()
    if text[start:].strip():
        spans.append((start, len(text.rstrip())))
    return [(begin + len(text[begin:end]) - len(text[begin:end].lstrip()), end) for begin, end in spans]
