"""Addresses that a site's own configuration decides on: patterns, collections, mounts, rewrites, docs folders."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from ingestion.settings.loader import load_settings
from ingestion.source.addresses import heading_ids
from ingestion.source.book_folder import crawl_book
from ingestion.source.contents import table_of_contents
from ingestion.source.linter import check_book

ADDRESS = "https://x.example/"


def addresses(folder: Path, files: Mapping[str, str], root: str = ".", **flags: object) -> dict[str, str]:
    """Write a site; return the address of each of its pages below ADDRESS."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    contents = table_of_contents(folder / root, load_settings(flags, environ={}))
    return {page.path: page.url.removeprefix(ADDRESS) for page in contents.pages}


HUGO = "baseURL: https://x.example/\n"


@pytest.mark.parametrize(
    ("pattern", "path", "metadata", "address"),
    [
        ("/:year/:month/:day/:slug/", "posts/a.md", "title: A & b\ndate: 2021-02-03", "2021/02/03/a-b/"),
        ("/:monthname/:weekdayname/:yearday", "posts/a.md", "date: 2021-12-31", "december/friday/365/"),
        ("/:slugorcontentbasename/", "posts/My Page.md", "", "my-page/"),
        ("/:slugorfilename/", "posts/a.md", "slug: Other", "other/"),
        ("/:section/:sections[last]/:contentbasename/", "posts/x/a/index.md", "", "posts/posts/a/"),
        ("/:year/:title/", "posts/a.md", "title: T\nlastmod: 2 Jan 2020", "2020/t/"),
        ("/:zodiac/:title/", "posts/a.md", "title: T", ""),
    ],
)  # fmt: skip
def test_patterns_of_hugo(tmp_path: Path, pattern: str, path: str, metadata: str, address: str) -> None:
    files = {
        "hugo.yaml": f"{HUGO}permalinks: {{posts: '{pattern}'}}\n",
        f"content/{path}": f"---\n{metadata}\n---\n# A\n",
    }
    assert addresses(tmp_path, files, "content") == {path: address}


def test_sections_of_hugo_are_folders_with_a_page(tmp_path: Path) -> None:
    files = {"hugo.yaml": f"{HUGO}permalinks: {{page: {{docs: '/d/:sections[1:]/:filename/'}}}}\n"}
    files |= {f"content/docs/{name}.md": "# A\n" for name in ("a/_index", "a/b/c")}
    assert addresses(tmp_path, files, "content")["docs/a/b/c.md"] == "d/a/c/"


def test_mounted_folders_of_hugo_are_pages_where_they_appear(tmp_path: Path) -> None:
    config = (
        f"{HUGO}defaultContentLanguage: en\nlanguages: {{en: {{weight: 1}}, ur: {{weight: 2}}}}\nmodule:\n  mounts:\n"
        "  - {source: content, target: content}\n  - {source: manual, target: content/handbook}\n"
        "  - {source: urdu, target: content, lang: ur}\n"
    )
    files = {"hugo.yaml": config, "README.md": "# No page\n"}
    files |= dict.fromkeys(("content/a.md", "manual/b/c.md", "urdu/a.md", "content/d.ur.md"), "# A\n")
    assert addresses(tmp_path, files) == {
        "README.md": "",
        "content/a.md": "a/",
        "content/d.ur.md": "ur/d/",
        "manual/b/c.md": "handbook/b/c/",
        "urdu/a.md": "ur/a/",
    }
    assert addresses(tmp_path, files, "manual") == {"b/c.md": "handbook/b/c/"}


def test_hugo_reads_each_part_of_its_configuration_from_a_file_of_its_own(tmp_path: Path) -> None:
    files = {
        "config/_default/hugo.toml": "baseURL = 'https://x.example/'\n",
        "config/_default/permalinks.yaml": "posts: /blog/:filename/\n",
        "config/_default/notes.txt": "no configuration",
        "content/posts/a.md": "# A\n",
    }
    assert addresses(tmp_path, files, "content") == {"posts/a.md": "blog/a/"}


JEKYLL = "url: https://x.example\n"
PAGE = "---\ntitle: T\n---\n# A\n"


@pytest.mark.parametrize(
    ("config", "path", "page", "address"),
    [
        ("", "_posts/2020-01-02-a-b.md", PAGE, "2020/01/02/a-b.html"),
        ("permalink: pretty\n", "x/_posts/2020-01-02-a.md", PAGE, "x/2020/01/02/a/"),
        ("permalink: /:categories/:slug\n", "_posts/2020-1-2-A.md", "---\ncategory: C d\n---\n# A\n", "c d/a"),
        ("collections: {docs: {output: true}}\n", "_docs/x/a.md", PAGE, "docs/x/a.html"),
        ("permalink: pretty\ncollections: {docs: {output: true}}\n", "_docs/a.md", PAGE, "docs/a/"),
        ("collections: {docs: {output: true, permalink: '/m/:name/'}}\n", "_docs/A b.md", PAGE, "m/a-b/"),
        ("collections_dir: all\ncollections: {docs: {output: true}}\n", "all/_docs/a.md", PAGE, "docs/a.html"),
        ("defaults: [{scope: {path: g}, values: {permalink: '/x/:basename/'}}]\n", "g/a.md", PAGE, "x/a/"),
        ("defaults: [{scope: {path: 'g/*', type: pages}, values: {permalink: /x}}]\n", "g/a.md", PAGE, "x"),
        ("defaults: [{scope: {path: '', type: posts}, values: {permalink: /x}}]\n", "g/a.md", PAGE, "g/a.html"),
        ("include: [_pages]\n", "_pages/a.md", "---\npermalink: /about/\n---\n# A\n", "about/"),
    ],
)
def test_patterns_of_jekyll(tmp_path: Path, config: str, path: str, page: str, address: str) -> None:
    found = addresses(tmp_path, {"_config.yml": JEKYLL + config, path: page})
    assert found == {path: address.replace(" ", "%20")}


@pytest.mark.parametrize(
    ("config", "path", "page"),
    [
        ("collections: {docs: {output: false}}\n", "_docs/a.md", PAGE),
        ("collections: [docs]\n", "_docs/a.md", PAGE),
        ("", "_drafts/a.md", PAGE),
        ("", "_posts/undated.md", PAGE),
        ("", "_posts/2199-01-01-a.md", PAGE),
        ("", "a.md", "---\ndate: 2199-01-01 10:00:00 +0000\n---\n# A\n"),
        ("defaults: [{scope: {path: a.md}, values: {published: false}}]\n", "a.md", PAGE),
    ],
)
def test_what_jekyll_makes_no_page_of_is_left_out(tmp_path: Path, config: str, path: str, page: str) -> None:
    assert addresses(tmp_path, {"_config.yml": JEKYLL + config, path: page, "index.md": PAGE}) == {
        "index.md": ADDRESS[:-1]
    }


def test_a_jekyll_site_may_show_what_is_of_a_later_date(tmp_path: Path) -> None:
    files = {"_config.yml": f"{JEKYLL}future: true\n", "_posts/2199-01-01-a.md": PAGE}
    assert addresses(tmp_path, files) == {"_posts/2199-01-01-a.md": "2199/01/01/a.html"}


VITEPRESS = "export default {{sitemap: {{hostname: 'https://x.example'}}, cleanUrls: true, {}}}"


@pytest.mark.parametrize(
    ("source", "target", "path", "address"),
    [
        ("a.md", "b/c.md", "a.md", "b/c"),
        ("packages/:pkg/src/:slug*", ":pkg/:slug*", "packages/foo/src/x/y.md", "foo/x/y"),
        ("packages/:pkg/src/(.*)", ":pkg/index.md", "packages/foo/src/x.md", "foo/"),
        (":lang(en|fr)/:rest*", ":rest*", "en/a/b.md", "a/b"),
        (":lang(en|fr)/:rest*", ":rest*", "de/a.md", "de/a"),
        ("guide/:page", "g/:page", "guide/deep/er.md", "guide/deep/er"),
        ("q-:num(\\\\d+).md", "quiz/:num.md", "q-12.md", "quiz/12"),
        (":a?/x.md", ":a?/y.md", "x.md", "x"),
        ("^a(.*)", "b$1", "a.md", ""),
        ("(.*)(.*)(.*)(.*)x", "y.md", "a.md", ""),
        ("a/(", "y.md", "a.md", ""),
    ],
)
def test_rewrites_of_vitepress(tmp_path: Path, source: str, target: str, path: str, address: str) -> None:
    config = VITEPRESS.format(f"rewrites: {{'{source}': '{target}'}}")
    assert addresses(tmp_path, {".vitepress/config.ts": config, path: "# A\n"}) == {path: address}


@pytest.mark.parametrize(
    "rewrites",
    [
        "rewrites(id) { }",
        "rewrites: (id) => id",
        "rewrites: made",
        "rewrites: {...made, a: 'b'}",
        "rewrites",
    ],
)
def test_addresses_that_a_script_makes_are_not_guessed(tmp_path: Path, rewrites: str) -> None:
    files = {".vitepress/config.ts": VITEPRESS.format(rewrites), "a.md": "# A\n"}
    assert addresses(tmp_path, files) == {"a.md": ""}
    settings = load_settings({}, environ={})
    (note,) = table_of_contents(tmp_path, settings).notes
    assert "config.ts" in note and "`rewrites`" in note
    assert check_book(tmp_path, settings).notes == (note,)


def test_a_page_of_vitepress_that_stands_for_many_has_no_address(tmp_path: Path) -> None:
    assert addresses(tmp_path, {".vitepress/config.ts": VITEPRESS.format(""), "[name].md": "# A\n"}) == {
        "[name].md": ""
    }


DOCUSAURUS = """module.exports = {url: 'https://x.example', baseUrl: '/',
  presets: [['classic', {docs: {lastVersion: '1.0', versions: {current: {path: 'dev'}}}}]],
  plugins: ['other', [require.resolve('@docusaurus/plugin-content-docs'),
    {id: 'team', path: 'team', routeBasePath: '/people'}], ['@docusaurus/plugin-content-blog', {path: 'news'}]],
};"""


def test_several_folders_of_docs_in_docusaurus(tmp_path: Path) -> None:
    pages = {
        "docs/a.md": "docs/dev/a",
        "i18n/ur/docusaurus-plugin-content-docs-team/current/b.md": "ur/people/next/b",
        "i18n/ur/docusaurus-plugin-content-docs/current/a.md": "ur/docs/dev/a",
        "team/b.md": "people/next/b",
        "team_versioned_docs/version-5/b.md": "people/b",
        "versioned_docs/version-1.0/a.md": "docs/a",
    }
    files = {"docusaurus.config.js": DOCUSAURUS, "versions.json": '["1.0"]', "team_versions.json": '["5"]'}
    files |= dict.fromkeys(pages, "# A\n")
    flags: dict[str, object] = {"crawl.translations": True, "crawl.versions": True}
    assert addresses(tmp_path, files, **flags) == pages
    assert addresses(tmp_path, files, "team") == {"b.md": "people/next/b"}


MKDOCS = "site_url: https://x.example\nmarkdown_extensions:\n"


@pytest.mark.parametrize(
    ("extensions", "anchor"),
    [
        ("  - attr_list\n", "own"),
        ("  - extra\n", "own"),
        ("  - pymdownx.extra: {}\n", "own"),
        ("  - markdown.extensions.attr_list:\n", "own"),
        ("  - tables\n", "uber-a-b-own"),
        ("  - toc: {separator: _}\n", "uber_a_b_own"),
        ("  - toc:\n      slugify: !!python/name:markdown.extensions.toc.slugify_unicode\n", "über-a-b-own"),
        ("  - toc:\n      slugify: !!python/object/apply:pymdownx.slugs.slugify {}\n", "Über-A-b-own"),
        ("  - toc:\n      slugify: !!python/name:own.slugs\n", None),
    ],
)
def test_headings_of_mkdocs_are_named_as_its_configuration_says(
    tmp_path: Path, extensions: str, anchor: str | None
) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "mkdocs.yml").write_text(MKDOCS + extensions, encoding="utf-8")
    (tmp_path / "docs/a.md").write_text("# A\n\n## Über A b {#own}\n\nText of some length.\n", encoding="utf-8")
    settings = load_settings({}, environ={})
    site = crawl_book(tmp_path / "docs", settings).site
    (_, named), *_ = heading_ids(settings, site).name([(2, "Über A b {#own}")])
    assert (named or None) == anchor
    assert bool(site and site.notes) == (anchor is None)


def test_a_text_that_is_made_when_the_configuration_runs_is_no_address(tmp_path: Path) -> None:
    config = "module.exports = {url: `https://${process.env.HOST}`, baseUrl: '/'}"
    assert addresses(tmp_path, {"docusaurus.config.js": config, "docs/a.md": "# A\n"}, "docs") == {"a.md": ""}
