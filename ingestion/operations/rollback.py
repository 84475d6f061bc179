"""Go back to the former generation, or drop it."""

from ingestion.sync.parts import Parts


def roll_back(parts: Parts) -> None:
    """Let readers see the former generation again; the next run compares it with the lessons, file by file.

    Raises VectorStoreError where there is none, IndexLocked while another run writes.
    """
    with parts.as_writer() as lease:
        if any(each.role == "former" for each in parts.generations.kept()):
            _forget_records(parts)
        parts.generations.rollback(lease)


def drop_former(parts: Parts) -> bool:
    """Remove the former generation; False if there is none. Raises IndexLocked while another run writes."""
    with parts.as_writer() as lease:
        return parts.generations.drop_former(lease)


def _forget_records(parts: Parts) -> None:
    """Before the switch: records of the newer generation over the older would make a run believe that all is done."""
    for book_id in parts.states.books():
        if parts.states.load(book_id, parts.settings.qdrant.collection).records:
            parts.states.forget(book_id)
