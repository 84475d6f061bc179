"""Search a book as a retriever of LangChain."""

from __future__ import annotations

from typing import Any

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever

from rag.filters import NO_FILTERS, Filters
from rag.retrieval.integrations import metadata_of


class BookwiseRetriever(BaseRetriever):
    """Returns the `k` best passages of an open `book` as documents, within `filters`.

    A document has the passage's id and text; its metadata are the fields of `bookwise.SearchResult` and `source`,
    the address or the file with its lines. Scores are `relevance` (ranking) and `score` (cosine).
    """

    book: Any
    k: int = 5
    filters: Filters = NO_FILTERS

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        found = self.book.search(query, limit=self.k, filters=self.filters).results
        return [
            Document(id=passage.id, page_content=passage.text, metadata=metadata_of(passage)) for passage in found
        ]
