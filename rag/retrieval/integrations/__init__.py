"""Retrievers of other frameworks over an open book."""

from __future__ import annotations

from typing import Any, Protocol

from rag.filters import Filters
from rag.models import SearchResponse, SearchResult


class Searchable(Protocol):
    """What a retriever needs of a book; `bookwise.Book` has it."""

    def search(self, question: str, /, *, limit: int, filters: Filters) -> SearchResponse:
        """Return the best passages, best first."""
        ...


def metadata_of(passage: SearchResult) -> dict[str, Any]:
    """Return what a passage has beside its text and id; `source` is the key that others cite by."""
    return {"source": passage.location} | passage.model_dump(mode="json", exclude={"id", "text"})
