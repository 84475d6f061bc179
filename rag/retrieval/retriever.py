"""An open index with its embedder: what search, ask and lesson work on."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any

from ingestion.books import book_to_read
from ingestion.embedding.protocol import Embedder
from ingestion.errors import ConfigurationError, UsageError
from ingestion.factory import embedder_of, open_index
from ingestion.settings import Settings
from ingestion.vector_stores.filters import Where
from ingestion.vector_stores.protocol import VectorStore
from ingestion.vector_stores.types import Schema
from rag.models import SearchQuery, SearchResponse
from rag.retrieval.rerankers import Reranker, build_reranker
from rag.retrieval.search import search
from rag.tracing import span


@dataclass(frozen=True, slots=True)
class Retriever:
    """One book of an open index."""

    settings: Settings
    store: VectorStore
    embedder: Embedder
    book_id: str
    reranker: Reranker | None = None

    def search(self, text: str, *, limit: int, filters: Mapping[str, Any]) -> SearchResponse:
        """The best passages; `filters` are fields of SearchQuery, None where not set.

        Raises UsageError that says which filter cannot be used.
        """
        given = {name: value for name, value in filters.items() if value is not None}
        query = make_query(text, book_id=self.book_id, limit=limit, filters=given)
        with span("retrieval", book_id=self.book_id, limit=limit):
            return search(query, self.store, self.embedder, modules=self.settings.modules, reranker=self.reranker)


@contextmanager
def open_retriever(settings: Settings, embedder: Embedder | None = None) -> Iterator[Retriever]:
    """A retriever on the configured book; raises ConfigurationError where index and embedder do not fit.

    `embedder` is the settings' own, where the caller has begun to load it.
    """
    with _opened(settings, embedder) as (store, embedder):
        yield Retriever(settings, store, embedder, book_to_read(settings, store), build_reranker(settings))


@contextmanager
def open_retrievers(settings: Settings) -> Iterator[list[Retriever]]:
    """A retriever on the configured book, or on each book there is; raises like `open_retriever`."""
    with _opened(settings) as (store, embedder):
        books = [book_to_read(settings, store)] if settings.book.id else sorted(store.values("book_id", Where()))
        reranker = build_reranker(settings)
        yield [Retriever(settings, store, embedder, book, reranker) for book in books]


@contextmanager
def _opened(settings: Settings, embedder: Embedder | None = None) -> Iterator[tuple[VectorStore, Embedder]]:
    embedder = embedder or embedder_of(settings)
    with closing(open_index(settings)) as store:
        wanted = Schema(embedder.model, embedder.dimensions)
        if store.schema != wanted:
            raise ConfigurationError(
                f"the index was embedded by {store.schema.embedding}, but questions would be by {wanted.embedding}; "
                "set BOOKWISE_EMBEDDER to the former, or run `bookwise ingest --mode recreate`"
            )
        yield store, embedder


def make_query(text: str, *, book_id: str, limit: int, filters: Mapping[str, Any]) -> SearchQuery:
    """A valid query; raises UsageError naming every field that is not."""
    from pydantic import ValidationError

    try:
        return SearchQuery.model_validate({"text": text, "book_id": book_id, "limit": limit, **filters})
    except ValidationError as error:
        lines = [f"{'.'.join(map(str, each['loc'])) or 'query'}: {each['msg']}" for each in error.errors()]
        raise UsageError("; ".join(lines)) from error


def chapter_range(text: str | None) -> tuple[int | None, int | None]:
    """`3` is chapter 3 alone, `2-4` both ends included, `2-` and `-4` are open; raises UsageError."""
    if text is None:
        return None, None
    match = re.fullmatch(r"\s*(\d+)?\s*(-)?\s*(\d+)?\s*", text)
    if not match or not (match[1] or match[3]):
        raise UsageError(f"chapter {text!r}: give a number, or a range such as 2-4")
    first = int(match[1]) if match[1] else None
    last = int(match[3]) if match[3] else None
    return (first, last) if match[2] else (first, first)
