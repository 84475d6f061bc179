"""The lock and the open index, kept over the runs of several books."""

from __future__ import annotations

import time
from collections.abc import Collection
from contextlib import ExitStack
from dataclasses import replace

from ingestion.state.writer_lock import writer_lock
from ingestion.sync.parts import Parts

HOLD_SECONDS = 10.0
"""Time after which both are released for a moment, for other writers."""


class BookTurns:
    """Keeps the writer's lock and the open index over several books, so that not each book opens it.

    A waiting reader gets the index after the current book.
    """

    def __init__(self, parts: Parts) -> None:
        self._alone = parts
        self._held: Parts | None = None
        self._until = 0.0
        self._stack = ExitStack()

    def __enter__(self) -> BookTurns:
        return self

    def __exit__(self, *exc: object) -> None:
        self._stack.close()

    def parts(self) -> Parts:
        """Return the parts for the next book's run; raises IndexLocked as a run does."""
        if self._held and time.monotonic() >= self._until:
            self._held = None
            self._stack.close()
        if self._held is None and self._alone.lock:
            self._stack.enter_context(writer_lock(self._alone.lock, self._alone.settings.index.wait))
            kept = self._stack.enter_context(self._alone.generations.keeping())
            self._held = replace(self._alone, generations=kept, lock=None)
            self._until = time.monotonic() + HOLD_SECONDS
        return self._held or self._alone

    def finish(self, done: Collection[str]) -> None:
        """Do nothing: readers already see what each book's run wrote."""
