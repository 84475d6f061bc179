"""How long an answer may take, and how long those in progress may go on when the server is told to stop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from ingestion.errors import AnswerTimeout, ServerStopping

if TYPE_CHECKING:
    from starlette.requests import Request


class TimeBound:
    """Ends each answer after `seconds`, all of them a while after `stop`; used from one event loop."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._running: set[asyncio.Timeout] = set()
        self._last_moment: float | None = None

    @asynccontextmanager
    async def bounded(self) -> AsyncIterator[asyncio.Timeout]:
        """Bound the block; raises AnswerTimeout or ServerStopping. All of it must run in one task."""
        try:
            async with asyncio.timeout(self._seconds) as bound:
                self._running.add(bound)
                self._shorten(bound)
                try:
                    yield bound
                finally:
                    self._running.discard(bound)
        except TimeoutError as error:
            if self._last_moment is not None:
                raise ServerStopping("the server is stopping; ask again in a moment") from error
            raise AnswerTimeout("the answer took longer than BOOKWISE_API_TIMEOUT seconds") from error

    def release(self, bound: asyncio.Timeout) -> None:
        """Bound the block no longer."""
        if bound in self._running and not bound.expired():
            bound.reschedule(None)
            self._running.discard(bound)

    def stop(self, seconds: float) -> None:
        """Give what is in progress, and what still comes, so many seconds from now."""
        self._last_moment = asyncio.get_running_loop().time() + seconds
        for bound in self._running:
            self._shorten(bound)

    def _shorten(self, bound: asyncio.Timeout) -> None:
        end = bound.when()
        if self._last_moment is not None and end is not None and not bound.expired():
            bound.reschedule(min(end, self._last_moment))


T = TypeVar("T")


async def unless_left(request: Request, answering: Coroutine[Any, Any, T]) -> T | None:
    """What it returns or raises; None where the client left first, and then it was cancelled and has ended.

    The body of the request must have been read.
    """
    answer, left = asyncio.create_task(answering), asyncio.create_task(_left(request))
    try:
        await asyncio.wait({answer, left}, return_when=asyncio.FIRST_COMPLETED)
        return answer.result() if answer.done() else None
    finally:
        answer.cancel()
        left.cancel()
        await asyncio.wait({answer, left})


async def _left(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
