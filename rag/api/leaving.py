"""Stop working on an answer that nobody waits for any more."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from starlette.requests import Request

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
