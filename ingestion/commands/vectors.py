"""What `--vectors` and `--sample` add to a run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from ingestion.commands.terminal import note

if TYPE_CHECKING:
    from ingestion.sync.parts import Parts


@contextmanager
def vectors_checked(parts: Parts, sample: int | None) -> Iterator[Parts]:
    """Give the parts of a run that also compares vectors and embeds `sample` again, unless that is None."""
    if sample is None:
        yield parts
        return
    from ingestion.sync.vector_check import VectorCheck

    check = VectorCheck(parts.embedder, parts.cache, sample)
    yield replace(parts, vectors=check)
    note(check.told)
