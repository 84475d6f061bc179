"""Records what is written: first the store makes it safe, then the state says so (docs/design.md, decision 6)."""

from __future__ import annotations

import logging
import time
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING

from ingestion.errors import BookwiseError
from ingestion.models import IngestionRecord, IngestionState, utc_now
from ingestion.state.state_file import StateStore
from ingestion.sync.target import Target

if TYPE_CHECKING:
    from ingestion.sync.file_groups import ComparedFile

logger = logging.getLogger(__name__)

SAVE_INTERVAL_SECONDS = 2.0
"""To make every group safe by itself would take a third of a fast run; so much is written again after a crash."""

CHEAP_SAVE_SECONDS = 0.04
"""A save that takes longer makes the next one wait longer by as much: so saves take two parts in a hundred of a run,
for which the embedded engine lets no other thread go on. No vector is lost meanwhile, the cache has them."""


class Recorder:
    """Keeps the records of one run, and saves them only after a checkpoint that covers all they speak of.

    While a new generation is being built, nothing is saved: readers do not see it.
    """

    def __init__(
        self,
        state: IngestionState,
        states: StateStore,
        target: Target,
        fingerprint: Mapping[str, str],
        unsettled: set[str],
    ) -> None:
        """`unsettled` are the files of which the records may not tell what the points are, until they are added."""
        self._unsettled = unsettled
        self._state = state
        self._states = states
        self._target = target
        self._fingerprint = fingerprint
        self._due = time.monotonic() + SAVE_INTERVAL_SECONDS

    def add(self, file: ComparedFile) -> None:
        """Record a file whose chunks were all written; one with stale points is settled when they are gone."""
        facts, key = file.plan.facts, file.plan.key
        if not file.diff.stale:
            self._unsettled.discard(facts.path)
        self._state.records[facts.path] = IngestionRecord(
            source_file=facts.path,
            file_hash=facts.file_hash,
            chunk_ids=tuple(chunk.id for chunk in file.chunks),
            ingested_at=utc_now(),
            book_id=key.book_id,
            module=facts.module,
            chapter=facts.chapter,
            lesson=facts.lesson,
            shares_lesson=key.source_file is not None,
            fingerprint=self._fingerprint,
            findings=file.chunked.findings,
            includes=file.chunked.includes,
            published_until=file.chunked.published_until,
            published=file.chunked.published,
        )

    def settle(self, paths: Iterable[str]) -> None:
        """Note that the records of these files tell what their points are."""
        self._unsettled.difference_update(paths)

    def remove(self, paths: Collection[str]) -> None:
        """Drop the records of files whose points were deleted."""
        for path in paths:
            self._state.records.pop(path, None)
        self.settle(paths)

    def save_in_time(self) -> None:
        """Save, unless that was done in the last two seconds, or longer where a save takes long."""
        if time.monotonic() >= self._due:
            self.save()

    def save(self) -> None:
        """Make everything written safe, then save the records; raises VectorStoreError or StateError."""
        begun = time.monotonic()
        if self._target.store:
            self._target.store.checkpoint()
        # A first run that failed before its first vector leaves nothing.
        if self._target.in_use and (self._target.store or self._state.records):
            self._state.run_id, self._state.in_doubt = self._target.run_id, set(self._unsettled)
            self._states.save(self._state)
        ended = time.monotonic()
        self._due = ended + SAVE_INTERVAL_SECONDS * max(1.0, (ended - begun) / CHEAP_SAVE_SECONDS)

    def save_what_is_safe(self) -> None:
        """Save after a failure, which this must not hide: what cannot be recorded is found by the next run."""
        try:
            self.save()
        except BookwiseError as error:
            logger.warning("the last writes were not recorded; the next run finds them: %s", error)
