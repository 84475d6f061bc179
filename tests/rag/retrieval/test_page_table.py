"""The lesson behind an address, over a small book in memory."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rag.retrieval.page_table import PageTables
from tests.support.books import BOOK, Library, page

GPU = "https://example.org/book/module-3-isaac/chapter-5-sim/gpu"
NODES = "module-1-ros2/chapter-1-basics/01-nodes.md"
CARDS = "module-3-isaac/chapter-5-sim/01-gpu.md"
PAGES = {
    NODES: page("Nodes", "A node does one job.", hardware_tier=1),
    CARDS: page("Graphics cards", "A card with memory.", hardware_tier=3),
}


@pytest.fixture
def library(tmp_path: Path) -> Library:
    library = Library(tmp_path, flags={"book.base_url": "https://example.org/book"})
    library.write(PAGES)
    library.run()
    return library


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Lets some seconds pass."""
    now = 1000.0

    def wait(seconds: float) -> None:
        nonlocal now
        now += seconds

    monkeypatch.setattr("rag.retrieval.page_table.monotonic", lambda: now)
    return wait


def scrolls(store: Any, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The filters that points are read with from now on."""
    asked: list[Any] = []
    scroll = store.scroll
    monkeypatch.setattr(store, "scroll", lambda where, **how: asked.append(where) or scroll(where, **how))
    return asked


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org/book/module-1-ros2/chapter-1-basics/nodes",
        "http://localhost:3000/book/module-1-ros2/chapter-1-basics/nodes/?q=1#part-1",
        "https://example.org/book/module-1-ros2/chapter-1-basics/nodes.html",
        "https://example.org/book/module-1-ros2/chapter-1-basics/nodes/index.html",
    ],
)
def test_a_page_is_found_at_its_address_whoever_serves_it(library: Library, url: str) -> None:
    found = PageTables().page_at(library.generations.open_active(), BOOK, url, highest_tier=4)
    assert found is not None and found.title == "Nodes"


def test_a_page_above_the_tier_or_of_no_lesson_is_not_found(library: Library) -> None:
    store, pages = library.generations.open_active(), PageTables()
    gpu = "https://example.org/book/module-3-isaac/chapter-5-sim/gpu"
    assert pages.page_at(store, BOOK, gpu, highest_tier=1) is None
    assert pages.page_at(store, BOOK, gpu, highest_tier=3) is not None
    assert pages.page_at(store, BOOK, "https://example.org/blog", highest_tier=4) is None


def test_the_addresses_of_a_book_are_read_once(
    library: Library, monkeypatch: pytest.MonkeyPatch, later: Callable[[float], None]
) -> None:
    store, pages = library.generations.open_active(), PageTables()
    assert pages.page_at(store, BOOK, GPU, highest_tier=4) is not None
    asked = scrolls(store, monkeypatch)
    for _ in range(4):
        later(60)
        assert pages.page_at(store, BOOK, GPU, highest_tier=4) is not None
        assert pages.page_at(store, BOOK, "https://example.org/blog", highest_tier=4) is None
    assert len(asked) == 4 and all(len(where.must) == 4 for where in asked)


def test_a_page_that_a_run_wrote_is_found(library: Library, later: Callable[[float], None]) -> None:
    store, pages = library.generations.open_active(), PageTables()
    new = "https://example.org/book/module-1-ros2/chapter-1-basics/topics"
    assert pages.page_at(store, BOOK, new, highest_tier=4) is None
    library.write(PAGES | {NODES.replace("01-nodes", "02-topics"): page("Topics", "A topic has a name.")})
    library.run()
    later(31)
    found = pages.page_at(store, BOOK, new, highest_tier=4)
    assert found is not None and found.title == "Topics"


def test_a_page_that_a_run_removed_or_renamed_is_told_as_it_is_at_once(library: Library) -> None:
    store, pages = library.generations.open_active(), PageTables()
    assert pages.page_at(store, BOOK, GPU, highest_tier=4) is not None
    library.write({NODES: PAGES[NODES], CARDS: PAGES[CARDS].replace("Graphics cards", "GPUs")})
    library.run()
    found = pages.page_at(store, BOOK, GPU, highest_tier=4)
    assert found is not None and found.title == "GPUs"
    library.write({NODES: PAGES[NODES]})
    library.run(allow_delete=True)
    assert pages.page_at(store, BOOK, GPU, highest_tier=4) is None


def test_a_table_made_in_the_middle_of_a_run_is_made_again_in_time(
    library: Library, later: Callable[[float], None]
) -> None:
    store, pages = library.generations.open_active(), PageTables()
    gone = {
        key: store.points.pop(key) for key, point in list(store.points.items()) if "gpu" in point.payload["page_url"]
    }
    assert pages.page_at(store, BOOK, GPU, highest_tier=4) is None
    store.points.update(gone)
    later(60)
    assert pages.page_at(store, BOOK, GPU, highest_tier=4) is None
    later(300)
    assert pages.page_at(store, BOOK, GPU, highest_tier=4) is not None
