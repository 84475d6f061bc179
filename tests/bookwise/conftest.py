"""A small book on disk, indexed once by the public API."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import bookwise
from tests.support.books import page, write_book

PAGES = {
    "m1/01-topics.md": page(
        "Topics",
        "Nodes talk over topics: a publisher sends messages and every subscriber of the topic receives them.",
        "A late subscriber misses messages because the publisher does not keep them, unless its durability is "
        "transient local.",
    ),
    "m2/01-isaac.md": page(
        "Isaac Sim", "Isaac Sim renders the warehouse with ray tracing on an RTX graphics card.", hardware_tier=3
    ),
}


def write(folder: Path) -> Path:
    """Write the book with its configuration and return its folder."""
    write_book(folder / "docs", PAGES)
    (folder / "bookwise.toml").write_text('[book]\nid = "robots"\n', encoding="utf-8")
    return folder


@pytest.fixture(scope="package")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "QDRANT_URL", "BOOKWISE_EMBEDDER"):
            patch.delenv(name, raising=False)
        folder = write(tmp_path_factory.mktemp("robots"))
        with bookwise.open_book(folder) as book:
            report = book.ingest()
    assert report.files["new"] == 2 and not report.failures
    return folder


@pytest.fixture
def book(folder: Path) -> Iterator[bookwise.Book]:
    with bookwise.open_book(folder) as book:
        yield book
