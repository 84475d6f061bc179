"""Faults met in practice, as whole runs: each test is one case of the list, on its own input.

Held elsewhere: C24 in test_identity and test_crawler, C31 and C32 in test_crawler, C34 in test_lock and
test_interrupt, Ctrl-C of C29 in test_interrupt.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import Result

from ingestion.errors import ConfigurationError, DeletionRefused
from ingestion.vector_stores.filters import AnyOf, HasId, Where
from tests.support.books import Library, delete_move_and_lose_state, page, write_book
from tests.support.command_line import run
from tests.support.fakes import FakeEmbedder, MemoryStore
from tests.support.openai_server import OpenAIServer, error


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(tmp_path, flags={"chunk.tokens": 100, "chunk.max_tokens": 150})


def read(file: Path) -> str:
    return file.read_text(encoding="utf-8")


def paths_of(library: Library) -> set[str]:
    """The files that answer."""
    return {each["source_file"] for each in library.contents().values()}


def files_of(library: Library) -> set[str]:
    return {file.relative_to(library.docs).as_posix() for file in library.docs.rglob("*.md")}


@pytest.fixture
def deletes(monkeypatch: pytest.MonkeyPatch) -> list[Where]:
    """Every delete that a store was asked for."""
    asked: list[Where] = []
    delete = MemoryStore.delete

    def ask(store: MemoryStore, where: Where) -> None:
        asked.append(where)
        delete(store, where)

    monkeypatch.setattr(MemoryStore, "delete", ask)
    return asked


@pytest.mark.parametrize("size", [1, 2, 3, 1000])
def test_a_second_run_does_nothing_whatever_the_batch_size(
    library: Library, cases: Path, deletes: list[Where], monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    """Case C01."""
    for bound in ("file_groups.CHUNKS_PER_GROUP", "file_groups.FILES_PER_GROUP", "known_vectors._KEYS_PER_QUERY"):
        monkeypatch.setattr(f"ingestion.sync.{bound}", size)
    shutil.copytree(cases / "c01/docs", library.docs)
    library.write(
        {path: read(library.docs / path) for path in files_of(library)} | {"other.md": page("Other", "Text.")}
    )
    assert library.run().chunks.embedded > 3
    library.embedder.texts.clear()
    for mode in ("incremental", "full"):
        report = library.run(mode)
        assert report.files["unchanged"] == 2 and not report.pending
    assert library.embedder.texts == [] and deletes == []


def test_an_edit_of_a_page_with_headings_embeds_two_chunks_and_keeps_the_other_ids(
    library: Library, cases: Path
) -> None:
    """Case C03, the page with headings."""
    for name in ("before", "after", "after-typo-in-step-4"):
        before = library.contents().keys() if library.state_path.exists() else set()
        library.write({"p.md": read(cases / f"c03/{name}.md")})
        embedded = library.run().chunks.embedded
        if before:
            assert 1 <= embedded <= 2 and len(before - library.contents().keys()) <= 2


def test_an_edit_of_a_page_without_headings_never_embeds_all_of_it(library: Library, cases: Path) -> None:
    """Case C03, the flat page."""
    library.write({"p.md": read(cases / "c03/flat-no-headings-before.md")})
    whole = library.run().chunks.embedded
    library.write({"p.md": read(cases / "c03/flat-no-headings-after.md")})
    assert whole > 8 and library.run().chunks.embedded <= 3


def test_metadata_alone_embeds_nothing_unless_it_is_part_of_the_embedded_text(library: Library, cases: Path) -> None:
    """Case C03, the edit of front matter."""
    text = read(cases / "c03/before.md")
    library.write({"p.md": text})
    whole = library.run().chunks.embedded
    library.write({"p.md": text.replace("title: Steps", "title: Steps\nhardware_tier: 3")})
    report = library.run()
    assert (report.chunks.embedded, report.chunks.patched, report.files["metadata"]) == (0, whole, 1)
    library.write({"p.md": text.replace("title: Steps", "title: Other steps")})
    assert library.run().chunks.embedded == whole


def test_deleted_and_moved_pages_are_gone_even_when_the_state_was_lost(library: Library, cases: Path) -> None:
    """Case C04, the lost state."""
    delete_move_and_lose_state(library, cases)
    # The move is seen by the hash that the points carry, so that the guard counts one page as gone, not two.
    library.run()
    assert paths_of(library) == files_of(library) == {"chapter-1-one/01-a.md", "chapter-2-two/01-c.md"}
    assert not any("zebra-b" in each["text"] for each in library.contents().values())
    assert library.embedder.texts == []


def test_many_deletions_go_in_bounded_batches_and_an_emptied_folder_in_none(
    library: Library, deletes: list[Where]
) -> None:
    """Case C04, 250 files at once and the empty folder."""
    library.write({f"{number:03}.md": page("Page", f"The text of page {number}.") for number in range(520)})
    library.run()
    library.write({f"{number:03}.md": page("Page", f"The text of page {number}.") for number in range(270)})
    assert library.run().files["deleted"] == 250
    assert paths_of(library) == files_of(library) and len(deletes) == 3
    for where in deletes:
        [named] = [each for each in where.must if isinstance(each, AnyOf | HasId)]
        assert isinstance(named, AnyOf) and 0 < len(named.values) <= 100
    deletes.clear()
    library.write({})
    with pytest.raises(DeletionRefused):
        library.run()
    assert deletes == [] and len(paths_of(library)) == 270


def test_a_page_that_got_shorter_or_empty_leaves_nothing_behind(library: Library, cases: Path) -> None:
    """Case C06."""
    library.flags = {"chunk.tokens": 50, "chunk.max_tokens": 60}
    library.write({"p.md": read(cases / "c06/before.md"), "q.md": page("Other", "Text.")})
    library.run()
    assert "555" in library.texts_of("p.md")
    library.write({"p.md": read(cases / "c06/after.md"), "q.md": page("Other", "Text.")})
    library.run()
    assert "222" in library.texts_of("p.md") and "555" not in library.texts_of("p.md")
    library.write({"p.md": "", "q.md": page("Other", "Text.")})
    assert library.run().empty == ["p.md"] and library.texts_of("p.md") == ""
    [book] = json.loads(read(library.state_path))["books"].values()
    assert book["records"]["p.md"]["chunk_count"] == 0


def test_a_rename_of_the_case_alone_moves_the_page(library: Library) -> None:
    """Case C33."""
    text = page("Read me", "The text of the page.")
    library.write({"docs/readme.md": text, "docs/other.md": page("Other", "Text.")})
    library.run()
    library.embedder.texts.clear()
    library.write({"docs/README.md": text, "docs/other.md": page("Other", "Text.")})
    report = library.run()
    assert report.changes == {"docs/README.md": "moved"}
    assert paths_of(library) == {"docs/README.md", "docs/other.md"} and library.embedder.texts == []


def test_another_embedding_is_refused_before_any_call_and_built_beside_the_old(library: Library) -> None:
    """Case C36."""
    library.write({"p.md": page("Page", "The text of the page.")})
    library.embedder = FakeEmbedder("x/1", 8)
    library.run()
    for model, dimensions in (("y/1", 4), ("z/1", 4)):
        before, writes = library.contents(), library.generations.writes
        library.embedder = FakeEmbedder(model, dimensions)
        with pytest.raises(ConfigurationError, match=r"the index holds vectors of .*--mode recreate"):
            library.run()
        assert (library.embedder.calls, library.contents(), library.generations.writes) == (0, before, writes)
        assert library.run("recreate").chunks.embedded == 1
    library.flags["chunk.tokens"] = 50
    assert library.run().changes == {"p.md": "outdated"}


@pytest.fixture
def six_pages(clean_surroundings: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenAIServer]:
    """A book of six pages in the current folder, and the service that embeds it."""
    write_book(Path("docs"), {f"{number}.md": page("Page", f"The text of page {number}.") for number in range(6)})
    with OpenAIServer() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "any")
        monkeypatch.setenv("OPENAI_EMBEDDING_DIMENSIONS", "8")
        yield server


def ingest(*arguments: str) -> Result:
    return run("ingest", *arguments)


def test_a_run_is_green_only_if_every_page_is_indexed(
    six_pages: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Case C29."""
    six_pages.script.append(error(401, "no such key"))
    failed = ingest("--json")
    assert failed.exit_code == 6 and "the key was rejected" in failed.stderr
    assert json.loads(failed.stdout)["error"]["exit_code"] == 6
    text = read(Path("docs/3.md"))
    Path("docs/3.md").write_bytes(b"caf\xe9")
    partly = ingest("--json")
    assert partly.exit_code == 3 and len(json.loads(partly.stdout)["failures"]) == 1
    Path("docs/3.md").write_text(text, encoding="utf-8")
    assert [ingest().exit_code, ingest().exit_code] == [0, 0]
    Path("empty").mkdir()
    assert [ingest("nowhere").exit_code, ingest("--book", "new", "empty").exit_code] == [5, 5]
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("BOOKWISE_EMBEDDER", "openai")
    assert ingest().exit_code == 0, "a run with nothing to do needs no key"
    Path("docs/3.md").write_text(f"{text}\nSomething new.\n", encoding="utf-8")
    assert ingest().exit_code == 4
