"""Walking a docs root: which files are lessons, which are not and why."""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingestion.errors import ConfigurationError, SourceError
from ingestion.settings.book import CrawlSettings
from ingestion.source import crawler
from ingestion.source.crawler import Crawl, relative_path
from ingestion.source.generators import of
from tests.support.books import plant


def crawl(root: Path, *, translations: bool = False, **options: Any) -> Crawl:
    """What lies below a root of which no generator is known."""
    ignored = of(None).ignored(None, CrawlSettings(translations=translations))
    return crawler.crawl(root, ignored=ignored, **options)


def paths_of(found: Crawl) -> list[str]:
    return [file.path for file in found.files]


def reasons(found: Crawl) -> dict[str, str]:
    return {each.path: each.reason for each in found.skipped}


def test_a_missing_root_is_refused_with_its_name(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="gone: no such folder"):
        crawl(tmp_path / "gone")


def test_a_file_as_root_is_refused_with_its_name(tmp_path: Path) -> None:
    plant(tmp_path, "a.md")
    with pytest.raises(SourceError, match=r"a\.md: is a file"):
        crawl(tmp_path / "a.md")


def test_an_empty_root_has_no_files(tmp_path: Path) -> None:
    assert crawl(tmp_path) == Crawl(tmp_path.resolve(), (), (), (), ())


def test_files_come_sorted_by_path_with_their_place_on_disk(tmp_path: Path) -> None:
    plant(tmp_path, "b/2.md", "b/1.mdx", "a.md", "b.MD", "notes.txt", "picture.png")
    found = crawl(tmp_path)
    assert paths_of(found) == ["a.md", "b.MD", "b/1.mdx", "b/2.md"]
    assert all(file.location == tmp_path.resolve() / file.path for file in found.files)
    assert found.skipped == ()


@pytest.mark.parametrize(
    ("path", "skipped", "rule"),
    [
        ("node_modules/p/README.md", "node_modules/", "node_modules/"),
        ("deep/node_modules/p/README.md", "deep/node_modules/", "node_modules/"),
        ("venv/p.md", "venv/", "venv/"),
        (".venv/p.md", ".venv/", ".*"),
        (".git/x.md", ".git/", ".*"),
        (".hidden.md", ".hidden.md", ".*"),
        ("versioned_docs/version-1/a.md", "versioned_docs/version-1/", "**/versioned_docs/version-*/"),
        ("_partial.mdx", "_partial.mdx", "_*"),
        ("_partials/a.md", "_partials/", "_*"),
        ("i18n/ur/a.md", "i18n/ur/", "**/i18n/[a-z][a-z]/"),
        ("i18n/pt-BR/a.md", "i18n/pt-BR/", "**/i18n/[a-z][a-z][-_]*/"),
        (
            "site/i18n/ur/docusaurus-plugin-content-docs/current/a.md",
            "site/i18n/ur/",
            "**/i18n/[a-z][a-z]/",
        ),
    ],
)
def test_what_is_not_book_is_skipped_with_its_rule(tmp_path: Path, path: str, skipped: str, rule: str) -> None:
    found = crawl(plant(tmp_path, path, "a.md"))
    assert paths_of(found) == ["a.md"]
    assert reasons(found) == {skipped: f"built-in rule `{rule}`"}


@pytest.mark.parametrize(
    "path",
    [
        "specs/001/plan.md",
        "history/1.md",
        "backup-and-restore/a.md",
        "tutorial-basics/a.md",
        "tutorial-x/a.md",
        "versioned_docs.md",
        "i18n/git.md",
        "i18n/guide/a.md",
        "old.markdown",
    ],
)
def test_what_may_be_a_chapter_is_one(tmp_path: Path, path: str) -> None:
    assert paths_of(crawl(plant(tmp_path, path))) == [path]


def test_a_section_page_with_an_underscore_is_a_lesson(tmp_path: Path) -> None:
    assert paths_of(crawl(plant(tmp_path, "a/_index.md", "b/_index.mdx"))) == ["a/_index.md", "b/_index.mdx"]


def test_translations_are_walked_when_asked_for(tmp_path: Path) -> None:
    plant(tmp_path, "i18n/ur/a.md")
    assert paths_of(crawl(tmp_path, translations=True)) == ["i18n/ur/a.md"]


def test_an_ignore_file_adds_rules_and_takes_back_built_in_ones(tmp_path: Path) -> None:
    plant(tmp_path, "_specs/a.md", "drafts/b.md", "drafts/keep.md", "c.md")
    text = "\ufeff!_specs/\r\n\r\n# ours\r\ndrafts/*\r\n!drafts/keep.md\r\n"
    (tmp_path / ".bookwiseignore").write_text(text, encoding="utf-8", newline="")
    found = crawl(tmp_path)
    assert paths_of(found) == ["_specs/a.md", "c.md", "drafts/keep.md"]
    assert reasons(found) == {"drafts/b.md": ".bookwiseignore `drafts/*`"}


def test_the_exclude_setting_is_named_as_the_reason(tmp_path: Path) -> None:
    plant(tmp_path, "a.md", "old/b.md")
    (tmp_path / ".bookwiseignore").write_text("nothing/\n")
    assert reasons(crawl(tmp_path, exclude=["old/"])) == {"old/": "setting crawl.exclude `old/`"}


def test_the_ignore_file_counts_after_the_exclude_setting(tmp_path: Path) -> None:
    plant(tmp_path, "a.md")
    (tmp_path / ".bookwiseignore").write_text("!a.md\n")
    assert paths_of(crawl(tmp_path, exclude=["*.md"])) == ["a.md"]


def test_include_keeps_only_what_matches_and_still_excludes(tmp_path: Path) -> None:
    found = crawl(plant(tmp_path, "docs/a.md", "docs/_p.md", "other/b.md"), include=["docs/"])
    assert paths_of(found) == ["docs/a.md"]
    assert reasons(found)["other/b.md"] == "matches no pattern of crawl.include"


@pytest.mark.parametrize("pattern", ["!", "x\\", "[z-a]"])
def test_a_pattern_that_cannot_be_read_is_a_configuration_error(tmp_path: Path, pattern: str) -> None:
    with pytest.raises(ConfigurationError, match="gitignore syntax"):
        crawl(tmp_path, exclude=[pattern])


def test_an_ignore_file_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    (tmp_path / ".bookwiseignore").write_bytes(b"caf\xe9/\n")
    with pytest.raises(SourceError, match=r"\.bookwiseignore: cannot be read"):
        crawl(tmp_path)


def test_links_are_never_followed_and_are_reported(tmp_path: Path) -> None:
    """Case C32."""
    docs = plant(tmp_path / "docs", "a.md", "x.md/01-inside.md", "sub/b.md")
    plant(tmp_path, "outside/secret.md")
    (docs / "loop").symlink_to(docs)
    (docs / "sub/up").symlink_to(docs)
    (docs / "side").symlink_to(docs / "sub")
    (docs / "out").symlink_to(tmp_path / "outside")
    (docs / "b.md").symlink_to("a.md")
    (docs / "gone.md").symlink_to("nowhere.md")
    (docs / "self.md").symlink_to("self.md")
    (docs / "picture.png").symlink_to("nowhere.png")
    os.mkfifo(docs / "pipe.md")
    found = crawl(docs)
    assert paths_of(found) == ["a.md", "sub/b.md", "x.md/01-inside.md"]
    assert reasons(found) == {
        "b.md": "link; indexed as a.md if at all",
        "gone.md": "link to nothing",
        "loop": "link that loops",
        "out": "link that leads outside the docs root",
        "pipe.md": "not a regular file",
        "self.md": "link to nothing",
        "side": "link; indexed as sub if at all",
        "sub/up": "link that loops",
        "x.md/": "a folder; the lessons in it are indexed",
    }


def test_a_root_that_is_a_link_is_walked(tmp_path: Path) -> None:
    plant(tmp_path / "real", "a.md")
    (tmp_path / "docs").symlink_to(tmp_path / "real")
    assert paths_of(crawl(tmp_path / "docs")) == ["a.md"]


def test_a_folder_that_cannot_be_listed_is_reported_and_the_walk_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(tmp_path, "a.md", "closed/b.md", "z.md")
    real = os.scandir

    def scandir(folder: Any) -> Any:
        if Path(folder).name == "closed":
            raise PermissionError(13, "Permission denied")
        return real(folder)

    monkeypatch.setattr(os, "scandir", scandir)
    found = crawl(tmp_path)
    assert paths_of(found) == ["a.md", "z.md"]
    assert [(each.path, each.reason) for each in found.unreadable] == [
        ("closed/", "cannot be listed: Permission denied")
    ]


def test_names_that_differ_only_by_case_are_two_pages_that_clash(tmp_path: Path) -> None:
    """Case C33."""
    found = crawl(plant(tmp_path, "docs/readme.md", "docs/README.md", "docs/other.md"))
    assert paths_of(found) == ["docs/README.md", "docs/other.md", "docs/readme.md"]
    assert found.clashes == (("docs/README.md", "docs/readme.md"),)


def test_two_spellings_of_one_name_are_one_page_and_the_other_is_reported(tmp_path: Path) -> None:
    """Case C31, lines 6 and 7."""
    found = crawl(plant(tmp_path, "caf\u00e9.md", "cafe\u0301.md"))
    assert paths_of(found) == ["caf\u00e9.md"]
    assert reasons(found) == {"caf\u00e9.md": "another spelling of the same name (Unicode NFC)"}


def test_a_decomposed_name_gets_a_composed_path_and_is_still_found_on_disk(tmp_path: Path) -> None:
    (file,) = crawl(plant(tmp_path, "re\u0301sume\u0301/cafe\u0301.md")).files
    assert file.path == "r\u00e9sum\u00e9/caf\u00e9.md"
    assert file.location.read_text(encoding="utf-8") == "# Page\n"


def test_a_name_that_is_not_utf8_is_reported_and_not_indexed(tmp_path: Path) -> None:
    plant(tmp_path, "a.md")
    root = os.fsencode(tmp_path)
    os.mkdir(root + b"/ch\xe9")
    for name in (b"/caf\xe9.md", b"/caf\xe9.png", b"/ch\xe9/b.md"):
        with open(root + name, "wb"):
            pass
    found = crawl(tmp_path)
    assert paths_of(found) == ["a.md"]
    assert reasons(found) == {r"caf\xe9.md": "the name is not UTF-8", r"ch\xe9/": "the name is not UTF-8"}


def test_odd_names_are_kept_as_they_are(cases: Path) -> None:
    """Case C24."""
    assert paths_of(crawl(cases / "c24/docs")) == [
        "chapter 3 & more/[WIP] #1 100%.md",
        "chapter-1-one/01-intro.md",
        "chapter-2-two/01-intro.md",
        "باب-4/سبق-1.md",
    ]


def test_all_spellings_of_a_path_become_one(cases: Path) -> None:
    """Case C31."""
    lines = (cases / "c31/paths.txt").read_text(encoding="utf-8").splitlines()
    spelled = [relative_path(line) for line in lines]
    assert set(spelled[:4]) == {"docs/module-1-x/chapter-2-y/03-z.md"}
    assert spelled[4] == "Docs/Module-1-X/Chapter-2-Y/03-z.md"
    assert spelled[5] == spelled[6] == "docs/module-1-x/chapter-2-y/caf\u00e9.md"


@given(st.text(max_size=60))
def test_a_spelled_path_is_settled_relative_and_composed(path: str) -> None:
    spelled = relative_path(path)
    assert relative_path(spelled) == spelled
    assert not spelled.startswith("/") and "\\" not in spelled and "//" not in spelled
    assert unicodedata.is_normalized("NFC", spelled)


def test_texts_in_other_formats_are_listed_and_not_read(tmp_path: Path) -> None:
    found = crawl(plant(tmp_path, "a.md", "b.ipynb", "c/d.rst", "e.Rmd", "f.txt", "g.png", "_partials/h.rst"))
    assert paths_of(found) == ["a.md"]
    reason = "not Markdown"
    assert {path: why for path, why in reasons(found).items() if path != "_partials/"} == {
        "b.ipynb": reason,
        "c/d.rst": reason,
        "e.Rmd": reason,
    }
