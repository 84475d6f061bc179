"""What one request to an embedder may hold, and texts packed into as few requests as hold them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The bounds of one request, and how many requests may run at once.

    `tokens` bounds the sum over a request, `input_tokens` each text; None means no bound.
    """

    inputs: int
    tokens: int | None = None
    input_tokens: int | None = None
    in_flight: int = 1

    def refuse(self, tokens: int) -> str | None:
        """Why a text of so many tokens can be in no request, or None."""
        most = min(each for each in (self.input_tokens, self.tokens, tokens) if each is not None)
        return f"has {tokens} tokens; the embedding service takes at most {most}" if tokens > most else None


class Packer(Generic[T]):
    """Packs items in order; a request is closed when the next item does not fit, or nothing more would."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._items: list[T] = []
        self._tokens = 0

    def add(self, item: T, tokens: int) -> list[T]:
        """Take an item; returns the request that is full without it, else nothing."""
        full: list[T] = []
        too_many = self._limits.tokens is not None and self._tokens + tokens > self._limits.tokens
        if self._items and (too_many or len(self._items) == self._limits.inputs):
            full = self.rest()
        self._items.append(item)
        self._tokens += tokens
        return full

    def rest(self) -> list[T]:
        """The request that is being filled, which may be empty; the next item begins another."""
        rest, self._items, self._tokens = self._items, [], 0
        return rest
