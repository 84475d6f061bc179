"""Limits of one request to an embedder, and batches that fill as few requests as possible."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits of one request, and how many requests may run at once.

    `tokens` limits the sum over a request, `input_tokens` each text; None means no limit.
    """

    inputs: int
    tokens: int | None = None
    input_tokens: int | None = None
    in_flight: int = 1

    def refuse(self, tokens: int) -> str | None:
        """Return why a text of `tokens` tokens fits into no request, or None if it fits."""
        limit = min(bound for bound in (self.input_tokens, self.tokens, tokens) if bound is not None)
        return f"has {tokens} tokens; the embedding service takes at most {limit}" if tokens > limit else None


class Batcher(Generic[T]):
    """Groups items into batches in order; a batch is complete when the next item does not fit."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._items: list[T] = []
        self._tokens = 0

    def add(self, item: T, tokens: int) -> list[T]:
        """Add an item; return the batch that is complete without it, or an empty list."""
        full: list[T] = []
        too_many = self._limits.tokens is not None and self._tokens + tokens > self._limits.tokens
        if self._items and (too_many or len(self._items) == self._limits.inputs):
            full = self.rest()
        self._items.append(item)
        self._tokens += tokens
        return full

    def rest(self) -> list[T]:
        """Return the unfinished batch, which may be empty, and begin a new one."""
        rest, self._items, self._tokens = self._items, [], 0
        return rest
