"""Events as they are sent (Server-Sent Events), with a heartbeat through long pauses."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

HEARTBEAT_SECONDS = 15.0
_BEAT = ": heartbeat\n\n"


def event(name: str, data: Any) -> str:
    """One event; the data is one line of JSON."""
    return f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False, separators=(',', ':'))}\n\n"


async def with_heartbeat(events: AsyncGenerator[str], *, seconds: float = HEARTBEAT_SECONDS) -> AsyncGenerator[str]:
    """The events, and a comment after each so many seconds without one; left early, it closes `events`.

    All of `events` runs in one task: a time bound in it would be lost with the task that began it.
    """
    coming: asyncio.Queue[str | None] = asyncio.Queue()
    pumping = asyncio.create_task(_pump(events, coming))
    try:
        while True:
            try:
                sent = await asyncio.wait_for(coming.get(), seconds)
            except TimeoutError:
                yield _BEAT
                continue
            if sent is None:
                await pumping
                return
            yield sent
    finally:
        pumping.cancel()
        await asyncio.wait({pumping})


async def _pump(events: AsyncGenerator[str], coming: asyncio.Queue[str | None]) -> None:
    """Put every event into the queue, and None at the end; an answer is small, so the queue has no bound."""
    try:
        async with aclosing(events):
            async for each in events:
                coming.put_nowait(each)
    finally:
        coming.put_nowait(None)
