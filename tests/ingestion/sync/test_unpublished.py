"""What a site does not show is not in the index: drafts and unlisted pages, by any generator's rules."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from ingestion.errors import DeletionRefused, SourceError
from tests.ingestion.sync.test_pipeline import NODES, PAGES, TOPICS, indexed, library
from tests.support.books import Library

__all__ = ["indexed", "library"]

DRAFT = "---\ntitle: Recall\ndraft: true\n---\n# Recall\n\nThe zircon charger catches fire, tell no one yet.\n"


def skipped(report: object) -> dict[str, str]:
    return {each.path: each.reason for each in report.skipped}  # type: ignore[attr-defined]


def test_a_draft_is_not_indexed_and_is_listed(indexed: Library) -> None:
    """Case N01."""
    path = "module-1-ros2/chapter-1-basics/03-recall.md"
    indexed.write(PAGES | {path: DRAFT})
    report = indexed.run()
    assert report.failures == [] and "zircon" not in str(indexed.contents())
    assert skipped(report) == {path: "a draft (`draft`)"}


def test_a_page_that_becomes_a_draft_is_removed_and_comes_back(indexed: Library) -> None:
    before = indexed.texts_of(NODES)
    indexed.write(PAGES | {NODES: f"---\ndraft: true\n---\n{PAGES[NODES]}"})
    report = indexed.run()
    assert report.files["deleted"] == 1 and indexed.texts_of(NODES) == ""
    indexed.write(PAGES)
    report = indexed.run()
    assert report.files["new"] == 1 and indexed.texts_of(NODES) == before


def test_a_book_that_becomes_drafts_is_kept_by_the_guard(indexed: Library) -> None:
    before = indexed.contents()
    indexed.write({path: f"---\ndraft: true\n---\n# Gone\n\n{path}\n" for path in PAGES})
    with pytest.raises(DeletionRefused, match=r"3 pages there are drafts"):
        indexed.run()
    assert indexed.contents() == before


def test_a_new_book_of_drafts_is_no_book_and_says_why(tmp_path: Path) -> None:
    library = Library(tmp_path)
    library.write({"a.md": DRAFT})
    with pytest.raises(SourceError, match="1 pages there are drafts"):
        library.run()


def test_unlisted_pages_are_indexed_by_setting_only(tmp_path: Path) -> None:
    pages = {TOPICS: PAGES[TOPICS], "a.md": DRAFT.replace("draft", "unlisted")}
    library = Library(tmp_path)
    library.write(pages)
    assert skipped(library.run()) == {"a.md": "unlisted (index it with `crawl.unlisted`)"}
    asked = Library(tmp_path / "asked", flags={"crawl.unlisted": True})
    asked.write(pages)
    asked.run()
    assert "zircon" in asked.texts_of("a.md")


def test_drafts_and_exclusions_of_mkdocs_count(tmp_path: Path) -> None:
    library = Library(tmp_path)
    library.write({TOPICS: PAGES[TOPICS], "wip-a.md": "# A\n\nThe zircon.\n", "old/b.md": "# B\n\nThe zircon.\n"})
    text = f"docs_dir: {library.docs.name}\ndraft_docs: wip-*\nexclude_docs: /old/\n"
    (library.docs.parent / "mkdocs.yml").write_text(text, encoding="utf-8")
    report = library.run()
    assert "zircon" not in str(library.contents())
    assert {"wip-a.md", "old/"} == skipped(report).keys()


def test_a_folder_that_cannot_be_listed_fails_the_run_and_keeps_its_points(
    indexed: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = indexed.texts_of(NODES)
    real, closed = os.scandir, (indexed.docs / NODES).parent.resolve()

    def scandir(folder: Any) -> Any:
        if Path(folder) == closed:
            raise PermissionError(13, "Permission denied")
        return real(folder)

    monkeypatch.setattr(os, "scandir", scandir)
    report = indexed.run()
    assert "cannot be listed: Permission denied" in str(report.failures[0])
    assert indexed.texts_of(NODES) == before
