"""Remove a whole book from the index and the state."""

import logging

from ingestion.errors import RecordsDamaged, UsageError
from ingestion.sync.parts import Parts
from ingestion.vector_stores.filters import of_book

logger = logging.getLogger(__name__)


def delete_book(parts: Parts, book_id: str) -> int:
    """Delete all points of the book, then its records; returns the number of points.

    Raises UsageError if neither index nor state knows the book, IndexLocked while another run writes.
    """
    with parts.as_writer() as lease:
        store = parts.generations.open_active(lease)
        where = of_book(book_id)
        chunks = 0
        if store:
            try:
                chunks = store.count(where)
                if chunks:
                    store.delete(where)
                    store.checkpoint()
            finally:
                store.close()
        try:
            if not chunks and book_id not in parts.states.books():
                raise UsageError(f"no book {book_id!r} in the index")
            parts.states.forget(book_id)
        except RecordsDamaged as error:
            logger.warning("%s (now: %s)", error, parts.states.set_aside(book_id))
    return chunks
