"""What plug-ins of MkDocs do to pages: addresses, order, includes, and what is left out; as real builds have it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingestion.settings.loader import load_settings
from ingestion.source.addresses import heading_ids
from ingestion.source.book_folder import crawl_book
from ingestion.source.crawler import Crawl
from ingestion.source.parser import Lesson, parse_lesson
from ingestion.source.reader import read_source
from tests.generators.books.common import write_site

SITE = "site_name: B\nsite_url: https://x.example/\n"
SETTINGS = load_settings({}, environ={})


def book(folder: Path, config: str, files: dict[str, str]) -> tuple[Crawl, dict[str, Lesson]]:
    write_site(folder, {"mkdocs.yml": SITE + config, **{f"docs/{path}": text for path, text in files.items()}})
    found = crawl_book(folder / "docs", SETTINGS)
    return found, {file.path: parse_lesson(read_source(file), SETTINGS) for file in found.files}


def addresses(folder: Path, config: str, files: dict[str, str]) -> dict[str, str]:
    return {
        path: lesson.url.removeprefix("https://x.example") for path, lesson in book(folder, config, files)[1].items()
    }


@pytest.mark.parametrize(
    ("options", "metadata", "address"),
    [
        ("", "date: 2024-01-31", "/blog/2024/01/31/a-first-post/"),
        ("", "date:\n  created: 2024-01-31\n  updated: 2025-01-01", "/blog/2024/01/31/a-first-post/"),
        ("", "date: 2024-01-31\nslug: own", "/blog/2024/01/31/own/"),
        ("", "date: 2024-01-31\ntitle: Größe, bitte", "/blog/2024/01/31/gr%C3%B6%C3%9Fe-bitte/"),
        ("{post_url_date_format: yyyy/MM}", "date: 2024-01-31", "/blog/2024/01/a-first-post/"),
        ("{post_url_format: '{file}'}", "date: 2024-01-31", "/blog/one/"),
        ("{post_url_format: '{categories}/{slug}'}", "date: 2024-01-31\ncategories: [N]", "/blog/n/a-first-post/"),
        ("{blog_dir: .}", "date: 2024-01-31", "/2024/01/31/a-first-post/"),
        ("", "title: None", ""),
    ],
)  # fmt: skip
def test_a_post_of_materials_blog_has_its_own_address(
    tmp_path: Path, options: str, metadata: str, address: str
) -> None:
    folder = "posts" if "blog_dir" in options else "blog/posts"
    files = {f"{folder}/one.md": f"---\n{metadata}\n---\n\n# A first `post`\n\nText.\n", "index.md": "# Home\n"}
    assert addresses(tmp_path, f"plugins:\n  - blog: {options}\n", files)[f"{folder}/one.md"] == address


@pytest.mark.parametrize(
    ("structure", "files"),
    [
        (
            "suffix",
            {"index.md": "", "index.fr.md": "/fr/", "b.en.md": "/b/", "b.fr.md": "/fr/b/", "c.d.md": "/c.d/"},
        ),
        ("folder", {"en/index.md": "", "fr/index.md": "/fr/", "en/b.md": "/b/", "fr/b.md": "/fr/b/"}),
    ],
)
def test_translations_have_addresses_by_the_plugins_structure(
    tmp_path: Path, structure: str, files: dict[str, str]
) -> None:
    config = (
        f"plugins:\n  - i18n:\n      docs_structure: {structure}\n      languages:\n"
        "        - {locale: en, default: true, build: true}\n        - {locale: fr, build: true}\n"
    )
    assert addresses(tmp_path, config, dict.fromkeys(files, "# Page\n")) == files


@pytest.mark.parametrize(
    ("plugin", "files"),
    [
        (
            "literate-nav",
            {"SUMMARY.md": "- [Home](index.md)\n- [Sub](sub/)\n", "sub/SUMMARY.md": "* [C](c.md)\n* [Bee](b.md)\n"},
        ),
        (
            "awesome-nav",
            {".nav.yml": "nav:\n  - index.md\n  - Sub: sub\n", "sub/.nav.yml": "nav: [c.md, {Bee: b.md}]\n"},
        ),
        (
            "awesome-pages",
            {".pages": "nav:\n  - index.md\n  - sub\n  - ...\n", "sub/.pages": "arrange: [c.md, {Bee: b.md}]\n"},
        ),
    ],
)  # fmt: skip
def test_the_order_of_each_folder_is_that_of_the_plugins_file(
    tmp_path: Path, plugin: str, files: dict[str, str]
) -> None:
    pages = {"index.md": "Home.\n", "sub/b.md": "Words.\n", "sub/c.md": "# C\n"}
    found, lessons = book(tmp_path, f"plugins: [{plugin}]\n", {**pages, **files})
    assert {path: (lesson.chapter, lesson.lesson) for path, lesson in lessons.items() if "/" in path} == {
        "sub/b.md": (2, 2),
        "sub/c.md": (2, 1),
    }
    assert lessons["sub/b.md"].title == "Bee"
    assert {file.path for file in found.files} == pages.keys()


def test_what_the_plugin_exclude_names_has_no_page(tmp_path: Path) -> None:
    """Its patterns are those of fnmatch, whose star crosses folders."""
    patterns = "{glob: ['internal/*', '*.part.md'], regex: ['.*\\.tmp\\.md$', '(', '(a*)*$']}"
    config = f"plugins:\n  - exclude: {patterns}\n"
    paths = ("a.md", "internal/deep/b.md", "x/c.part.md", "d.tmp.md", f"{'a' * 40}b.md")
    found, lessons = book(tmp_path, config, dict.fromkeys(paths, "# A\n"))
    assert set(lessons) == {"a.md", f"{'a' * 40}b.md"}
    assert {each.reason for each in found.skipped} == {"excluded in mkdocs.yml (plug-in exclude)"}


def test_files_are_included_as_the_plugin_and_the_extension_do(tmp_path: Path) -> None:
    files = {
        "sub/a.md": (
            '# A\n\n{% include-markdown "./p.md" start="<!--s-->" heading-offset=1 %}\n\n'
            '{% include "b.txt" %}\n\n{!docs/b.txt!}\n'
        ),
        "sub/p.md": "Before.\n<!--s-->\n# Deep\n\n```\n# no heading\n```\n",
        "b.txt": "Of the docs folder.\n",
    }
    config = "plugins: [include-markdown]\nmarkdown_extensions: [markdown_include.include]\n"
    body = book(tmp_path / "with", config, files)[1]["sub/a.md"].body
    assert "## Deep" in body and "\n# no heading" in body and "Before" not in body
    assert body.count("Of the docs folder.") == 2
    assert "{% include-markdown" in book(tmp_path / "without", "", files)[1]["sub/a.md"].body


def test_a_configuration_has_what_it_inherits(tmp_path: Path) -> None:
    base = "site_url: https://base.example/\ntheme: {name: material, language: de}\nplugins: [blog]\n"
    write_site(tmp_path / "site", {"mkdocs.yml": "INHERIT: ../base.yml\ntheme: {name: x}\n", "docs/a.md": "# A\n"})
    (tmp_path / "base.yml").write_text(base)
    site = crawl_book(tmp_path / "site/docs", SETTINGS).site
    assert site is not None and (site.url, site.language) == ("https://base.example", "de")
    for parent in ("../../etc.yml", "mkdocs.yml", "gone.yml"):
        (tmp_path / "site/mkdocs.yml").write_text(f"INHERIT: {parent}\n")
        assert crawl_book(tmp_path / "site/docs", SETTINGS).site is not None


def test_plugins_that_are_not_followed_are_named_once(tmp_path: Path) -> None:
    config = "plugins: [search, macros, material/social, {mkdocstrings: {a: b}}]\n"
    found, _ = book(tmp_path, config, {"a.md": "# A\n"})
    assert found.site is not None and found.site.notes == (
        "mkdocs.yml: it is not known what these plug-ins do to pages: macros, mkdocstrings",
    )


@pytest.mark.parametrize(
    ("config", "heading", "anchor"),
    [
        ("markdown_extensions: [attr_list]", "One { id=own }", "own"),
        ("markdown_extensions: [attr_list]", 'One {: #first id="last" .x }', "last"),
        ("markdown_extensions: [attr_list]", "One <small>two</small> { #own }", "own"),
        ("markdown_extensions: [pymdownx.emoji]", "A :smile: in it", "a-in-it"),
        ("", "A :smile: in it", "a-smile-in-it"),
        ("hooks: [x.py]", "<!-- md:version 1 --> Version", ""),
        ("hooks: [x.py]\nmarkdown_extensions: [attr_list]", "<!-- md:version 1 --> Version { #own }", "own"),
        (
            "markdown_extensions:\n  - pymdownx.tabbed:\n      slugify: !!python/name:other.slugify\n  - toc: {}",
            "Größe",
            "groe",
        ),
        (
            "markdown_extensions: [tables, toc: {slugify: !!python/name:markdown.extensions.toc.slugify_unicode }]",
            "Größe",
            "größe",
        ),
    ],
)
def test_headings_are_named_as_extensions_and_hooks_have_it(
    tmp_path: Path, config: str, heading: str, anchor: str
) -> None:
    found, _ = book(tmp_path, f"{config}\n", {"a.md": "# A\n"})
    ((_, made),) = heading_ids(SETTINGS, found.site).name([(2, heading)])
    assert made == anchor


def test_a_heading_that_a_hook_fills_has_no_dead_anchor_in_the_index(tmp_path: Path) -> None:
    config = "hooks: [x.py]\nmarkdown_extensions: [attr_list]\n"
    text = (
        "# A\n\n## <!-- md:flag --> Named\n\nOne.\n\n## <!-- md:flag --> Own { #own }\n\nTwo.\n\n## Last\n\nThree.\n"
    )
    lesson = book(tmp_path, config, {"a.md": text})[1]["a.md"]
    assert lesson.page.anchors == ("a", "", "own", "last")
