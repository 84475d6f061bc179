"""How many requests a command sends: what a runner far from its cluster pays for."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import aclosing
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from ingestion.errors import UsageError
from ingestion.settings import Settings, override
from ingestion.vector_stores.filters import Where
from ingestion.vector_stores.server.client import connect
from ingestion.vector_stores.server.generations import ServerGenerations
from ingestion.vector_stores.types import Point
from rag.agent.agent import build_agent
from rag.agent.events import Done
from rag.retrieval.retriever import Retriever, open_retriever
from tests.support.books import Library, long_text, page, write_book
from tests.support.command_line import run
from tests.support.fakes import FakeEmbedder
from tests.support.qdrant_server import KEY, QdrantServer, running

pytestmark = [
    pytest.mark.filterwarnings("ignore:Payload indexes have no effect:UserWarning"),
    pytest.mark.filterwarnings("ignore:Local mode performs exact:UserWarning"),
]

PAGES = {
    f"module-1-ros2/chapter-1-a/{number:02}-x.md": page(f"P{number}", long_text(f"word {number}"))
    for number in range(1, 5)
}


@pytest.fixture
def qdrant() -> Iterator[QdrantServer]:
    with running(QdrantServer(api_key=None)) as server:
        yield server


def library_on(qdrant: QdrantServer, folder: Path, *, state_on_server: bool) -> Library:
    generations = ServerGenerations(connect(qdrant.url, KEY), "bookwise")
    states = generations.states() if state_on_server else None
    library = Library(folder, generations=generations, flags={"index.wait": 0}, states=states)
    library.write(PAGES)
    library.run()
    library.run()
    return library


@pytest.mark.parametrize(("state_on_server", "most"), [(False, 2), (True, 4)])
def test_a_run_with_nothing_to_do(qdrant: QdrantServer, tmp_path: Path, state_on_server: bool, most: int) -> None:
    library = library_on(qdrant, tmp_path, state_on_server=state_on_server)
    qdrant.requests.clear()
    assert not library.run().pending
    assert len(qdrant.requests) <= most, [request[:2] for request in qdrant.requests]


@pytest.mark.parametrize(
    ("arguments", "most"),
    [(["--book", "b"], 2), ([], 2), (["--book", "b", "--state", "qdrant"], 3), (["--state", "qdrant"], 6)],
)
def test_the_command_with_nothing_to_do(
    qdrant: QdrantServer,
    clean_surroundings: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    most: int,
) -> None:
    """A book without an id is looked for by its lessons, which takes more where no file has its records."""
    monkeypatch.setenv("QDRANT_URL", qdrant.url)
    write_book(clean_surroundings / "docs", PAGES)
    for _ in range(3):
        qdrant.requests.clear()
        assert run("ingest", *arguments).exit_code == 0
    assert len(qdrant.requests) <= most, [request[:2] for request in qdrant.requests]


def test_a_search_opens_the_index_and_asks_with_four_requests_then_with_two(
    qdrant: QdrantServer, tmp_path: Path
) -> None:
    library_on(qdrant, tmp_path, state_on_server=True)
    qdrant.requests.clear()
    settings = override(Settings(), {"qdrant.url": qdrant.url})
    looked = []
    with open_retriever(settings, FakeEmbedder()) as retriever:
        for most in (4, 2, 2):
            assert retriever.search("What is a word?", limit=5).results
            assert len(qdrant.requests) <= most, [request[:2] for request in qdrant.requests]
            looked.append("'must_not': [{'key': 'book_id'" in str(qdrant.requests))
            qdrant.requests.clear()
    assert looked == [True, False, False], "that no other book is there is seen once"


def test_a_book_that_no_run_marked_is_seen_by_the_search_itself(qdrant: QdrantServer, tmp_path: Path) -> None:
    """As where the key of its run may not change the collection, or a release without marks wrote it."""
    library = library_on(qdrant, tmp_path, state_on_server=True)
    with library.generations.writer(0) as lease:
        store = library.generations.open_active(lease)
        assert store
        point, *_ = store.scroll(Where(), vectors=True)
        assert point.dense is not None and point.sparse is not None
        store.upsert([Point(str(UUID(int=1)), point.dense, point.sparse, point.payload | {"book_id": "other"})])
    settings = override(Settings(), {"qdrant.url": qdrant.url})
    with (
        open_retriever(settings, FakeEmbedder()) as retriever,
        pytest.raises(UsageError, match=r"choose a book with --book: other, test-book"),
    ):
        retriever.search("What is a word?", limit=5)


def test_an_answer_takes_no_more_requests_than_a_search(qdrant: QdrantServer, tmp_path: Path) -> None:
    library_on(qdrant, tmp_path, state_on_server=True)
    qdrant.requests.clear()
    settings = override(Settings(), {"qdrant.url": qdrant.url})

    async def ask(retriever: Retriever) -> list[Any]:
        async with aclosing(build_agent(retriever, with_model=False)) as agent:
            return [event async for event in agent.run("What is a word?")]

    with open_retriever(settings, FakeEmbedder()) as retriever:
        for most in (4, 2, 2):
            assert isinstance(asyncio.run(ask(retriever))[-1], Done)
            assert len(qdrant.requests) <= most, [request[:2] for request in qdrant.requests]
            qdrant.requests.clear()


def test_what_the_tier_hides_is_asked_and_read_with_the_search_itself(qdrant: QdrantServer, tmp_path: Path) -> None:
    library = library_on(qdrant, tmp_path, state_on_server=True)
    rover = {
        f"module-1-ros2/chapter-2-b/0{tier}-y.md": page(f"Y{tier}", "Rover wheels.", hardware_tier=tier)
        for tier in (2, 3)
    }
    library.write(PAGES | rover)
    library.run()
    settings = override(Settings(), {"qdrant.url": qdrant.url})
    with open_retriever(settings, FakeEmbedder()) as retriever:
        retriever.search("rover wheels", limit=5, mode="keyword")
        qdrant.requests.clear()
        told = retriever.search("rover wheels", limit=5, mode="keyword").hidden
    assert told and (told.count, told.value) == (2, "3")
    assert len(qdrant.requests) <= 3, [request[:2] for request in qdrant.requests]
