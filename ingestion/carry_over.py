"""What only the former generation holds, when a new one is built beside it: taken over, or the switch is refused."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ingestion.errors import DeletionGuard, LessonError
from ingestion.target import Target
from ingestion.vector_stores import AnyOf, Where


def would_be_lost(book: Where, failures: Iterable[LessonError]) -> list[Where]:
    """Other books than `book`, and its lessons that fail now."""
    failed = tuple(sorted({failure.path for failure in failures}))
    lost = [Where(must_not=book.must)]
    return [*lost, Where((*book.must, AnyOf("source_file", failed)))] if failed else lost


def refuse_losses(target: Target, lost: Sequence[Where]) -> None:
    """Raise DeletionGuard where a new embedding would drop what cannot be taken over; the old index stays."""
    former = target.former
    if former and not target.carrier and any(map(former.count, lost)):
        raise DeletionGuard(
            f"the index also holds other books, or lessons that now fail, made by {former.schema.embedding}; a "
            "new index would lose them, so the old one stays in use. Mend the lessons, or give each embedding "
            "a collection of its own (QDRANT_COLLECTION_NAME)"
        )


def carry_over(target: Target, lost: Sequence[Where]) -> None:
    """Take what would be lost into the new generation; raises DeletionGuard as `refuse_losses` does."""
    # Imported late: a run with nothing to do writes nothing.
    from ingestion.writer import copy_points

    refuse_losses(target, lost)
    if target.carrier and target.store:
        for where in lost:
            copy_points(target.carrier, target.store, where)
