"""What applying a plan would do, without doing it."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ingestion.models import DocumentChunk
from ingestion.report import ChunkCounts, FileOutcome, Tally
from ingestion.sync.file_groups import ComparedGroup, compared_groups
from ingestion.sync.known_vectors import KnownVectors
from ingestion.sync.run import PlannedRun
from ingestion.tokens import count_tokens
from ingestion.vector_stores.filters import of_files

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PreviewedGroup:
    """A compared group, and the chunks whose texts would be embedded, each text once in the whole run."""

    group: ComparedGroup
    missing: tuple[DocumentChunk, ...]
    reused: int

    @property
    def counts(self) -> ChunkCounts:
        """Return what would become of its chunks."""
        tokens = sum(count_tokens([chunk.embed_text for chunk in self.missing]))
        return self.group.counts + ChunkCounts(embedded=len(self.missing), reused=self.reused, tokens=tokens)


def previewed_groups(groups: Iterable[ComparedGroup], known: KnownVectors) -> Iterator[PreviewedGroup]:
    """Yield the groups with what each would have embedded."""
    asked: set[str] = set()
    for group in groups:
        new = group.to_write
        missing = tuple(chunk for chunk in known.missing(new) if chunk.embed_key not in asked)
        asked |= {chunk.embed_key for chunk in missing}
        yield PreviewedGroup(group, missing, len(new) - len(missing))


def preview(run: PlannedRun, tally: Tally) -> None:
    """Add up what applying the plan would do; nothing is written."""
    taken: set[str] = set()
    new = 0
    for previewed in previewed_groups(compared_groups(run), run.known_vectors()):
        group = previewed.group
        tally.add_files(group.outcomes, previewed.counts)
        tally.add_failures(group.failures)
        new += previewed.counts.embedded + previewed.counts.reused
        taken.update(chunk.id for file in group.files for chunk in file.chunks)
    deleted = ChunkCounts(deleted=len(_ids_to_delete(run) - taken))
    tally.add_files((FileOutcome(path=path, change="deleted") for path in run.plan.gone), deleted)
    store = run.target.store if new and run.target.in_use else None
    for refusal in run.target.generations.refusals(store.size() + new) if store else ():
        logger.warning("%s", refusal)


def _ids_to_delete(run: PlannedRun) -> set[str]:
    """Return the points of deleted files; a file at their place may take some of them over."""
    if not (store := run.target.store):
        return set()
    wheres = of_files(run.state.book_id, run.plan.deleted)
    return {point.id for where in wheres for point in store.scroll(where, fields=("source_file",))}
