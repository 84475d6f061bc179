"""The passages that a language model was shown for one question, each under an opaque id (design decision 13)."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rag.models import SearchResult


def random_id() -> str:
    """Return an id that nobody who writes a page can foresee, so that no page can cite another."""
    return f"p-{secrets.token_hex(3)}"


class ShownPassages:
    """Passages by the id that the model cites; the same passage found twice keeps its id."""

    def __init__(self, new_id: Callable[[], str] = random_id) -> None:
        self._new_id = new_id
        self._passages: dict[str, SearchResult] = {}
        self._ids: dict[str, str] = {}

    def show(self, passage: SearchResult) -> str:
        """Return the passage's id, a new one if it was not shown before."""
        if passage.id not in self._ids:
            passage_id = self._new_id()
            while passage_id in self._passages:
                passage_id = self._new_id()
            self._ids[passage.id] = passage_id
            self._passages[passage_id] = passage
        return self._ids[passage.id]

    def get(self, passage_id: str) -> SearchResult | None:
        """Return the passage shown under this id."""
        return self._passages.get(passage_id)

    def __contains__(self, passage: SearchResult) -> bool:
        return passage.id in self._ids

    def __iter__(self) -> Iterator[SearchResult]:
        return iter(self._passages.values())
