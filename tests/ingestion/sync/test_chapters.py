"""The chapter that a book's own contents give its pages: shown, found by its words, and never embedded."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ingestion.source.book_order import summary_entries
from ingestion.source.generators.mkdocs.pages import nav_entries
from ingestion.sync.pipeline import ingest
from ingestion.sync.vector_check import VectorCheck
from ingestion.vector_stores.bm25 import query_vector
from tests.support.books import BOOK, Library, indexed_library

SUMMARY = """\
# Summary

- [Custom types](types/index.md)
  - [Enums](types/enums.md)
- [Serialization](wire/index.md)
  - [Enums](wire/enums.md)
"""
PAGES = {
    "SUMMARY.md": SUMMARY,
    "types/index.md": "# Custom types\n\nA type of your own.\n",
    "types/enums.md": "# Enums\n\nAn enum has variants, of which a value is one.\n",
    "wire/index.md": "# Serialization\n\nA value becomes bytes.\n",
    "wire/enums.md": "# Enums\n\nAn enum is written by the name of its variant.\n",
}


@pytest.fixture
def indexed(tmp_path: Path) -> Library:
    return indexed_library(tmp_path, PAGES)


def found_by(library: Library, word: str) -> set[str]:
    """The pages whose sparse vectors have a word."""
    (term,) = query_vector(word).indices
    points = library.generations.points.values()
    return {point.payload["source_file"] for point in points if term in point.sparse.indices}


def test_pages_of_one_title_are_told_apart_by_their_chapters(indexed: Library) -> None:
    chapters = {each["source_file"]: each["chapter_title"] for each in indexed.contents().values()}
    assert (chapters["types/enums.md"], chapters["wire/enums.md"]) == ("Custom types", "Serialization")
    assert found_by(indexed, "serialization") == {"wire/index.md", "wire/enums.md"}


def test_a_renamed_chapter_embeds_nothing_and_is_found_by_its_new_words(indexed: Library) -> None:
    indexed.write(PAGES | {"SUMMARY.md": SUMMARY.replace("[Serialization]", "[Encodings]")})
    report = indexed.run()
    assert indexed.embedder.texts == [] and report.chunks.embedded == 0
    assert found_by(indexed, "encodings") == {"wire/enums.md"}
    assert found_by(indexed, "serialization") == {"wire/index.md"}
    assert indexed.run().chunks.written == 0


def test_a_page_that_moves_to_another_chapter_embeds_nothing(indexed: Library) -> None:
    moved = SUMMARY.replace("  - [Enums](types/enums.md)\n", "") + "  - [Enums](types/enums.md)\n"
    indexed.write(PAGES | {"SUMMARY.md": moved})
    indexed.run()
    assert indexed.embedder.texts == []
    assert "types/enums.md" in found_by(indexed, "serialization")


def test_a_chapter_is_all_that_stands_above_a_page_in_the_contents() -> None:
    summary = "- [A](a.md)\n  - [B](b.md)\n    - [C](c.md)\n- [D](d.md)\n"
    assert [entry.chapter_title for _, entry in summary_entries(summary)] == [None, "A", "A › B", None]
    nav = [{"Start": "index.md"}, {"Guide": [{"Setup": "setup.md"}, {"More": [{"Tips": "tips.md"}]}]}]
    assert [entry.chapter_title for _, entry in nav_entries(nav)] == [None, "Guide", "Guide › More"]


def test_the_first_page_of_a_section_is_its_overview_by_its_whole_name() -> None:
    nav = [{"A": ["a/index.md", "a/one.md"]}, {"B": ["b/reindex.md", "b/two.md"]}]
    assert [(entry.chapter, entry.lesson) for _, entry in nav_entries(nav)] == [(1, 0), (1, 1), (2, 1), (2, 2)]


def test_verify_knows_the_words_of_chapters(indexed: Library) -> None:
    check = VectorCheck(indexed.embedder, None, sample=0)
    parts = replace(indexed.parts(), vectors=check)
    found = ingest(parts, indexed.docs, book_id=BOOK, mode="full", dry_run=True).changes
    assert check.by_words == 4 and found == {}, "no vector is another text's"
