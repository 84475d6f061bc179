"""Random histories: whatever happened to two books, one run makes their index equal to one made from nothing."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from ingestion.vector_stores.edge.generations import EdgeGenerations
from ingestion.vector_stores.server.client import connect
from ingestion.vector_stores.server.generations import ServerGenerations
from tests.support.fakes import MemoryGenerations
from tests.support.histories import History
from tests.support.qdrant_server import KEY, QdrantServer, running

STEPS = 6
LONG = int(os.environ.get("BOOKWISE_HISTORIES", "20"))


@pytest.fixture(autouse=True)
def small_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ingestion.sync.file_groups.FILES_PER_GROUP", 2)
    monkeypatch.setattr("ingestion.sync.recorder.SAVE_INTERVAL_SECONDS", 0.0)


def live(history: History) -> None:
    try:
        for _ in range(STEPS):
            history.step()
    except Exception as error:
        error.add_note("\n".join(history.log))
        raise


def in_memory(seed: int, folder: Path) -> None:
    generations = MemoryGenerations()
    live(History(seed, folder, lambda: generations))


def embedded(seed: int, folder: Path) -> None:
    live(History(seed, folder, lambda: EdgeGenerations(folder / "index")))


def on_server(seed: int, folder: Path, *, states: bool) -> None:
    with running(QdrantServer()) as server:

        def reopen() -> Any:
            return ServerGenerations(connect(server.url, KEY), "bookwise")

        live(History(seed, folder, reopen, states=(lambda generations: generations.states()) if states else None))


@pytest.mark.parametrize("seed", range(8))
def test_in_memory(seed: int, tmp_path: Path) -> None:
    in_memory(seed, tmp_path)


@pytest.mark.parametrize("seed", range(2))
def test_embedded(seed: int, tmp_path: Path) -> None:
    embedded(seed, tmp_path)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("seed", range(1000, 1000 + LONG))
def test_in_memory_long(seed: int, tmp_path: Path) -> None:
    in_memory(seed, tmp_path)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("seed", range(2000, 2000 + LONG // 5))
def test_embedded_long(seed: int, tmp_path: Path) -> None:
    embedded(seed, tmp_path)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("states", [False, True])
@pytest.mark.parametrize("seed", range(3000, 3000 + LONG // 5))
def test_on_a_server(seed: int, tmp_path: Path, states: bool) -> None:
    on_server(seed, tmp_path, states=states)
