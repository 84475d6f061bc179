"""Cuts text that has no better boundary between what a reader sees as single characters."""

from __future__ import annotations

RUN_BYTES = 32
"""How much text goes into one run: small enough to fill a chunk well, large enough to keep runs few."""


def cut_between_graphemes(text: str, limit: int) -> list[str]:
    """The text in runs of no more than `limit` tokens, never cut inside a grapheme cluster (Unicode Annex 29).

    A run has few bytes, and no token is shorter than a byte. One cluster with more than that is a run of its own.
    """
    import regex

    most = min(RUN_BYTES, limit)
    runs: list[str] = []
    start = size = 0
    for cluster in regex.finditer(r"\X", text):
        length = len(cluster[0].encode("utf-8", "surrogatepass"))
        if size and size + length > most:
            runs.append(text[start : cluster.start()])
            start, size = cluster.start(), 0
        size += length
    runs.append(text[start:])
    return runs
