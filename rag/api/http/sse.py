"""Server-Sent Events, with a heartbeat during long pauses."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

HEARTBEAT_SECONDS = 15.0
_BEAT = ": heartbeat\n\n"


def event(name: str, data: Any) -> str:
    """Return one event; the data is one line of JSON."""
    return f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False, separators=(',', ':'))}\n\n"


async def with_heartbeat(events: AsyncGenerator[str], *, seconds: float = HEARTBEAT_SECONDS) -> AsyncGenerator[str]:
    """Yield the events, and a comment after every `seconds` without one; closes `events` if left early.

    All of `events` runs in one task: a time bound in it would be lost with the task that began it. Those that come
    faster than they are sent are sent together.
    """
    coming = _Coming(seconds)
    pumping = asyncio.create_task(_pump(events, coming))
    try:
        while sent := await coming.take():
            yield sent
        await pumping
    finally:
        coming.stop_beating()
        pumping.cancel()
        await asyncio.wait({pumping})


class _Coming:
    """What is to be sent. One timer serves all of it: to set one for each token takes longer than to send it."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._loop = asyncio.get_running_loop()
        self._waiting: list[str] = []
        self._has_some = asyncio.Event()
        self._is_over = False
        self._last_put = self._loop.time()
        self._timer = self._loop.call_later(seconds, self._beat)

    def put(self, text: str) -> None:
        """Send this too; an answer is small, so there is no bound."""
        self._last_put = self._loop.time()
        self._waiting.append(text)
        self._has_some.set()

    def end(self) -> None:
        """Say that no more events will come."""
        self._is_over = True
        self._has_some.set()

    async def take(self) -> str:
        """Return everything since the last call, never empty before the end."""
        await self._has_some.wait()
        taken, self._waiting = "".join(self._waiting), []
        if not self._is_over:
            self._has_some.clear()
        return taken

    def stop_beating(self) -> None:
        """Stop the timer."""
        self._timer.cancel()

    def _beat(self) -> None:
        left = self._last_put + self._seconds - self._loop.time()
        if left <= 0:
            self.put(_BEAT)
            left = self._seconds
        self._timer = self._loop.call_later(left, self._beat)


async def _pump(events: AsyncGenerator[str], coming: _Coming) -> None:
    try:
        async with aclosing(events):
            async for event in events:
                coming.put(event)
    finally:
        coming.end()
