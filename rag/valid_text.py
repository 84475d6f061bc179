"""Texts that every file, database and terminal takes."""

from __future__ import annotations


def valid_text(text: str) -> str:
    """Return the text with NUL and lone surrogates replaced by U+FFFD, and split surrogate pairs joined."""
    if text.isascii() and "\0" not in text:
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\0", "\ufffd")
