"""Ready means ready: what the first answer needs is there before the first connection is accepted."""

from __future__ import annotations

import asyncio

import pytest

from ingestion.errors import IndexInUse, VectorStoreError
from rag.api.http import readiness
from rag.api.http.readiness import Readiness


def test_a_server_starts_when_it_is_prepared_and_says_so() -> None:
    prepared: list[bool] = []

    async def prepare() -> None:
        await asyncio.sleep(0.01)
        prepared.append(True)

    async def run() -> None:
        ready = Readiness(prepare)
        await ready.begin()
        assert prepared == [True]
        await ready.check()

    asyncio.run(run())
    assert prepared == [True]


def test_one_that_still_prepares_is_not_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readiness, "START_SECONDS", 0.01)

    async def run() -> None:
        ready = Readiness(lambda: asyncio.sleep(10))
        await ready.begin()
        with pytest.raises(IndexInUse, match="still opening"):
            await ready.check()
        await ready.aclose()

    asyncio.run(run())


def test_a_failure_is_told_and_the_next_who_asks_gets_another_attempt() -> None:
    outcomes = [VectorStoreError("no Qdrant"), VectorStoreError("no Qdrant yet"), None]

    async def prepare() -> None:
        if failure := outcomes.pop(0):
            raise failure

    async def run() -> None:
        ready = Readiness(prepare)
        await ready.begin()
        with pytest.raises(VectorStoreError, match="yet"):
            await ready.check()
        await ready.check()

    asyncio.run(run())
    assert outcomes == []
