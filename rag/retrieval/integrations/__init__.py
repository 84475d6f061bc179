"""Retrievers of other frameworks over an open book."""

from __future__ import annotations

from typing import Any, Protocol, Unpack

from rag.filters import Filters
from rag.models import MAX_LIMIT, SearchResponse, SearchResult
from rag.retrieval.retriever import SearchShape


class Searchable(Protocol):
    """What a retriever needs of a book; `bookwise.Book` has it."""

    def search(
        self, question: str, /, *, limit: int, filters: Filters, **shape: Unpack[SearchShape]
    ) -> SearchResponse:
        """Return the best passages, best first."""
        ...


def checked_k(k: Any) -> int:
    """Return how many passages are wanted; raises ValueError unless it is 1 to 100."""
    if isinstance(k, bool) or not isinstance(k, int) or not 1 <= k <= MAX_LIMIT:
        raise ValueError(f"k = {k!r}: a whole number from 1 to {MAX_LIMIT}")
    return k


def metadata_of(passage: SearchResult) -> dict[str, Any]:
    """Return what a passage has beside its text and id; `source` is the key that others cite by."""
    return {"source": passage.location} | passage.model_dump(mode="json", exclude={"id", "text"})
