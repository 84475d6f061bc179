"""Texts that every file, database and terminal takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

T = TypeVar("T")


def valid_text(text: str) -> str:
    """Return the text with NUL and lone surrogates replaced by U+FFFD, and split surrogate pairs joined."""
    if text.isascii() and "\0" not in text:
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\0", "\ufffd")


def storable(value: T) -> T:
    """Return a JSON value of valid texts."""
    if isinstance(value, str):
        return valid_text(value)  # type: ignore[return-value]
    if isinstance(value, Mapping):
        return {storable(key): storable(item) for key, item in value.items()}  # type: ignore[return-value]
    if isinstance(value, list | tuple):
        return [storable(item) for item in value]  # type: ignore[return-value]
    return value
