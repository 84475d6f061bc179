"""Go back to the former generation, or drop it."""

from ingestion.sync.parts import Parts


def roll_back(parts: Parts) -> None:
    """Let readers see the former generation again; the next run compares it with the lessons, file by file.

    Its points carry ids of other runs than the records do. Raises VectorStoreError where there is none, IndexLocked
    while another run writes.
    """
    with parts.as_writer() as lease:
        parts.generations.rollback(lease)


def drop_former(parts: Parts) -> bool:
    """Remove the former generation; False if there is none. Raises IndexLocked while another run writes."""
    with parts.as_writer() as lease:
        return parts.generations.drop_former(lease)
