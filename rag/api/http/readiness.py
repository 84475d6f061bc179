"""Readiness of the server: the index is open, the models are loaded and one answer has been rehearsed."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any

from ingestion.errors import BookwiseError, IndexInUse

logger = logging.getLogger("bookwise.api")

START_SECONDS = 20.0
"""How long a starting server waits to be ready before it accepts requests, which then may have to wait."""

RETRY_SECONDS = 5.0
"""How long a readiness check waits for another attempt after a failed one."""


class Readiness:
    """Prepares once, and again when asked after a failure; used from one event loop."""

    def __init__(self, prepare: Callable[[], Coroutine[Any, Any, None]]) -> None:
        self._prepare = prepare
        self._preparing: asyncio.Task[None] | None = None
        self._is_told = False

    async def begin(self) -> None:
        """Prepare; return when that has succeeded or failed, or after START_SECONDS."""
        await asyncio.wait({self._now()}, timeout=START_SECONDS)

    async def check(self) -> None:
        """Return when it is prepared; raises IndexInUse while it is not yet, or the failure after another attempt."""
        preparing = self._now()
        if preparing.done() and preparing.exception():
            self._preparing = None
            preparing = self._now()
            await asyncio.wait({preparing}, timeout=RETRY_SECONDS)
        if not preparing.done():
            raise IndexInUse("the server is still opening the index and loading the models; ask again in a moment")
        preparing.result()

    async def aclose(self) -> None:
        """End a running attempt."""
        if self._preparing:
            self._preparing.cancel()

    def _now(self) -> asyncio.Task[None]:
        if self._preparing is None:
            self._preparing = asyncio.create_task(self._prepare())
            self._preparing.add_done_callback(self._tell)
        return self._preparing

    def _tell(self, attempt: asyncio.Task[None]) -> None:
        """Log once why the server is not ready; each readiness check reports it."""
        failure = None if attempt.cancelled() else attempt.exception()
        if failure is None or self._is_told:
            return
        self._is_told = True
        bug = None if isinstance(failure, BookwiseError) else failure
        logger.warning("not ready", extra={"reason": str(failure)}, exc_info=bug)
