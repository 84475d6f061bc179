"""Embedded indexes that several test modules open."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ingestion.vector_stores.edge_generations import EdgeGenerations
from tests.vector_points import build_index, index_directory


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
