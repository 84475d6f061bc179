"""A copied book is the same book: points, vectors and records, whatever stops the copy, and nothing is embedded."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from bookwise.command_line import app
from ingestion.errors import BookwiseError, ConfigurationError, UsageError, VectorStoreError
from ingestion.operations.copy_book import CopiedBook, books_to_copy, copy_books
from ingestion.vector_stores.filters import Where
from ingestion.vector_stores.protocol import Generations
from ingestion.vector_stores.server.client import connect
from ingestion.vector_stores.server.generations import ServerGenerations
from ingestion.vector_stores.types import Schema
from tests.support.books import BOOK, Library, indexed_library, long_text, page, write_book
from tests.support.fakes import FakeEmbedder, MemoryGenerations
from tests.support.qdrant_server import KEY, Fault, QdrantServer

PAGES = {
    f"module-1-ros2/chapter-1-a/{number:02}-x.md": page(f"P{number}", long_text(f"word {number}"))
    for number in range(1, 5)
}


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return indexed_library(tmp_path, PAGES)


def on(server: QdrantServer) -> ServerGenerations:
    return ServerGenerations(connect(server.url, KEY), "books")


def copy(library: Library, target: Generations) -> CopiedBook:
    with closing(library.generations.open_active()) as source, target.writer(0) as lease:
        [copied] = copy_books(
            source,
            target,
            books_to_copy(source, None),
            states=library.parts().states,
            collections=("bookwise", "books"),
            lease=lease,
        )
    return copied


def points_in(generations: Any) -> dict[str, tuple[Any, list[float]]]:
    with closing(generations.open_active()) as store:
        return {
            point.id: (point.payload, np.round(point.dense, 4).tolist())
            for point in store.scroll(Where(), vectors=True)
        }


def test_a_copy_has_the_same_points_and_a_runner_there_has_nothing_to_do(
    library: Library, server: QdrantServer, tmp_path: Path
) -> None:
    copied = copy(library, on(server))
    assert copied.points == copied.copied > 0 and copied.records == len(PAGES)
    assert points_in(on(server)) == points_in(library.generations)
    runner = Library(tmp_path / "runner", generations=on(server), states=on(server).states())
    runner.write(PAGES)
    assert runner.run().files == {"unchanged": len(PAGES)} and runner.embedder.texts == []


def test_a_copy_that_was_stopped_goes_on_where_it_was(
    library: Library, server: QdrantServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ingestion.operations.copy_book.POINTS_PER_STEP", 2)
    writes = r"PUT /collections/books__.*/points$"
    server.faults += [Fault(writes, "ok", times=2), Fault(writes, 403)]
    with pytest.raises(BookwiseError):
        copy(library, on(server))
    done = copy(library, on(server))
    assert (done.already_there, done.copied) == (4, done.points - 4)
    assert points_in(on(server)) == points_in(library.generations)


def test_what_only_the_target_holds_of_the_book_goes_and_other_books_stay(library: Library) -> None:
    target = MemoryGenerations()
    copy(library, target)
    kept = dict(target.points)
    gone = sorted(PAGES)[0]
    library.write({path: text for path, text in PAGES.items() if path != gone})
    library.run()
    other = next(iter(kept.values()))
    target.points["00000000-0000-4000-8000-000000000000"] = replace(
        other, id="00000000-0000-4000-8000-000000000000", payload={**other.payload, "book_id": "another"}
    )
    copied = copy(library, target)
    assert copied.removed > 0 and copied.copied == 0
    assert "00000000-0000-4000-8000-000000000000" in target.points
    assert {each.payload["source_file"] for each in target.points.values() if each.payload["book_id"] == BOOK} == set(
        PAGES
    ) - {gone}


def test_an_index_of_another_embedding_is_refused_untouched(library: Library) -> None:
    target = MemoryGenerations()
    target.activate(target.create(Schema("another/1", FakeEmbedder().dimensions)))
    with pytest.raises(ConfigurationError, match="--to-collection"):
        copy(library, target)
    assert target.points == {}


@pytest.mark.parametrize("damage", ["vector", "loss"])
def test_a_copy_that_differs_from_its_source_is_an_error_and_records_nothing(
    library: Library, server: QdrantServer, monkeypatch: pytest.MonkeyPatch, damage: str
) -> None:
    def damaged(points: list[Any]) -> list[Any]:
        return points[1:] if damage == "loss" else [replace(each, dense=-each.dense) for each in points]

    target = on(server)
    store = target.create(library.generations.active().schema)
    target.activate(store)
    upsert = type(store).upsert
    monkeypatch.setattr(type(store), "upsert", lambda self, points: upsert(self, damaged(list(points))))
    with pytest.raises(VectorStoreError, match="copy again"):
        copy(library, target)
    assert target.states().books() == []


def test_a_book_that_is_not_there_is_named_with_those_that_are(library: Library) -> None:
    with closing(library.generations.open_active()) as source, pytest.raises(UsageError, match=BOOK):
        books_to_copy(source, "another")


def test_the_command_copies_to_a_folder_that_answers_as_the_index_does(clean_surroundings: Path) -> None:
    write_book(clean_surroundings / "docs", {"01-node.md": page("Nodes", "A node is a program with one job.")})
    run = CliRunner()
    assert run.invoke(app, ["ingest"]).exit_code == 0
    copied = run.invoke(app, ["copy", "--to", "backup"])
    assert copied.exit_code == 0 and "1 copied" in copied.stdout
    again = run.invoke(app, ["copy", "--to", "backup"])
    assert "0 copied, 1 already there" in again.stdout
    found = run.invoke(app, ["search", "node"], env={"BOOKWISE_DIRECTORY": "backup"})
    assert "01-node.md" in found.stdout
    itself = run.invoke(app, ["copy", "--to", ".bookwise"])
    assert itself.exit_code == 2 and "is the source index" in itself.stderr
