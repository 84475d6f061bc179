"""`bookwise verify` over the real embedded engine: finds every difference, and repairs on request only."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from ingestion.vector_stores.edge.generations import EdgeGenerations
from ingestion.vector_stores.filters import Equals, HasId, Where
from ingestion.vector_stores.protocol import VectorStore
from ingestion.vector_stores.types import Point
from tests.support.books import page, write_book
from tests.support.command_line import copy_index, run
from tests.support.openai_server import OpenAIServer

NODES, TOPICS = "module-1-ros2/chapter-1-basics/01-nodes.md", "module-1-ros2/chapter-1-basics/02-topics.md"
PAGES = {
    NODES: page("Nodes", "A node is one program that does one job."),
    TOPICS: page("Topics", "A topic carries messages from many publishers to many subscribers."),
}
INDEX = Path(".bookwise/bookwise")


@pytest.fixture(scope="module")
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer() as server:
        yield server


@pytest.fixture(scope="module")
def made(server: OpenAIServer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An indexed book to copy."""
    folder = tmp_path_factory.mktemp("made")
    with pytest.MonkeyPatch.context() as patch:
        use_service(patch, server)
        patch.chdir(folder)
        write_book(Path("docs"), PAGES)
        assert run("ingest").exit_code == 0
    return folder


@pytest.fixture(autouse=True)
def book(server: OpenAIServer, made: Path, clean_surroundings: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A current folder with its own copy of the indexed book."""
    use_service(monkeypatch, server)
    copy_index(made, clean_surroundings)
    server.requests.clear()
    return clean_surroundings


def use_service(patch: pytest.MonkeyPatch, server: OpenAIServer) -> None:
    patch.setenv("OPENAI_BASE_URL", server.base_url)
    patch.setenv("OPENAI_API_KEY", "any")
    patch.setenv("OPENAI_EMBEDDING_DIMENSIONS", "8")


def changes(result: Result) -> Any:
    return json.loads(result.stdout)["changes"]


def with_store(act: Callable[[VectorStore], None]) -> None:
    """Do something behind the program's back."""
    store = EdgeGenerations(INDEX).open_active()
    assert store is not None
    with closing(store):
        act(store)
        store.checkpoint()


def ids() -> set[str]:
    found: set[str] = set()
    with_store(lambda store: found.update(point.id for point in store.scroll(Where())))
    return found


def lose_a_lesson(store: VectorStore) -> None:
    store.delete(Where((Equals("source_file", TOPICS),)))


def add_a_foreign_lesson(store: VectorStore) -> None:
    copy_of(store, "00000000-0000-4000-8000-000000000000", source_file="gone.md")


def swap_a_point_for_a_foreign_one(store: VectorStore) -> None:
    """The counts of every file stay right."""
    old = copy_of(store, "00000000-0000-4000-8000-000000000000", chunk_index=7)
    store.delete(Where((HasId((old,)),)))


def copy_of(store: VectorStore, point_id: str, **payload: Any) -> str:
    """Copy a point of TOPICS under another id; returns the one it has."""
    [old, *_] = store.scroll(Where((Equals("source_file", TOPICS),)), vectors=True)
    assert old.dense is not None and old.sparse is not None
    store.upsert([Point(point_id, old.dense, old.sparse, {**old.payload, **payload})])
    return old.id


DAMAGES = {
    "lost points": (lose_a_lesson, {TOPICS: "damaged"}),
    "foreign lesson": (add_a_foreign_lesson, {"gone.md": "deleted"}),
    "foreign point": (swap_a_point_for_a_foreign_one, {TOPICS: "damaged"}),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_difference_is_exit_12_and_changes_nothing_until_repair_mends_it(damage: str) -> None:
    act, expected = DAMAGES[damage]
    whole, state = ids(), Path(".ingestion_state.json").read_bytes()
    with_store(act)
    damaged = ids()
    found = run("verify", "--json")
    assert (found.exit_code, changes(found)) == (12, expected)
    assert ids() == damaged and Path(".ingestion_state.json").read_bytes() == state
    mended = run("verify", "--repair", "--json")
    assert (mended.exit_code, changes(mended)) == (0, expected)
    assert ids() == whole and run("verify").exit_code == 0


def test_an_index_equal_to_the_lessons_is_exit_0(server: OpenAIServer) -> None:
    found = run("verify", "--json")
    assert (found.exit_code, changes(found), server.requests) == (0, {}, [])


def test_a_store_restored_from_an_older_copy_is_seen_though_all_counts_agree(server: OpenAIServer) -> None:
    older = Path("older")
    older.mkdir()
    copy_index(INDEX, older)
    (Path("docs") / TOPICS).write_text(PAGES[TOPICS].replace("many publishers", "a few publishers"))
    assert run("ingest").exit_code == 0
    whole = ids()
    shutil.rmtree(INDEX)
    older.rename(INDEX)
    server.requests.clear()
    found = run("verify", "--json")
    assert (found.exit_code, changes(found)) == (12, {TOPICS: "damaged"})
    assert changes(run("ingest", "--json")) == {TOPICS: "damaged"} and ids() == whole
    assert run("verify").exit_code == 0 and changes(run("ingest", "--json")) == {}
    assert server.requests == [], "the cache has the vector"


def turn_a_vector(store: VectorStore) -> None:
    """The payload tells the same text."""
    [old, *_] = store.scroll(Where((Equals("source_file", TOPICS),)), vectors=True)
    assert old.dense is not None and old.sparse is not None
    store.upsert([Point(old.id, old.dense[::-1].copy(), old.sparse, old.payload)])


def change_the_words(store: VectorStore) -> None:
    [old, *_] = store.scroll(Where((Equals("source_file", TOPICS),)), vectors=True)
    assert old.dense is not None and old.sparse is not None
    words = replace(old.sparse, values=tuple(2 * value for value in old.sparse.values))
    store.upsert([Point(old.id, old.dense, words, old.payload)])


@pytest.mark.parametrize("cache", [True, False], ids=["by the cache", "by a sample"])
@pytest.mark.parametrize("damage", [turn_a_vector, change_the_words])
def test_another_text_s_vector_is_seen_with_vectors_alone_and_repaired(
    server: OpenAIServer, damage: Callable[[VectorStore], None], cache: bool
) -> None:
    if not cache:
        for file in Path(".bookwise").glob("embeddings.sqlite*"):
            file.unlink()
    with_store(damage)
    assert run("verify").exit_code == 0, "payloads do not tell"
    again = () if cache else ("--sample", "50")
    sample = again or ("--sample", "0")
    found = run("verify", "--vectors", *sample, "--json")
    assert (found.exit_code, changes(found)) == (12, {TOPICS: "damaged"})
    assert ("2 compared with the cache" if cache else "2 embedded again") in found.stderr
    assert changes(run("verify", "--vectors", *sample, "--repair", "--json")) == {TOPICS: "damaged"}
    assert run("verify", "--vectors", *sample).exit_code == 0
    assert bool(server.requests) is not cache


def test_a_sample_has_as_many_chunks_as_asked_for_where_there_are_so_many() -> None:
    assert "1 embedded again" in run("verify", "--vectors", "--sample", "1").stderr
    assert "2 embedded again" in run("verify", "--vectors", "--sample", "20").stderr


def test_repair_embeds_only_what_has_no_vector(server: OpenAIServer) -> None:
    with_store(lose_a_lesson)
    for file in Path(".bookwise").glob("embeddings.sqlite*"):
        file.unlink()
    assert run("verify", "--repair").exit_code == 0
    [request] = server.requests
    assert all("A topic carries" in text for text in request.body["input"])


def test_records_that_were_lost_are_a_difference_that_costs_nothing(server: OpenAIServer) -> None:
    Path(".ingestion_state.json").unlink()
    assert run("verify").exit_code == 12 and not Path(".ingestion_state.json").exists()
    assert run("verify", "--repair").exit_code == 0 and run("verify").exit_code == 0
    assert server.requests == []


def test_an_unreadable_lesson_is_exit_3_and_not_a_difference_to_mend() -> None:
    (Path("docs") / TOPICS).write_bytes(b"caf\xe9")
    whole = ids()
    assert run("verify").exit_code == run("verify", "--repair").exit_code == 3
    assert ids() == whole
