"""Where the sentences of a text begin and end."""

from __future__ import annotations

import re

STOP = r"(?<=[.!?…])[\"'”’)*_`]*"
"""The end of a sentence, in scripts that space their words."""

STOP_UNSPACED = r"(?<=[。！？])[\"'”’）」]*"
"""The end of a sentence in Chinese and Japanese."""

_END = re.compile(rf"{STOP}(?:\s+|$)|{STOP_UNSPACED}\s*")
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|fig|approx|resp|ca)\.|(?<!\S)(?-i:[A-Z])\.|^\s*\d{1,3}\.)$", re.IGNORECASE
)

MAX_ABBREVIATION = 40
"""Characters before a stop that are looked at: a text may have a thousand stops that end no sentence."""


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return the sentences as pairs of offsets, without the spaces between them."""
    spans = []
    start = 0
    for found in _END.finditer(text):
        end = start + len(text[start : found.end()].rstrip())
        if end <= start or not ends_sentence(text[start : found.start()], text[found.end() : found.end() + 1]):
            continue
        spans.append((start, end))
        start = found.end()
    if text[start:].strip():
        spans.append((start, len(text.rstrip())))
    return [(begin + len(text[begin:end]) - len(text[begin:end].lstrip()), end) for begin, end in spans]


def ends_sentence(before: str, after: str) -> bool:
    """Return whether a stop between these texts ends a sentence.

    A stop after an abbreviation, an initial or an item's number ends nothing, nor does one before a small letter.
    """
    return not after[:1].islower() and not _ABBREVIATION.search(before, max(0, len(before) - MAX_ABBREVIATION))
