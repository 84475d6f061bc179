"""Switch back to the previous generation, or delete it."""

from ingestion.sync.parts import Parts


def roll_back(parts: Parts) -> None:
    """Switch readers back to the previous generation; the next run compares it with the lessons, file by file.

    Its points have other run ids than the records. Raises VectorStoreError if there is none, IndexLocked while
    another run writes.
    """
    with parts.as_writer() as lease:
        parts.generations.rollback(lease)


def drop_former(parts: Parts) -> bool:
    """Remove the previous generation; False if there is none. Raises IndexLocked while another run writes."""
    with parts.as_writer() as lease:
        return parts.generations.drop_former(lease)
