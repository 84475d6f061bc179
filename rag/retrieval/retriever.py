"""An open index with its embedder: what search, ask and lesson work on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import TypedDict, Unpack

from ingestion.books import book_to_read
from ingestion.embedding.protocol import Embedder
from ingestion.errors import TooShort, UsageError
from ingestion.factory import embedder_of, open_index, remedy_of, settle_embedder
from ingestion.markdown.cleaner import searchable
from ingestion.settings import Settings
from ingestion.vector_stores.filters import Where
from ingestion.vector_stores.protocol import PointSearcher, VectorStore
from ingestion.vector_stores.types import Schema, require_schema
from rag.filters import EVERYTHING, NO_FILTERS, Filters, SearchMode
from rag.models import SearchQuery, SearchResponse, SearchResult, WideQuery
from rag.retrieval.completion import with_completions
from rag.retrieval.evidence import IsSettled, heeded_by
from rag.retrieval.expansion import beside
from rag.retrieval.filters import where_of
from rag.retrieval.rerankers import Reranker, build_reranker
from rag.retrieval.search import search
from rag.tracing import span


class SearchShape(TypedDict, total=False):
    """How a search ranks and what it shows of each passage, beside its filters; see SearchQuery."""

    mode: SearchMode
    min_score: float
    all_versions: bool
    diverse: bool
    expand: int
    whole_lesson: bool
    to_answer: bool


@dataclass(frozen=True, slots=True)
class Retriever:
    """Searches one book of an open index; errors name nothing outside of `scope`, all that the asker may see.

    `is_marked`: the book is the only one by the word of the runs that marked the points (`only_book`).
    """

    settings: Settings
    store: PointSearcher
    embedder: Embedder
    book_id: str
    reranker: Reranker | None = None
    scope: Filters = EVERYTHING
    is_marked: bool = False

    def search(
        self, text: str, *, limit: int, filters: Filters = NO_FILTERS, **shape: Unpack[SearchShape]
    ) -> SearchResponse:
        """Return the best passages; raises UsageError that says which part of the query cannot be used."""
        return self._found(
            make_query(text, book_id=self.book_id, limit=limit, filters=filters, **shape), self.embedder
        )

    def nothing(self, text: str, filters: Filters = NO_FILTERS) -> SearchResponse:
        """Return the response to a text for which nothing can be searched."""
        return SearchResponse(
            query=text,
            results=(),
            total_found=0,
            hardware_tier_filter=filters.hardware_tier,
            module_filter=filters.module,
            book_id=self.book_id,
        )

    def search_words(self, text: str, *, limit: int, filters: Filters = NO_FILTERS) -> SearchResponse:
        """Return the best passages by their words alone: nothing is embedded, and no passage has a cosine."""
        query = make_query(text, book_id=self.book_id, limit=limit, filters=filters, mode="keyword")
        return self._found(query, None)

    def search_typed(self, text: str, *, limit: int, filters: Filters = NO_FILTERS) -> SearchResponse:
        """Return the best passages for what a reader is typing, by words, a begun word completed."""
        everything = where_of(self.book_id, self.scope, self.settings.modules)
        completed = with_completions(text, self.store, everything)
        response = self.search_words(completed, limit=limit, filters=filters)
        return response.model_copy(update={"query": text})

    def _found(self, query: SearchQuery, embedder: Embedder | None) -> SearchResponse:
        with span("retrieval", {"bookwise.book_id": self.book_id, "bookwise.limit": query.limit}):
            try:
                response = search(
                    query,
                    self.store,
                    embedder,
                    modules=self.settings.modules,
                    reranker=self.reranker if embedder else None,
                    scope=self.scope,
                )
            except UsageError:
                self._check_book()
                raise
        if not response.results:
            self._check_book()
        least = self.settings.agent.min_relevance_score
        is_relevant = any(passage.score >= least for passage in response.results)
        return response.model_copy(update={"has_relevant_results": is_relevant})

    def _check_book(self) -> None:
        """Raise UsageError where the index has no such book: asked only of what found nothing: it is a request."""
        if self.is_marked or self.settings.book.id == self.book_id:
            book = book_to_read(self.settings, self.store)
            if book != self.book_id:
                raise UsageError(f"choose a book with --book: {book}")

    def heeded(self, question: str, passage: SearchResult, is_settled: IsSettled) -> float:
        """Return how far a passage that the question found speaks of each of its words, 0–1, see `heeded_by`."""
        return heeded_by(passage, searchable(question), self.embedder, is_settled)

    def beside(self, passages: Sequence[SearchResult]) -> tuple[SearchResult, ...]:
        """Return the passages before and after these in the same version of their lessons, see `beside`."""
        return beside(passages, self.store)


@contextmanager
def open_retriever(
    settings: Settings, embedder: Embedder | None = None, *, only_searches: bool = True
) -> Iterator[Retriever]:
    """Return a retriever on the configured book; raises ConfigurationError where index and embedder do not fit.

    Whether the index has that book is seen by the first search that finds nothing.

    `embedder` is the settings' own, where the caller has begun to load it. A caller that also does other things than
    to search is told at once of several books.
    """
    with _opened(settings, embedder) as (store, embedder):
        marked = store.only_book() if only_searches and not settings.book.id else None
        book_id = settings.book.id or marked or book_to_read(settings, store)
        yield Retriever(settings, store, embedder, book_id, build_reranker(settings), is_marked=marked is not None)


@contextmanager
def open_retrievers(settings: Settings) -> Iterator[list[Retriever]]:
    """Return a retriever on the configured book, or on each book there is; raises like `open_retriever`."""
    with _opened(settings) as (store, embedder):
        books = [book_to_read(settings, store)] if settings.book.id else sorted(store.values("book_id", Where()))
        reranker = build_reranker(settings)
        yield [Retriever(settings, store, embedder, book, reranker) for book in books]


@contextmanager
def _opened(settings: Settings, embedder: Embedder | None = None) -> Iterator[tuple[VectorStore, Embedder]]:
    embedder = embedder or embedder_of(settle_embedder(settings))
    with closing(open_index(settings)) as store:
        made_by = store.schema.embedding
        require_schema(store.schema, Schema(embedder.model, embedder.dimensions), remedy=remedy_of(settings, made_by))
        yield store, embedder


def make_query(text: str, *, book_id: str, limit: int, filters: Filters, **shape: Unpack[SearchShape]) -> SearchQuery:
    """Return a valid query; raises UsageError naming every field that is not."""
    from pydantic import ValidationError

    given = {"text": text, "book_id": book_id, "limit": limit, **filters.query_fields(), **shape}
    try:
        return (SearchQuery if limit <= 20 else WideQuery).model_validate(given)
    except ValidationError as error:
        lines = [f"{'.'.join(map(str, problem['loc'])) or 'query'}: {problem['msg']}" for problem in error.errors()]
        is_short = bool(text.strip()) and {problem["type"] for problem in error.errors()} == {"string_too_short"}
        raise (TooShort if is_short else UsageError)("; ".join(lines)) from error
