"""Which book a command means."""

from __future__ import annotations

from contextlib import closing

from ingestion.errors import ConfigurationError, RecordsDamaged, UsageError
from ingestion.settings import Settings
from ingestion.state.state_file import StateStore
from ingestion.vector_stores.filters import Where
from ingestion.vector_stores.protocol import OpenGenerations, PointReader

DEFAULT_BOOK = "physical-ai-robotics"


def book_to_write(settings: Settings, states: StateStore, generations: OpenGenerations) -> str:
    """Return the book that `ingest` writes (docs/design.md, decision 14); never a folder's name."""
    if settings.book.id:
        return settings.book.id
    try:
        recorded = states.books()
    except RecordsDamaged:
        # The run that follows tells of it; the wrong name would make a second book.
        recorded = _stored_books(generations)
    return recorded[0] if len(recorded) == 1 else DEFAULT_BOOK


def _stored_books(generations: OpenGenerations) -> list[str]:
    store = generations.open_active()
    if store is None:
        return []
    with closing(store):
        return sorted(store.values("book_id", Where()))


def book_to_read(settings: Settings, store: PointReader) -> str:
    """Return the configured book, or the only one there is; raises UsageError that lists the choices.

    Raises ConfigurationError where no book has any text.
    """
    books = sorted(store.values("book_id", Where()))
    if not books:
        raise ConfigurationError(
            "the index is empty: no lesson with text was indexed; see `bookwise check`, then run `bookwise ingest`"
        )
    if settings.book.id:
        if settings.book.id not in books:
            raise UsageError(f"no book {settings.book.id!r} in the index; there are {', '.join(books)}")
        return settings.book.id
    if len(books) == 1:
        return books[0]
    raise UsageError(f"choose a book with --book: {', '.join(books)}")
