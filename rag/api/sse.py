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
    """The events, and a comment after each so many seconds without one; left early, it closes `events`."""
    async with aclosing(events):
        coming = asyncio.ensure_future(anext(events))
        try:
            while True:
                done, _ = await asyncio.wait({coming}, timeout=seconds)
                if not done:
                    yield _BEAT
                    continue
                try:
                    sent = coming.result()
                except StopAsyncIteration:
                    return
                yield sent
                coming = asyncio.ensure_future(anext(events))
        finally:
            coming.cancel()
            await asyncio.wait({coming})
