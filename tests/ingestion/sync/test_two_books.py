"""Two books in one collection, with equal paths, texts and lesson numbers: neither touches the other's points."""

from __future__ import annotations

from contextlib import closing, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingestion.errors import UsageError
from ingestion.operations.delete_book import delete_book
from ingestion.vector_stores.edge.generations import EdgeGenerations
from ingestion.vector_stores.filters import Equals, Where
from ingestion.vector_stores.protocol import Generations
from ingestion.vector_stores.server.client import connect
from ingestion.vector_stores.server.generations import ServerGenerations
from tests.support.books import Library, page
from tests.support.qdrant_server import KEY, QdrantServer

PATHS = [f"module-1-ros2/chapter-1-a/0{number}-x.md" for number in (1, 2, 3)]
TEXTS = ["A gear turns.", "A lever lifts.", "A spring pushes."]
PAGES = st.dictionaries(st.sampled_from(PATHS), st.sampled_from(TEXTS), min_size=1)
STEPS = st.lists(
    st.tuples(st.sampled_from(["incremental", "full", "recreate", "delete", "lost state"]), PAGES),
    min_size=1,
    max_size=3,
)


def points_of(generations: Generations, book: str) -> dict[str, Any]:
    store = generations.open_active()
    assert store is not None
    with closing(store):
        return {
            point.id: (point.payload, np.round(point.dense, 5).tolist())
            for point in store.scroll(Where((Equals("book_id", book),)), vectors=True)
        }


def act(library: Library, step: str, pages: dict[str, str]) -> None:
    for path in PATHS:
        (library.docs / path).unlink(missing_ok=True)
    library.write({path: page("The same title", text) for path, text in pages.items()})
    if step == "delete":
        with suppress(UsageError):  # it may be gone already
            delete_book(library.parts(), "one")
    elif step == "lost state":
        library.state_path.unlink(missing_ok=True)
        library.run(book="one", allow_delete=True)
    else:
        library.run(step, book="one", allow_delete=True)  # type: ignore[arg-type]


def hold(folder: Path, generations: Generations, steps: list[tuple[str, dict[str, str]]]) -> None:
    one, two = (Library(folder / name, generations=generations) for name in ("one", "two"))
    two.write({path: page("The same title", text) for path, text in zip(PATHS, TEXTS, strict=True)})
    two.run(book="two")
    before = points_of(generations, "two")
    assert len(before) == len(PATHS)
    for step, pages in steps:
        act(one, step, pages)
        assert points_of(generations, "two") == before
        paths = {payload["source_file"] for payload, _ in points_of(generations, "one").values()}
        assert paths == (set() if step == "delete" else set(pages))
    assert not two.run(book="two").pending


@settings(max_examples=3, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
def test_no_step_on_one_book_changes_a_point_of_the_other_embedded(steps: list[tuple[str, dict[str, str]]]) -> None:
    with TemporaryDirectory() as folder:
        hold(Path(folder), EdgeGenerations(Path(folder) / "index"), steps)


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS, name=st.uuids())
def test_no_step_on_one_book_changes_a_point_of_the_other_on_a_server(
    server: QdrantServer, steps: list[tuple[str, dict[str, str]]], name: Any
) -> None:
    with TemporaryDirectory() as folder:
        hold(Path(folder), ServerGenerations(connect(server.url, KEY), f"books-{name.hex}"), steps)
