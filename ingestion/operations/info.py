"""The contents of the index: books, files, chunks and their embedding."""

from __future__ import annotations

import logging
from dataclasses import asdict, dataclass
from http import HTTPStatus
from typing import Any

from ingestion.errors import RecordsDamaged, RequestFailed
from ingestion.factory import generations_of, location_of, states_of
from ingestion.settings import Settings
from ingestion.state.state_file import StateStore
from ingestion.vector_stores.filters import Equals, Where, of_book
from ingestion.vector_stores.health import Health
from ingestion.vector_stores.protocol import PointReader

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class BookInfo:
    """One book in the index; `last_run` is None if this folder's state does not know it."""

    book_id: str
    files: int
    chunks: int
    modules: dict[str, int]
    last_run: str | None


@dataclass(frozen=True, slots=True)
class IndexInfo:
    """The active generation of a collection; `health` is that of its server, None for an embedded index."""

    collection: str
    location: str
    embedding: str
    dimensions: int
    points: int
    books: tuple[BookInfo, ...]
    health: Health | None = None

    def as_json(self) -> dict[str, Any]:
        """Return one JSON document."""
        return asdict(self) | {"health": self.health and self.health.as_json()}


def coverage_of(store: PointReader, book_id: str) -> dict[tuple[str, int], int]:
    """Return the chunks of each module and hardware tier of a book."""
    counts: dict[tuple[str, int], int] = {}
    for tier in range(1, 5):
        where = of_book(book_id, Equals("hardware_tier", tier))
        counts |= {(module, tier): count for module, count in store.values("module", where).items()}
    return counts


def index_info(store: PointReader, settings: Settings) -> IndexInfo:
    """Return the books and counts of an open index, and the health of its server."""
    generations = generations_of(settings)
    states = states_of(settings, generations)
    books = []
    for book_id, chunks in sorted(store.values("book_id", Where()).items()):
        where = of_book(book_id)
        books.append(
            BookInfo(
                book_id=book_id,
                files=len(store.values("source_file", where)),
                chunks=chunks,
                modules=store.values("module", where),
                last_run=_last_run(states, book_id, settings.qdrant.collection),
            )
        )
    return IndexInfo(
        collection=settings.qdrant.collection,
        location=location_of(settings),
        embedding=store.schema.embedding,
        dimensions=store.schema.dimensions,
        points=sum(book.chunks for book in books),
        books=tuple(books),
        health=generations.health(),
    )


def _last_run(states: StateStore, book_id: str, collection: str) -> str | None:
    """Return when the book was last indexed, None where no record tells or the key may not read the records."""
    try:
        return states.load(book_id, collection).last_incremental_update
    except RecordsDamaged as error:
        logger.warning("%s", error)
        return None
    except RequestFailed as error:
        if error.status != HTTPStatus.FORBIDDEN:
            raise
        return None
