"""Limit how long an answer may take, and how long answers in progress may continue once the server stops."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from ingestion.errors import AnswerTimeout, ServerStopping

if TYPE_CHECKING:
    from starlette.requests import Request


class Deadlines:
    """Ends each answer after `seconds`, and all of them soon after `stop`; used from one event loop."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._running: set[asyncio.Timeout] = set()
        self._end: float | None = None

    @asynccontextmanager
    async def limit(self) -> AsyncIterator[asyncio.Timeout]:
        """Limit the block; raises AnswerTimeout or ServerStopping. All of it must run in one task."""
        try:
            async with asyncio.timeout(self._seconds) as timeout:
                self._running.add(timeout)
                self._shorten(timeout)
                try:
                    yield timeout
                finally:
                    self._running.discard(timeout)
        except TimeoutError as error:
            if self._end is not None:
                raise ServerStopping("the server is stopping; ask again in a moment") from error
            raise AnswerTimeout("the answer took longer than BOOKWISE_API_TIMEOUT seconds") from error

    def release(self, timeout: asyncio.Timeout) -> None:
        """Remove the limit of the block."""
        if timeout in self._running and not timeout.expired():
            timeout.reschedule(None)
            self._running.discard(timeout)

    def stop(self, seconds: float) -> None:
        """End running and new answers within that many seconds from now."""
        self._end = asyncio.get_running_loop().time() + seconds
        for timeout in self._running:
            self._shorten(timeout)

    def _shorten(self, timeout: asyncio.Timeout) -> None:
        end = timeout.when()
        if self._end is not None and end is not None and not timeout.expired():
            timeout.reschedule(min(end, self._end))


T = TypeVar("T")

CLIENT_LEFT = 499
"""Nobody receives this status; it is for the log."""


async def until_disconnect(request: Request, answering: Coroutine[Any, Any, T]) -> T | None:
    """Return or raise what the coroutine does; cancel it and return None if the client disconnects first.

    The body of the request must have been read.
    """
    answer, disconnect = asyncio.create_task(answering), asyncio.create_task(_disconnect(request))
    try:
        await asyncio.wait({answer, disconnect}, return_when=asyncio.FIRST_COMPLETED)
        return answer.result() if answer.done() else None
    finally:
        answer.cancel()
        disconnect.cancel()
        await asyncio.wait({answer, disconnect})


async def _disconnect(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
