"""Sites beside their docs, versions that are not published, and files that options leave out."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingestion.errors import ConfigurationError
from ingestion.operations.init import carry_out, propose
from ingestion.settings.loader import load_settings
from ingestion.source.book_folder import crawl_book
from ingestion.source.generators.finding import find_site
from ingestion.source.parser import parse_lesson
from ingestion.source.reader import read_source
from tests.generators.books.common import write_site


def config(options: str) -> str:
    return f"module.exports = {{url: 'https://x.example', presets: [['classic', {{docs: {{{options}}}}}]]}}"


BESIDE = config("path: '../docs', routeBasePath: '/'")


def addresses(root: Path, **flags: object) -> dict[str, str]:
    settings = load_settings(flags, environ={})
    lessons = (parse_lesson(read_source(file), settings) for file in crawl_book(root, settings).files)
    return {lesson.path: lesson.url.removeprefix("https://x.example") for lesson in lessons}


@pytest.mark.parametrize("folder", ["website", "site", "docs-site", "documentation", "packages/docs", "apps/web"])
def test_a_site_beside_its_docs_is_found_from_the_root_and_from_the_docs(tmp_path: Path, folder: str) -> None:
    up = "../" * (folder.count("/") + 1)
    text = BESIDE.replace("../", up)
    write_site(tmp_path, {f"{folder}/docusaurus.config.js": text, "docs/01-a.md": "# A\n", ".git/HEAD": "x"})
    assert addresses(tmp_path / "docs") == {"01-a.md": "/a"}
    assert addresses(tmp_path) == {"docs/01-a.md": "/a"}


def test_a_site_beside_other_docs_is_none_of_these(tmp_path: Path) -> None:
    files = {"website/docusaurus.config.js": BESIDE, "docs/a.md": "# A\n", "other/b.md": "# B\n"}
    write_site(tmp_path, files)
    assert find_site(tmp_path / "other") is None
    (tmp_path / "website/docusaurus.config.js").write_text(BESIDE.replace("../docs", "../../.."))
    assert find_site(tmp_path / "docs") is None


@pytest.mark.parametrize("start", [".", "website"])
def test_init_writes_where_the_site_is_that_does_not_hold_its_lessons(tmp_path: Path, start: str) -> None:
    write_site(tmp_path, {"website/docusaurus.config.js": BESIDE, "docs/a.md": "# A\n", ".git/HEAD": "x"})
    carry_out(propose(tmp_path / start, load_settings({}, environ={})))
    text = (tmp_path / "bookwise.toml").read_text()
    assert 'docs = "docs"' in text and 'site = "website"' in text
    settings = load_settings({}, config=tmp_path / "bookwise.toml", environ={})
    assert settings.book.site == str(tmp_path / "website")
    assert crawl_book(tmp_path / "docs", settings).site == find_site(tmp_path / "docs")


def test_a_book_may_not_name_a_site_outside_of_its_folder(tmp_path: Path) -> None:
    (tmp_path / "book").mkdir()
    (tmp_path / "book/bookwise.toml").write_text('[book]\nsite = "../other"\n')
    with pytest.raises(ConfigurationError, match=r"book\.site .* is outside the book's folder"):
        load_settings({}, config=tmp_path / "book/bookwise.toml", environ={})


FILES = {
    "docs/next.md": "# Next\n",
    "versioned_docs/version-2.x/two.md": "# Two\n",
    "versioned_docs/version-1.x/one.md": "# One\n",
    "i18n/ur/docusaurus-plugin-content-docs/version-2.x/two.md": "# Two\n",
    "versions.json": '["2.x", "1.x"]',
}
TWO = "versioned_docs/version-2.x/two.md"
ONE = "versioned_docs/version-1.x/one.md"


@pytest.mark.parametrize("root", ["docs", "."])
@pytest.mark.parametrize(
    ("options", "flags", "pages"),
    [
        ("includeCurrentVersion: false", {}, {TWO: "/docs/two"}),
        ("includeCurrentVersion: false", {"crawl.versions": True}, {TWO: "/docs/two", ONE: "/docs/1.x/one"}),
        (
            "includeCurrentVersion: false",
            {"crawl.translations": True},
            {TWO: "/docs/two", "i18n/ur/docusaurus-plugin-content-docs/version-2.x/two.md": "/ur/docs/two"},
        ),
        ("onlyIncludeVersions: ['2.x'], lastVersion: '2.x'", {"crawl.versions": True}, {TWO: "/docs/two"}),
        ("onlyIncludeVersions: ['1.x']", {}, {ONE: "/docs/one"}),
        ("lastVersion: 'current'", {}, {"docs/next.md": "/docs/next"}),
        ("", {}, {"docs/next.md": "/docs/next/next"}),
        (
            "onlyIncludeVersions: ['current', '1.x']",
            {"crawl.versions": True},
            {"docs/next.md": "/docs/next/next", ONE: "/docs/one"},
        ),
    ],
)
def test_what_is_published_is_indexed_under_the_address_it_has(
    tmp_path: Path, root: str, options: str, flags: dict[str, object], pages: dict[str, str]
) -> None:
    write_site(tmp_path, {"docusaurus.config.js": config(options), **FILES})
    expected = {path.removeprefix("docs/") if root == "docs" else path: url for path, url in pages.items()}
    assert addresses(tmp_path / root, **flags) == expected


def test_files_that_the_options_leave_out_are_skipped(tmp_path: Path) -> None:
    options = "exclude: ['**/internal/**', '**/*.wip.{md,mdx}', 'top.md'], include: ['**/*.md']"
    names = ("a.md", "b.mdx", "internal/deep/c.md", "x/d.wip.md", "top.md", "x/top.md")
    write_site(tmp_path, {"docusaurus.config.js": config(options), **{f"docs/{name}": "# A\n" for name in names}})
    found = crawl_book(tmp_path, load_settings({}, environ={}))
    assert [file.path for file in found.files] == ["docs/a.md", "docs/x/top.md"]
    reasons = {each.path.removeprefix("docs/"): each.reason for each in found.skipped}
    excluded = dict.fromkeys(("internal/deep/c.md", "x/d.wip.md", "top.md"), "excluded in docusaurus.config.js")
    assert reasons == {**excluded, "b.mdx": "not among the files to include in docusaurus.config.js"}
