"""Check an answer beside its being written, so that at its end next to nothing is left."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress

from ingestion.errors import EmbeddingError
from rag.support import SupportCheck

_THREAD = ThreadPoolExecutor(1, thread_name_prefix="check")
"""For all answers: this work has time, and must not keep both cores from a reader who waits for a search."""


class CheckAhead:
    """Prepares a check at each reference; used from one event loop."""

    def __init__(self, check: SupportCheck) -> None:
        self._check = check
        self._running: Future[None] | None = None

    def look_at(self, piece: str, begun: str) -> None:
        """`piece` is the last of what there is of the answer, `begun`."""
        if "]" in piece and (self._running is None or self._running.done()):
            self._running = _THREAD.submit(self._prepare, begun)

    async def end(self) -> None:
        """Wait for what is being prepared, which would else be done twice; what has not begun is let go."""
        if self._running and not self._running.cancel():
            await asyncio.wrap_future(self._running)

    def _prepare(self, begun: str) -> None:
        with suppress(EmbeddingError):  # the check itself meets it again, and tells
            self._check.prepare(begun)
