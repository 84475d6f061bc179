"""The stream of events: in order, with a heartbeat through pauses, and over when the client leaves."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

import pytest

from rag.api.http.sse import with_heartbeat

BEAT = ": heartbeat\n\n"


async def told(*pieces: str | float) -> AsyncGenerator[str]:
    """The texts, with pauses of so many seconds between them."""
    for piece in pieces:
        if isinstance(piece, str):
            yield piece
        else:
            await asyncio.sleep(piece)


async def all_of(events: AsyncGenerator[str], seconds: float) -> list[str]:
    return [each async for each in with_heartbeat(events, seconds=seconds)]


def test_every_event_is_sent_once_and_in_order() -> None:
    sent = asyncio.run(all_of(told("a", 0.0, "b", 0.001, "c", "d"), 10))
    assert "".join(sent) == "abcd" and "" not in sent


def test_a_pause_has_heartbeats_between_what_is_told() -> None:
    sent = "".join(asyncio.run(all_of(told("a", 0.3, "b"), 0.01)))
    assert sent.replace(BEAT, "") == "ab" and BEAT in sent


def test_an_answer_without_events_is_an_empty_stream() -> None:
    assert asyncio.run(all_of(told(), 10)) == []


def test_who_leaves_closes_the_events_and_the_timer() -> None:
    closed = []

    async def endless() -> AsyncGenerator[str]:
        try:
            while True:
                yield "a"
                await asyncio.sleep(0.001)
        finally:
            closed.append(True)

    async def leave() -> None:
        async with aclosing(with_heartbeat(endless(), seconds=10)) as events:
            await anext(events)

    asyncio.run(leave())
    assert closed == [True]


def test_a_bug_in_the_events_is_raised_after_what_was_told() -> None:
    async def broken() -> AsyncGenerator[str]:
        yield "a"
        raise ZeroDivisionError

    async def read() -> list[str]:
        sent = []
        with pytest.raises(ZeroDivisionError):
            async for each in with_heartbeat(broken(), seconds=10):
                sent.append(each)
        return sent

    assert asyncio.run(read()) == ["a"]
