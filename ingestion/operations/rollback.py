"""Go back to the former generation, or drop it."""

import logging

from ingestion.errors import RecordsDamaged
from ingestion.sync.parts import Parts

logger = logging.getLogger(__name__)


def roll_back(parts: Parts) -> None:
    """Let readers see the former generation again; the next run compares it with the lessons, file by file.

    Raises VectorStoreError where there is none, IndexLocked while another run writes.
    """
    with parts.as_writer() as lease:
        if any(generation.role == "former" for generation in parts.generations.kept()):
            _forget_records(parts)
        parts.generations.rollback(lease)


def drop_former(parts: Parts) -> bool:
    """Remove the former generation; False if there is none. Raises IndexLocked while another run writes."""
    with parts.as_writer() as lease:
        return parts.generations.drop_former(lease)


def _forget_records(parts: Parts) -> None:
    """Before the switch: records of the newer generation over the older would make a run believe that all is done."""
    try:
        books = parts.states.books()
    except RecordsDamaged as error:
        logger.warning("%s (now: %s)", error, parts.states.set_aside(""))
        books = parts.states.books()
    for book_id in books:
        if _may_have_records(parts, book_id):
            parts.states.forget(book_id)


def _may_have_records(parts: Parts, book_id: str) -> bool:
    try:
        return bool(parts.states.load(book_id, parts.settings.qdrant.collection).records)
    except RecordsDamaged:
        return True
