"""Embedded indexes and a Qdrant server that several test modules use."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ingestion.vector_stores.edge.generations import EdgeGenerations
from ingestion.vector_stores.protocol import Generations
from tests.support.vector_points import build_index, index_directory

if TYPE_CHECKING:
    from tests.support.qdrant_server import QdrantServer


@pytest.fixture(scope="module")
def directory() -> Iterator[Path]:
    """An index of 30 points, closed, which tests leave as it is."""
    with index_directory() as directory:
        build_index(directory / "book")
        yield directory / "book"


@pytest.fixture
def generations(directory: Path) -> EdgeGenerations:
    return EdgeGenerations(directory)


@pytest.fixture
def own_directory() -> Iterator[Path]:
    """The same index for one test, which may do with it what it likes."""
    with index_directory() as directory:
        build_index(directory / "book")
        yield directory / "book"


@pytest.fixture
def own(own_directory: Path) -> EdgeGenerations:
    return EdgeGenerations(own_directory)


@pytest.fixture
def server() -> Iterator[QdrantServer]:
    """An empty Qdrant server on loopback; its client takes more than a second to import."""
    from tests.support.qdrant_server import QdrantServer, running

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with running(QdrantServer()) as server:
            yield server


@pytest.fixture(params=["edge", "server"])
def either_generations(request: pytest.FixtureRequest) -> Iterator[Generations]:
    """An empty place for generations, on the embedded engine and on a server."""
    if request.param == "edge":
        with index_directory() as directory:
            yield EdgeGenerations(directory / "bookwise")
        return
    from ingestion.vector_stores.server.client import connect
    from ingestion.vector_stores.server.generations import ServerGenerations
    from tests.support.qdrant_server import KEY

    yield ServerGenerations(connect(request.getfixturevalue("server").url, KEY), "bookwise")
