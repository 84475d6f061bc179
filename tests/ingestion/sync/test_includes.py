"""Included files in the index: a change of one indexes the pages that include it, and nothing is parsed in vain."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from ingestion.models import IngestionRecord
from ingestion.source import parser
from rag.grounding.passage_blocks import blocks_of
from rag.models import SearchQuery
from rag.retrieval.lessons import read_lesson
from rag.retrieval.search import search
from tests.support.books import BOOK, Library, long_text, page
from tests.support.fakes import Crash

ONE, TWO = "01-one.md", "02-two.md"


def add(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def records_of(library: Library) -> dict[str, IngestionRecord]:
    parts = library.parts()
    return parts.states.load(BOOK, parts.settings.qdrant.collection).records


@pytest.fixture
def library(tmp_path: Path) -> Library:
    """A book of two lessons, the first of which includes a listing and a file that is not there."""
    library = Library(tmp_path)
    includes = "```rust\n{{#include ../code/a.rs:here}}\n```\n\n{{#include later.md}}"
    library.write({ONE: page("One", long_text("alpha"), includes), TWO: page("Two", long_text("beta"))})
    add(tmp_path, {"book.toml": '[book]\nsrc = "docs"\n'})
    add(tmp_path, {"code/a.rs": "// ANCHOR: here\nlet first_name = 1;\n// ANCHOR_END: here\nlet other = 2;\n"})
    library.run()
    return library


def test_the_text_is_found_on_the_page_at_the_line_of_the_include(library: Library) -> None:
    (chunk,) = [each for each in library.contents().values() if "first_name" in each["text"]]
    lines = (library.docs / ONE).read_text(encoding="utf-8").split("\n")
    assert chunk["source_file"] == ONE and chunk["source_file_hash"] == records_of(library)[ONE].file_hash
    first, last = chunk["line_start"], chunk["line_end"]
    assert "{{#include ../code/a.rs:here}}" in "\n".join(lines[first - 1 : last])
    assert last <= len(lines)


def test_a_change_of_an_included_file_indexes_its_page_again_and_embeds_only_what_is_new(library: Library) -> None:
    includes = records_of(library)[ONE].includes
    assert includes.keys() == {"../code/a.rs", "later.md"} and includes["later.md"] == ""
    assert not library.run().pending
    chunks, before = library.contents(), len(library.embedder.texts)
    add(library.folder, {"code/a.rs": "// ANCHOR: here\nlet second_name = 1;\n// ANCHOR_END: here\n"})
    assert library.run().changes == {ONE: "modified"}
    assert len(library.embedder.texts) - before == 1 < len(chunks)
    assert "second_name" in library.texts_of(ONE) and "first_name" not in library.texts_of(ONE)
    assert not library.run().pending


def test_a_change_outside_of_the_included_part_embeds_nothing(library: Library) -> None:
    before = len(library.embedder.texts)
    add(library.folder, {"code/a.rs": "// ANCHOR: here\nlet first_name = 1;\n// ANCHOR_END: here\nlet other = 3;\n"})
    assert library.run().changes == {ONE: "metadata"}
    assert len(library.embedder.texts) == before
    assert not library.run().pending


def test_a_file_that_appears_is_read_and_one_that_goes_is_a_finding(library: Library) -> None:
    assert [found.rule for found in records_of(library)[ONE].findings] == ["unresolved-include"]
    add(library.docs, {"later.md": "# Later\n\nThe late words are here.\n"})
    library.run()
    assert "late words" in library.texts_of(ONE)
    assert not records_of(library)[ONE].findings
    (library.folder / "code/a.rs").unlink()
    assert library.run().changes == {ONE: "modified"}
    assert "first_name" not in library.texts_of(ONE)
    assert "does not exist" in records_of(library)[ONE].findings[0].message


def test_line_ends_of_an_included_file_change_nothing(library: Library) -> None:
    code = library.folder / "code/a.rs"
    code.write_bytes(code.read_bytes().replace(b"\n", b"\r\n"))
    assert not library.run().pending


def test_a_run_with_nothing_to_do_parses_nothing(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object) -> None:
        raise AssertionError("parsed")

    monkeypatch.setattr(parser, "read_metadata", refuse)
    monkeypatch.setattr("ingestion.source.includes.pages.expand", refuse)
    assert not library.run().pending


PARTS = st.sampled_from(["a.rs", "b.md", "c.md"])
WORDS = st.sampled_from(["alpha", "beta", "gamma", "delta"])
TARGETS = st.sampled_from(["../code/a.rs", "../code/a.rs:x", "../code/b.md", "../code/c.md", "../code/b.md:2:3"])


class IncludingHistory(RuleBasedStateMachine):
    """Pages and the files that they include under edits; each step ends with a run."""

    @initialize()
    def begin(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.library = Library(self.folder / "library", flags={"index.max_delete": 100})
        self.pages = {ONE: page("One", long_text("alpha", 5), "{{#include ../code/a.rs:x}}")}
        self.parts: dict[str, str] = {}
        self.settle()

    @rule(path=st.sampled_from([ONE, TWO]), word=WORDS, included=st.lists(TARGETS, max_size=3))
    def write_page(self, path: str, word: str, included: list[str]) -> None:
        self.pages[path] = page(
            path, long_text(word, 5), *(f"Before {{{{#include {each}}}}} after" for each in included)
        )

    @rule(name=PARTS, words=st.lists(WORDS, max_size=4), size=st.integers(1, 60), nested=st.none() | PARTS)
    def write_part(self, name: str, words: list[str], size: int, nested: str | None) -> None:
        anchored = [f"// ANCHOR: x\n{long_text(word, size)}\n// ANCHOR_END: x" for word in words[:1]]
        inner = [f"{{{{#include {nested}}}}}"] if nested else []
        self.parts[name] = "\n\n".join([*anchored, *(long_text(word, size) for word in words[1:]), *inner])

    @rule(name=PARTS)
    def delete_part(self, name: str) -> None:
        self.parts.pop(name, None)

    @rule(call=st.integers(1, 8))
    def crash(self, call: int) -> None:
        self.write(self.library)
        self.library.fail_at(call)
        try:
            self.library.run()
        except Crash:
            pass
        finally:
            self.library.fail_at(None)

    def write(self, library: Library) -> None:
        library.write(self.pages)
        shutil.rmtree(library.folder / "code", ignore_errors=True)
        add(library.folder, {"book.toml": '[book]\nsrc = "docs"\n'})
        add(library.folder / "code", self.parts)

    @invariant()
    def settle(self) -> None:
        library = self.library
        self.write(library)
        stored = {point.payload["embed_key"] for point in library.generations.points.values()}
        before = len(library.embedder.texts)
        library.run()
        expected = Library(self.folder / "expected", flags=library.flags)
        self.write(expected)
        expected.run()
        assert library.contents() == expected.contents()
        assert {path: (record.includes, record.findings) for path, record in records_of(library).items()} == {
            path: (record.includes, record.findings) for path, record in records_of(expected).items()
        }
        new = {chunk["embed_key"] for chunk in expected.contents().values()} - stored
        assert len(library.embedder.texts) - before <= len(new)
        assert not library.run().pending
        shutil.rmtree(expected.folder)

    def teardown(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


TestIncludingHistory = IncludingHistory.TestCase
TestIncludingHistory.settings = settings(max_examples=10, stateful_step_count=10, deadline=None)


def test_plan_says_what_ingest_does_after_an_include_changed(library: Library) -> None:
    add(library.folder, {"code/a.rs": "// ANCHOR: here\nlet second_name = 1;\n// ANCHOR_END: here\n"})
    add(library.docs, {"later.md": "# Later\n\nThe late words are here.\n"})
    planned = library.run(dry_run=True)
    done = library.run()
    assert planned.changes == done.changes == {ONE: "modified", "later.md": "new"}
    assert planned.chunks == done.chunks and planned.chunks.embedded >= 1


def test_chunks_of_a_page_with_includes_are_joined_as_its_site_shows_them(tmp_path: Path) -> None:
    library = Library(tmp_path, flags={"chunk.tokens": 60, "chunk.max_tokens": 90})
    listing = "\n\n".join(f"The listing says that wheel{number} turns {number} times." for number in range(30))
    library.write({ONE: page("One", "{{#include ../code/long.md}}\n\nWhat stands after it.")})
    add(tmp_path, {"book.toml": '[book]\nsrc = "docs"\n', "code/long.md": listing})
    library.run()
    store = library.generations.open_active()
    lesson = read_lesson(store, BOOK, ONE)
    assert len(lesson.chunks) > 3
    assert listing in lesson.text() and lesson.text().count("wheel7 ") == 1
    query = SearchQuery(text="how often does wheel7 turn", book_id=BOOK, whole_lesson=True, mode="keyword")
    result = search(query, store, library.embedder).results[0]
    assert listing in result.text
    lines = (library.docs / ONE).read_text(encoding="utf-8").split("\n")
    blocks = [block for block in blocks_of(result) if "wheel7 " in block.text]
    directive = lines.index("{{#include ../code/long.md}}") + 1
    assert [block.line_start <= directive <= block.line_end <= len(lines) for block in blocks] == [True]
