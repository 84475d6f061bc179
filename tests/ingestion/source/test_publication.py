"""Pages that the site's own search leaves out are left out here, unless `crawl.unsearched` is set."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingestion.settings.loader import load_settings
from ingestion.source.contents import table_of_contents
from tests.generators.books.common import write_site

MKDOCS = {"mkdocs.yml": "site_name: B\nplugins: [{search: {exclude: ['legal/*']}}]\n"}
MDBOOK = {
    "book.toml": '[output.html.search.chapter]\n"part" = {enable = false}\n"part/open.md" = {enable = true}\n',
    "docs/SUMMARY.md": "- [A](part/a.md)\n",
}


@pytest.mark.parametrize(
    ("site", "path", "metadata"),
    [
        (MKDOCS, "docs/a.md", "search:\n  exclude: true"),
        (MKDOCS, "docs/legal/deep/a.md", ""),
        ({"docs/.vitepress/config.mjs": "export default {}"}, "docs/a.md", "search: false"),
        ({"astro.config.mjs": "export default {}"}, "src/content/docs/a.md", "pagefind: false"),
        ({"_config.yml": "theme: just-the-docs"}, "a.md", "search_exclude: true"),
        ({"hugo.toml": "baseURL = 'https://x.example/'"}, "content/a.md", "excludeFromSearch: true"),
        ({"hugo.toml": "baseURL = 'https://x.example/'"}, "content/a.md", "exclude_search: true"),
        ({**MDBOOK, "book.toml": '[book]\nsrc = "docs"\n' + MDBOOK["book.toml"]}, "docs/part/a.md", ""),
        ({}, "a.md", "robots: noindex, nofollow"),
        ({}, "a.md", "noindex: true"),
        ({}, "a.md", "pagefind: false"),
        ({}, "a.md", "search:\n  exclude: true"),
        ({}, "a.md", "head:\n- [meta, {name: robots, content: 'noindex, nofollow'}]"),
        ({}, "a.md", "head:\n- tag: meta\n  attrs: {name: robots, content: noindex}"),
        ({}, "a.md", "seo: {robots: noindex}"),
    ],
)
def test_a_page_that_the_sites_search_leaves_out_is_listed_and_not_indexed(
    tmp_path: Path, site: dict[str, str], path: str, metadata: str
) -> None:
    head = f"---\n{metadata}\n---\n" if metadata else "---\ntitle: A\n---\n"
    other = f"{path.rpartition('/')[0] or '.'}/other.md" if "/a.md" not in path[4:] else "docs/other.md"
    write_site(tmp_path, {**site, path: f"{head}# A\n", other: "---\ntitle: O\n---\n# O\n"})
    found = table_of_contents(tmp_path, load_settings({}, environ={}))
    reasons = {each.path: each.reason for each in found.skipped}
    assert reasons[path] == "left out of the site's search (index it with `crawl.unsearched`)"
    everything = table_of_contents(tmp_path, load_settings({"crawl.unsearched": True}, environ={}))
    assert path in {page.path for page in everything.pages}


@pytest.mark.parametrize("metadata", ["search: true", "pagefind: true", "robots: index", "search_exclude: false"])
def test_a_page_that_asks_to_be_found_is_found(tmp_path: Path, metadata: str) -> None:
    write_site(tmp_path, {"a.md": f"---\n{metadata}\n---\n# A\n"})
    assert len(table_of_contents(tmp_path, load_settings({}, environ={})).pages) == 1


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ('<meta name="robots" content="noindex">\n\nWords.\n', False),
        ("# A\n\n<head>\n  <meta name='robots' content='none, noindex' />\n</head>\n", False),
        ('# A\n\n```html\n<meta name="robots" content="noindex">\n```\n', True),
        ('# A\n\nWrite `<meta name="robots" content="noindex">`.\n', True),
        ('<meta name="robots" content="index">\n\nNot noindex.\n', True),
    ],
)
def test_a_page_whose_element_asks_robots_to_leave_is_left_out(tmp_path: Path, body: str, found: bool) -> None:
    write_site(tmp_path, {"a.md": body})
    assert bool(table_of_contents(tmp_path, load_settings({}, environ={})).pages) == found
