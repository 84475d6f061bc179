"""Back to the former generation, on both engines: the next run repairs what differs and embeds nothing known."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path

import pytest

from ingestion.errors import VectorStoreError
from ingestion.operations.rollback import drop_former, roll_back
from ingestion.vector_stores.filters import Where
from ingestion.vector_stores.protocol import Generations
from ingestion.vector_stores.server.client import connect
from ingestion.vector_stores.server.generations import ServerGenerations
from tests.support.books import Library, long_text, page
from tests.support.qdrant_server import KEY, Fault, QdrantServer, running

pytestmark = pytest.mark.filterwarnings("ignore:Payload indexes have no effect:UserWarning")

OLD = {f"m/{number}.md": page(f"P{number}", long_text(f"old {number}")) for number in range(3)}
NEW = OLD | {"m/0.md": page("P0", long_text("new 0"))}


@pytest.fixture
def library(either_generations: Generations, tmp_path: Path) -> Library:
    library = Library(tmp_path, generations=either_generations)
    library.write(OLD)
    return library


def texts(library: Library) -> dict[str, str]:
    with closing(library.generations.open_active()) as store:
        points = sorted(store.scroll(Where()), key=lambda each: each.payload["chunk_index"])
    found: dict[str, str] = {}
    for point in points:
        found[point.payload["source_file"]] = found.get(point.payload["source_file"], "") + point.payload["text"]
    return found


def test_a_rollback_brings_the_former_texts_back_and_the_next_run_the_new_ones(library: Library) -> None:
    library.run()
    before = texts(library)
    library.write(NEW)
    library.run("recreate")
    after = texts(library)
    assert before != after and before.keys() == after.keys()
    roll_back(library.parts())
    assert texts(library) == before
    library.embedder.texts.clear()
    assert library.run().pending
    assert texts(library) == after
    assert all("new 0" in text for text in library.embedder.texts)
    assert not library.run().pending


def test_after_a_rollback_to_the_lessons_as_they_are_nothing_is_embedded(library: Library) -> None:
    library.run()
    library.write(NEW)
    library.run("recreate")
    library.write(OLD)
    roll_back(library.parts())
    library.embedder.texts.clear()
    report = library.run()
    assert report.chunks.written == report.chunks.deleted == 0 and library.embedder.texts == []


def test_a_rollback_without_a_former_generation_changes_nothing(library: Library) -> None:
    library.run()
    with pytest.raises(VectorStoreError, match="no previous generation"):
        roll_back(library.parts())
    assert not library.run().pending


def test_a_dropped_generation_is_gone(library: Library) -> None:
    library.run()
    library.run("recreate")
    assert drop_former(library.parts()) and not drop_former(library.parts())
    assert [each.role for each in library.generations.kept()] == ["active"]


def test_an_index_that_lost_a_write_is_never_switched_to(tmp_path: Path) -> None:
    with running(QdrantServer()) as server:
        library = Library(tmp_path, generations=ServerGenerations(connect(server.url, KEY), "bookwise"))
        library.write(OLD)
        library.run()
        before, state = texts(library), library.state_path.read_bytes()
        server.faults = [Fault("PUT .*__.*/points$", "swallow")]
        library.write(NEW)
        with pytest.raises(VectorStoreError, match=r"does not hold what was written.*the old one stays in use"):
            library.run("recreate")
        assert texts(library) == before and library.state_path.read_bytes() == state
        library.run("recreate")
        assert texts(library) != before
        assert len(library.generations.kept()) == 2


def test_a_recreate_that_dies_at_any_request_leaves_the_old_serving_and_is_cleaned_up(tmp_path: Path) -> None:
    with running(QdrantServer()) as server:
        library = Library(tmp_path, generations=ServerGenerations(connect(server.url, KEY), "bookwise"))
        library.write(OLD)
        library.run()
        old = texts(library)
        library.write(NEW)
        seen: list[dict[str, str]] = []
        for step in range(1, 200, 5):
            server.faults = [Fault("", "ok", step - 1), Fault("", 403, sys.maxsize)]
            try:
                library.run("recreate")
            except VectorStoreError:
                seen.append(texts_after_death(server, library))
            else:
                break
        server.faults = []
        new = texts(library)
        assert new != old and len(library.generations.kept()) == 2
        assert len(seen) > 5 and seen[:5] == [old] * 5 and all(each in (old, new) for each in seen)
        assert not library.run().pending


def texts_after_death(server: QdrantServer, library: Library) -> dict[str, str]:
    """What readers find once the lease of the dead writer has run out."""
    server.faults = []
    server.remove("bookwise_state")
    return texts(library)
