"""Search a book as a retriever of LangChain."""

from __future__ import annotations

from typing import Any

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import Field, model_validator

from rag.filters import NO_FILTERS, Filters
from rag.retrieval.integrations import checked_k, metadata_of
from rag.retrieval.retriever import SearchShape


class BookwiseRetriever(BaseRetriever):
    """Returns the `k` best passages of an open `book` as documents, within `filters`; `k` is 1 to 100.

    `search_kwargs` are `k`, `filters` and what `Book.search` takes; a single call of `invoke` takes them too.
    A document has the passage's id and text; its metadata are the fields of `bookwise.SearchResult` and `source`,
    the address or the file with its lines. Scores are `relevance` (ranking) and `score` (cosine).
    """

    book: Any
    k: int = 5
    filters: Filters = NO_FILTERS
    search_kwargs: dict[str, Any] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _can_be_searched(self) -> BookwiseRetriever:
        checked_k(self.k)
        _checked(self.search_kwargs)
        return self

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, **kwargs: Any
    ) -> list[Document]:
        wanted = {"k": self.k, "filters": self.filters} | self.search_kwargs | _checked(kwargs)
        limit = wanted.pop("k")
        found = self.book.search(query, limit=limit, **wanted).results
        return [
            Document(id=passage.id, page_content=passage.text, metadata=metadata_of(passage)) for passage in found
        ]


KNOWN = frozenset(("k", "filters", *SearchShape.__annotations__))


def _checked(wanted: dict[str, Any]) -> dict[str, Any]:
    """Return what a search is asked for; raises ValueError for a name that none takes and a `k` out of bounds."""
    if unknown := wanted.keys() - KNOWN:
        raise ValueError(f"no search takes {', '.join(sorted(unknown))}; there are {', '.join(sorted(KNOWN))}")
    if "k" in wanted:
        checked_k(wanted["k"])
    return wanted
