"""Faults met in practice that depend on the store, replayed on both engines (cases C04, C22, C34 and C36).

C24 is held on both in tests/rag/retrieval/test_search_engines.py, C34 between processes in test_lock and in
test_interrupt.
"""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from ingestion.errors import (
    ConfigurationError,
    DeletionRefused,
    IndexInUse,
    IndexLocked,
    PointRefused,
)
from ingestion.vector_stores.filters import Where
from ingestion.vector_stores.protocol import Generations
from ingestion.vector_stores.server.client import connect
from ingestion.vector_stores.server.generations import ServerGenerations
from ingestion.vector_stores.server.store import ServerStore
from tests.support.books import Library, delete_move_and_lose_state, page
from tests.support.fakes import FakeEmbedder
from tests.support.qdrant_server import KEY, QdrantServer, running
from tests.support.vector_points import SCHEMA, make_point

pytestmark = pytest.mark.filterwarnings("ignore:Payload indexes have no effect:UserWarning")


@pytest.fixture
def library(either_generations: Generations, tmp_path: Path) -> Library:
    return Library(tmp_path, generations=either_generations, flags={"index.wait": 0})


def chunks_a_file(library: Library) -> dict[str, int]:
    with closing(library.generations.open_active()) as store:
        counts: dict[str, int] = store.values("source_file", Where())
    return counts


def files_of(library: Library) -> set[str]:
    return {path.relative_to(library.docs).as_posix() for path in library.docs.rglob("*.md")}


def test_the_store_equals_the_folder_even_when_the_state_was_lost(library: Library, cases: Path) -> None:
    """Case C04."""
    delete_move_and_lose_state(library, cases)
    library.run(allow_delete=True)
    assert chunks_a_file(library).keys() == files_of(library) == {"chapter-1-one/01-a.md", "chapter-2-two/01-c.md"}
    assert library.embedder.texts == []


def test_many_removed_files_go_and_an_emptied_folder_removes_nothing(library: Library) -> None:
    """Case C04."""
    pages = {f"{number:03}.md": page("Page", f"The text of page {number}.") for number in range(260)}
    library.write(pages)
    library.run()
    library.write(dict(list(pages.items())[:10]))
    with pytest.raises(DeletionRefused):
        library.run()
    assert len(chunks_a_file(library)) == 260
    assert library.run(allow_delete=True).files["deleted"] == 250
    assert chunks_a_file(library).keys() == files_of(library)
    library.write({})
    with pytest.raises(DeletionRefused):
        library.run()
    assert len(chunks_a_file(library)) == 10


def test_another_embedding_is_refused_before_any_call_and_built_beside_the_old(library: Library) -> None:
    """Case C36."""
    library.write({"p.md": page("Page", "The text of the page.")})
    library.embedder = FakeEmbedder("x/1", 8)
    library.run()
    for model, dimensions in (("y/1", 4), ("z/1", 8), ("w/1", 8)):
        before = library.generations.kept()
        library.embedder = FakeEmbedder(model, dimensions)
        with pytest.raises(ConfigurationError, match=r"the index holds vectors of .*--mode recreate"):
            library.run()
        assert library.embedder.calls == 0 and library.generations.kept() == before
        assert library.run("recreate").chunks.embedded == 1
        active, former = library.generations.kept()
        assert (active.schema.embedding, active.schema.dimensions) == (model, dimensions)
        assert former.schema == before[0].schema
    library.flags["chunk.tokens"] = 50
    assert library.run().changes == {"p.md": "outdated"}


def test_a_second_writer_is_stopped_and_the_next_run_needs_no_clean_up(library: Library, tmp_path: Path) -> None:
    """Case C34."""
    library.write({"p.md": page("Page", "The text of the page.")})
    library.run()
    library.write({"p.md": page("Page", "Another text.")})
    with library.generations.writer(0), closing(library.generations.open_active()):
        other = Library(library.folder, generations=library.generations, flags=library.flags)
        with pytest.raises((IndexLocked, IndexInUse)):
            other.run()
    assert library.run().files["modified"] == 1


def test_a_load_that_no_request_holds_arrives_in_bodies_that_the_server_takes() -> None:
    """Case C22, with the server's limit and ours at a thirty-second; the giant point is in test_server_store."""
    with running(QdrantServer(most_bytes=1 << 20)) as qdrant:
        server = connect(qdrant.url, KEY)
        generations = ServerGenerations(server, "bookwise")
        store = ServerStore(server, generations.create(SCHEMA).collection, SCHEMA, request_bytes=(1 << 20) - 4096)
        store.upsert([make_point(number, extra="x" * 8192) for number in range(500)])
        assert store.count(Where()) == 500
        assert 1 << 19 < max(qdrant.sizes) <= 1 << 20
        large = ServerStore(server, store.collection, SCHEMA)
        large.upsert([make_point(number, extra="y" * 8192) for number in range(200)])
        assert max(qdrant.sizes) > 1 << 20, "it was refused, and sent again in halves"
        with pytest.raises(PointRefused, match="larger than allowed"):
            large.upsert([make_point(0, extra="x" * (1 << 20))])
