"""The one pass over HTTP: what a run on a shared server does, and what a runner without a disk finds there."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest

from ingestion.errors import IndexLocked
from ingestion.vector_stores.filters import Equals, Where
from ingestion.vector_stores.server.client import connect
from ingestion.vector_stores.server.generations import ServerGenerations
from tests.support.books import BOOK, Library, long_text, page
from tests.support.openapi import OpenApi
from tests.support.qdrant_server import KEY, QdrantServer, description, running

PAGES = {
    f"module-1-ros2/chapter-1-a/{number:02}-x.md": page(f"P{number}", long_text(f"word {number}"))
    for number in range(1, 5)
}


def library_on(server: QdrantServer, folder: Path) -> Library:
    folder.mkdir()
    library = Library(
        folder, generations=ServerGenerations(connect(server.url, KEY), "books"), flags={"index.wait": 0}
    )
    library.write(PAGES)
    return library


def stored(library: Library) -> dict[str, Any]:
    store = library.generations.open_active()
    return {point.id: point.payload["source_file"] for point in store.scroll(Where((Equals("book_id", BOOK),)))}


def test_a_run_indexes_edits_and_deletes_over_http(server: QdrantServer, tmp_path: Path) -> None:
    library = library_on(server, tmp_path / "one")
    assert library.run().files["new"] == 4
    library.write(dict(list(PAGES.items())[:3]))
    assert library.run().files["deleted"] == 1
    assert set(stored(library).values()) == set(list(PAGES)[:3])
    assert not library.run().pending


def test_a_runner_with_an_empty_disk_embeds_nothing(server: QdrantServer, tmp_path: Path) -> None:
    library_on(server, tmp_path / "one").run()
    other = library_on(server, tmp_path / "two")
    report = other.run()
    assert report.files["unrecorded"] == 4 and other.embedder.texts == []
    assert report.chunks.written == report.chunks.patched == report.chunks.deleted == 0


def test_two_machines_cannot_write_one_collection_at_once(server: QdrantServer, tmp_path: Path) -> None:
    first, second = library_on(server, tmp_path / "one"), library_on(server, tmp_path / "two")
    with first.generations.writer(0), pytest.raises(IndexLocked, match="another run is writing books"):
        second.run()
    assert second.run().files["new"] == 4


def test_recreate_switches_the_alias_and_reuses_the_vectors(server: QdrantServer, tmp_path: Path) -> None:
    library = library_on(server, tmp_path / "one")
    library.run()
    before = stored(library)
    library.embedder.texts.clear()
    library.run("recreate")
    assert stored(library) == before and library.embedder.texts == []


@pytest.mark.shared
@pytest.mark.parametrize("version", ["v1.17.x", "v1.19.x"])
def test_every_request_fits_qdrants_own_description(tmp_path: Path, version: str) -> None:
    if not description(version).is_file():
        pytest.skip(f"Qdrant's description {version} is not beside the project")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with running(QdrantServer(openapi=OpenApi(description(version)))) as server:
            library = library_on(server, tmp_path / "one")
            library.run()
            library.run("recreate")
            assert server.violations == []
