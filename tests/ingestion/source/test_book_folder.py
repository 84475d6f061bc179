"""Which files a book's generator makes pages of."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

from ingestion.settings import Settings
from ingestion.source.book_folder import crawl_book
from ingestion.source.crawler import SourceFile
from ingestion.source.generators.hugo.cascades import handed_down
from ingestion.source.metadata.page import UnpublishedPage, read_metadata
from ingestion.source.reader import read_source
from tests.support.books import plant

HUGO = 'baseURL = "https://x.example"\n'


def test_hugo_makes_one_page_of_a_leaf_bundle(tmp_path: Path) -> None:
    (tmp_path / "hugo.toml").write_text(HUGO)
    plant(tmp_path / "content", "index.md", "leaf/index.md", "leaf/index.ur.md", "leaf/part.md", "leaf/deep/index.md")
    plant(tmp_path / "content", "branch/_index.md", "branch/page.md", "leaf-2.md")
    found = crawl_book(tmp_path / "content", Settings())
    paths = ["branch/_index.md", "branch/page.md", "index.md", "leaf-2.md", "leaf/index.md", "leaf/index.ur.md"]
    assert [file.path for file in found.files] == paths
    reason = "belongs to the page of leaf/, so the site has no page for it"
    assert {each.path: each.reason for each in found.skipped} == {
        "leaf/deep/index.md": reason,
        "leaf/part.md": reason,
    }


def test_readme_has_no_page_beside_index_in_mkdocs(tmp_path: Path) -> None:
    (tmp_path / "mkdocs.yml").write_text("site_name: B\n")
    plant(tmp_path / "docs", "README.md", "index.md", "a/README.md", "b/README.md", "b/index.md", "c/xindex.md")
    found = crawl_book(tmp_path / "docs", Settings())
    assert [file.path for file in found.files] == ["a/README.md", "b/index.md", "c/xindex.md", "index.md"]


def published(folder: Path) -> dict[str, str]:
    """The pages of a Hugo site that it shows, with the hardware tier that each declares."""
    found = {}
    for file in crawl_book(folder, Settings()).files:
        with contextlib.suppress(UnpublishedPage):
            values = read_metadata(read_source(file), Settings()).values
            found[file.path] = str(values.get("hardware_tier", ""))
    return found


def test_hugo_hands_metadata_of_a_section_down_to_its_pages(tmp_path: Path) -> None:
    """What it hides is not indexed, as the real build has it; the page's own metadata win."""
    (tmp_path / "hugo.toml").write_text(HUGO)
    content = tmp_path / "content"
    plant(
        content,
        "closed/a.md",
        "closed/deep/c.md",
        "closed/open/e.md",
        "never/a.md",
        "t/xa.md",
        "t/ya.md",
        "tier/a.md",
    )
    sections = {
        "closed/_index.md": "---\ncascade:\n  draft: true\n---\n",
        "closed/b.md": "---\ndraft: false\n---\n",
        "closed/open/_index.md": "---\ncascade:\n  draft: false\n---\n",
        "never/_index.md": "---\nCascade:\n- build:\n    render: never\n---\n",
        "t/_index.md": '+++\n[[cascade]]\ndraft = true\n[cascade.target]\npath = "/t/x**"\nkind = "page"\n+++\n',
        "tier/_index.md": "---\ncascade:\n  hardware_tier: 3\n---\n",
        "tier/b.md": "---\nhardware_tier: 1\n---\n",
    }
    for path, text in sections.items():
        (content / path).parent.mkdir(exist_ok=True)
        (content / path).write_text(text)
    before = crawl_book(content, Settings()).fingerprint
    assert published(content) == {
        **{"closed/b.md": "", "closed/open/_index.md": "", "closed/open/e.md": "", "t/_index.md": "", "t/ya.md": ""},
        **{"tier/_index.md": "3", "tier/a.md": "3", "tier/b.md": "1"},
    }
    (content / "tier/_index.md").write_text("---\ncascade:\n  hardware_tier: 4\n---\n")
    assert crawl_book(content, Settings()).fingerprint != before


def test_keys_of_a_cascade_count_in_any_case_the_nearest_first_and_need_be_no_texts(tmp_path: Path) -> None:
    (tmp_path / "hugo.toml").write_text("")
    content = tmp_path / "content"
    plant(content, "a/b/c.md")
    for folder, cascade in {"": "{draft: false, 1: x}", "a/": "{Draft: true}", "a/b/": "{draft: false}"}.items():
        (content / f"{folder}_index.md").write_text(f"---\ncascade: {cascade}\n---\n")
    assert {"a/b/_index.md", "a/b/c.md"} <= published(content).keys()
    assert "a/_index.md" not in published(content)


def test_many_stars_in_the_target_of_a_cascade_do_not_hold_up_the_run(tmp_path: Path) -> None:
    name = "a" * 100
    (tmp_path / "hugo.toml").write_text(HUGO)
    plant(tmp_path / "content", f"{name}.md", f"{name}z.md")
    cascade = "cascade:\n  draft: true\n  target:\n    path: "
    (tmp_path / "content/_index.md").write_text(f"---\n{cascade}{'/' + '**a' * 40 + 'z'}\n---\n")
    assert published(tmp_path / "content").keys() == {"_index.md", f"{name}.md"}


def test_a_section_of_hugo_that_is_gone_before_it_is_read_stops_no_run(tmp_path: Path) -> None:
    found = handed_down(None, [SourceFile("gone/_index.md", tmp_path / "_index.md")])
    assert (found.told, found.lost) == ({}, {"gone": "gone/_index.md"})


@pytest.mark.parametrize(
    ("section", "seen", "folder"), [("draft/", {"b.md", "draft/_index.md"}, "draft/"), ("", {"_index.md"}, "./")]
)
def test_no_page_is_shown_while_nobody_can_read_what_its_section_hands_down(
    tmp_path: Path, section: str, seen: set[str], folder: str
) -> None:
    (tmp_path / "hugo.toml").write_text(HUGO)
    plant(tmp_path / "content", "b.md", "draft/a.md", "draft/deep/c.md")
    (tmp_path / f"content/{section}_index.md").write_text("---\ncascade: {draft: true\n---\n")
    found = crawl_book(tmp_path / "content", Settings())
    assert {file.path for file in found.files} == seen
    assert [(each.path, each.reason) for each in found.unreadable] == [
        (folder, "its pages keep their chunks until _index.md can be read, because it may hide them")
    ]


@pytest.mark.parametrize(
    ("config", "text", "skipped"),
    [
        ("docusaurus.config.js", "module.exports = {}", {"c.markdown"}),
        ("mkdocs.yml", "site_name: B", {"b.mdx"}),
        ("hugo.toml", f"{HUGO}contentDir = 'docs'", {"b.mdx"}),
        ("_config.yml", "source: docs", {"b.mdx"}),
        ("docs/.vitepress/config.js", "export default {}", {"b.mdx", "c.markdown"}),
        ("README", "", set()),
    ],
)
def test_what_a_generator_makes_no_page_of_is_skipped(
    tmp_path: Path, config: str, text: str, skipped: set[str]
) -> None:
    plant(tmp_path / "docs", "a.md", "b.mdx", "c.markdown", ".vitepress/x.txt")
    (tmp_path / config).write_text(text)
    found = crawl_book(tmp_path / "docs", Settings())
    assert {each.path for each in found.skipped} - {".vitepress/"} == skipped
    assert {file.path for file in found.files} == {"a.md", "b.mdx", "c.markdown"} - skipped


@pytest.mark.parametrize(
    ("gemfile", "plugins", "published"),
    [
        (None, "[]", {"with.md", "without.md"}),
        ("gem 'jekyll'\n", "[]", {"with.md"}),
        ("gem 'github-pages'\n", "[]", {"with.md", "without.md"}),
        ("gem 'jekyll'\n", "[jekyll-optional-front-matter]", {"with.md", "without.md"}),
    ],
)
def test_jekyll_makes_pages_of_files_with_metadata(
    tmp_path: Path, gemfile: str | None, plugins: str, published: set[str]
) -> None:
    (tmp_path / "_config.yml").write_text(f"title: B\nplugins: {plugins}\n")
    (tmp_path / "with.md").write_text("---\n---\n# Page\n")
    (tmp_path / "without.md").write_text("# Page\n")
    if gemfile:
        (tmp_path / "Gemfile").write_text(gemfile)
    found = set()
    for file in crawl_book(tmp_path, Settings()).files:
        try:
            read_metadata(read_source(file), Settings())
        except UnpublishedPage as page:
            assert page.reason == "has no front matter; Jekyll does not publish it"
        else:
            found.add(file.path)
    assert found == published


def test_a_label_of_a_summary_may_end_in_brackets(tmp_path: Path) -> None:
    (tmp_path / "book.toml").write_text("[book]\n")
    plant(tmp_path / "src", "one.md", "two.md", "three.md")
    (tmp_path / "src/SUMMARY.md").write_text("- [#[panic]](one.md)\n- [a `x[0]`](two.md)\n- [plain](three.md)\n")
    assert len(crawl_book(tmp_path / "src", Settings()).files) == 3
