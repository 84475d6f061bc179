"""A server keeps its index open, and gives it back to whoever waits for it as soon as nobody reads."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import pytest

from ingestion.errors import IndexInUse
from ingestion.factory import build_parts, generations_of
from ingestion.models import IngestionMode
from ingestion.settings import Settings
from ingestion.settings.loader import load_settings
from ingestion.sync.pipeline import ingest
from ingestion.vector_stores.edge.generations import EdgeGenerations
from ingestion.vector_stores.filters import Where
from ingestion.vector_stores.protocol import VectorStore
from rag.agent.rehearsal import rehearse
from rag.serving import shared_index
from rag.serving.shared_index import SharedIndex
from tests.support.chat_api import book, indexed
from tests.support.command_line import BOOK

__all__ = ["book", "indexed"]

T = TypeVar("T")


@pytest.fixture
def settings(book: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setattr(EdgeGenerations, "look_seconds", 0.02)
    return load_settings({"index.wait": 20}, environ={})


@pytest.fixture
def openings(monkeypatch: pytest.MonkeyPatch) -> list[Settings]:
    """Grows by one with each opening."""
    made: list[Settings] = []
    original = shared_index.open_index

    def counted(settings: Settings, *more: object) -> object:
        made.append(settings)
        return original(settings, *more)  # type: ignore[arg-type]

    monkeypatch.setattr(shared_index, "open_index", counted)
    return made


def play(settings: Settings, use: Callable[[SharedIndex], Awaitable[T]]) -> T:
    async def run() -> T:
        index = SharedIndex(settings)
        try:
            return await asyncio.wait_for(use(index), 30)
        finally:
            await index.close()

    return asyncio.run(run())


async def opened_now(index: SharedIndex) -> VectorStore:
    async with index.opened() as store:
        return store


async def read(index: SharedIndex) -> int:
    async with index.opened() as store:
        return store.count(Where())


def count_of(settings: Settings) -> int:
    """What another process would count; it waits for its turn."""
    store = generations_of(settings).open_active()
    assert store is not None
    with closing(store):
        return store.count(Where())


def test_it_stays_open_between_questions(settings: Settings, openings: list[Settings]) -> None:
    async def use(index: SharedIndex) -> None:
        for _ in range(3):
            await read(index)
            await asyncio.sleep(0.1)

    play(settings, use)
    assert len(openings) == 1


def test_another_process_gets_it_while_nobody_asks_and_the_next_question_opens_it_again(
    settings: Settings, openings: list[Settings]
) -> None:
    async def use(index: SharedIndex) -> tuple[int, int, int]:
        return await read(index), await asyncio.to_thread(count_of, settings), await read(index)

    first, other, second = play(settings, use)
    assert first == other == second and len(openings) == 2


def test_another_process_waits_until_the_last_reader_has_left(settings: Settings) -> None:
    async def use(index: SharedIndex) -> None:
        async with index.opened():
            other = asyncio.create_task(asyncio.to_thread(count_of, settings))
            async with index.opened():
                await asyncio.sleep(0.2)
            await asyncio.sleep(0.2)
            assert not other.done()
        await other

    play(settings, use)


def test_who_does_not_wait_is_told_that_it_is_in_use(settings: Settings) -> None:
    async def use(index: SharedIndex) -> None:
        await read(index)
        with pytest.raises(IndexInUse):
            await asyncio.to_thread(count_of, load_settings({"index.wait": 0}, environ={}))

    play(settings, use)


def test_what_another_process_made_anew_is_what_the_next_question_reads(settings: Settings, book: Path) -> None:
    def make_anew() -> None:
        with closing(build_parts(settings)) as parts:
            ingest(parts, book / "docs", book_id=BOOK, mode="recreate")

    async def use(index: SharedIndex) -> None:
        async with index.opened() as store:
            old = store
        await asyncio.to_thread(make_anew)
        async with asyncio.timeout(20):
            while await opened_now(index) is old:
                await asyncio.sleep(0.1)
        async with index.opened() as store:
            assert store is not old and store.count(Where()) > 0
            assert not generations_of(settings).should_close(store)

    play(settings, use)


@pytest.mark.parametrize("mode", ["full", "recreate"])
def test_after_a_run_of_this_process_it_is_closed_so_that_counts_are_noted_and_then_stays_open(
    settings: Settings, book: Path, openings: list[Settings], mode: IngestionMode
) -> None:
    async def use(index: SharedIndex) -> None:
        points = await read(index)
        async with index.for_writing() as generations:
            with closing(replace(build_parts(settings), generations=generations)) as parts:
                await asyncio.to_thread(ingest, parts, book / "docs", book_id=BOOK, mode=mode)
            await asyncio.sleep(0.1)
        assert generations_of(settings).known_count(BOOK) == points
        for _ in range(3):
            assert await read(index) == points
            await asyncio.sleep(0.05)

    play(settings, use)
    assert len(openings) == 2


def test_it_is_closed_at_the_end_and_nothing_goes_on_looking(settings: Settings) -> None:
    async def use(index: SharedIndex) -> None:
        before = asyncio.all_tasks()
        await read(index)
        assert asyncio.all_tasks() > before
        await index.close()
        assert asyncio.all_tasks() == before
        await asyncio.to_thread(count_of, load_settings({"index.wait": 0}, environ={}))

    play(settings, use)


def test_a_rehearsed_index_is_open_and_its_model_has_embedded(settings: Settings, openings: list[Settings]) -> None:
    loaded: list[str] = []

    async def first_question(index: SharedIndex) -> None:
        await rehearse(index)
        loaded.append(index._embedder.model if index._embedder else "")
        async with index.retriever(None) as retriever:
            assert retriever.search_words("a node", limit=1).results

    play(settings, first_question)
    assert len(openings) == 1 and loaded[0].startswith("all-MiniLM")
