"""What the index holds: books, files, chunks and the embedding they were made with."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from ingestion.factory import generations_of, location_of, states_of
from ingestion.settings import Settings
from ingestion.vector_stores.filters import Equals, Where
from ingestion.vector_stores.protocol import VectorStore


@dataclass(frozen=True, slots=True)
class BookInfo:
    """One book in the index; `last_run` is None where this folder's state does not know it."""

    book_id: str
    files: int
    chunks: int
    modules: dict[str, int]
    last_run: str | None


@dataclass(frozen=True, slots=True)
class IndexInfo:
    """The active generation of a collection."""

    collection: str
    location: str
    embedding: str
    dimensions: int
    points: int
    books: tuple[BookInfo, ...]

    def as_json(self) -> dict[str, Any]:
        """One JSON document."""
        return asdict(self)


def coverage_of(store: VectorStore, book_id: str) -> dict[tuple[str, int], int]:
    """Return the chunks of each module and hardware tier of a book."""
    counts: dict[tuple[str, int], int] = {}
    for tier in range(1, 5):
        where = Where((Equals("book_id", book_id), Equals("hardware_tier", tier)))
        counts |= {(module, tier): count for module, count in store.values("module", where).items()}
    return counts


def index_info(store: VectorStore, settings: Settings) -> IndexInfo:
    """The books and counts of an open index."""
    states = states_of(settings, generations_of(settings))
    books = []
    for book_id, chunks in sorted(store.values("book_id", Where()).items()):
        where = Where((Equals("book_id", book_id),))
        state = states.load(book_id, settings.qdrant.collection)
        books.append(
            BookInfo(
                book_id=book_id,
                files=len(store.values("source_file", where)),
                chunks=chunks,
                modules=store.values("module", where),
                last_run=state.last_incremental_update,
            )
        )
    return IndexInfo(
        collection=settings.qdrant.collection,
        location=location_of(settings),
        embedding=store.schema.embedding,
        dimensions=store.schema.dimensions,
        points=sum(book.chunks for book in books),
        books=tuple(books),
    )
