"""The generator of a site and what its configuration says of the pages."""

from pathlib import Path

import pytest

from ingestion.errors import ConfigurationError
from ingestion.source.generators import named
from ingestion.source.generators.docusaurus.config import facts_of
from ingestion.source.generators.finding import find_site
from ingestion.source.site import Site
from ingestion.source.site_reading.javascript import MAX_DEPTH, javascript_values


def site_of(folder: Path, files: dict[str, str], root: str) -> Site | None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (folder / root).mkdir(parents=True, exist_ok=True)
    return find_site(folder / root)


DOCUSAURUS = """
// @ts-check
import {themes} from 'prism-react-renderer';
const address = "https://x.example"; const baseUrl = '/b/';
/** url: 'https://comment.example' */
const config: Config = {
  title: 'It\\'s a book', url: process.env.URL || address, baseUrl, trailingSlash: false,
  i18n: {defaultLocale: 'en', locales: ['en', 'ur'], localeConfigs: {ur: {direction: 'rtl'}}},
  presets: [['classic', ({docs: {path: 'book', routeBasePath: '/', numberPrefixParser: false}, blog: false})]],
  themeConfig: {navbar: {items: [{to: '/docs', url: 'https://other.example'}]}},
};
export default config;
"""


def test_docusaurus_is_read_without_running_it(tmp_path: Path) -> None:
    site = site_of(tmp_path, {"docusaurus.config.ts": DOCUSAURUS}, "book")
    assert site is not None
    assert (site.generator, site.docs, site.title) == ("docusaurus", "book", "It's a book")
    assert (site.url, site.base_url) == ("https://x.example/b", "https://x.example/b")
    assert (site.language, site.languages) == ("en", ("en", "ur"))
    assert (site.trailing_slash, facts_of(site).number_prefixes) == (False, False)


def test_docusaurus_says_nothing_and_has_its_defaults(tmp_path: Path) -> None:
    site = site_of(tmp_path, {"docusaurus.config.js": "module.exports = {url: 'https://x.example'}"}, "docs")
    assert site is not None
    assert (site.docs, site.base_url, facts_of(site).number_prefixes) == ("docs", "https://x.example/docs", True)
    assert (site.trailing_slash, facts_of(site).versions, facts_of(site).last_version) == (None, (), "current")


def test_the_newest_version_is_what_readers_see_unasked(tmp_path: Path) -> None:
    files = {"docusaurus.config.js": "module.exports = {}", "versions.json": '["2.0", "1.0"]'}
    site = site_of(tmp_path, files, "docs")
    assert site is not None
    assert (facts_of(site).versions, facts_of(site).last_version) == (("2.0", "1.0"), "2.0")


@pytest.mark.parametrize(
    ("files", "root", "generator", "docs", "base_url"),
    [
        ({"mkdocs.yml": "site_url: https://x.example/m/\n"}, "docs", "mkdocs", "docs", "https://x.example/m"),
        ({"mkdocs.yml": "docs_dir: src\nx: !!python/name:a.b ''\n"}, "src", "mkdocs", "src", ""),
        ({"zensical.toml": '[project]\nsite_url = "https://x.example/z/"\n'}, "docs", "mkdocs", "docs", "https://x.example/z"),
        ({"zensical.toml": 'docs_dir = "src"\n', "mkdocs.yml": "docs_dir: old\n"}, "src", "mkdocs", "src", ""),
        ({"book.toml": '[book]\ntitle = "B"\n'}, "src", "mdbook", "src", ""),
        ({"hugo.toml": 'baseURL = "https://h.example/"\n'}, "content", "hugo", "content", "https://h.example"),
        ({"config/_default/hugo.yaml": "baseURL: https://h.example\n"}, "content", "hugo", "content", "https://h.example"),
        ({"config.toml": 'baseURL = "https://h.example/"\n'}, "content/docs", "hugo", "content", "https://h.example"),
        ({"_config.yml": "url: https://j.example\nbaseurl: /b\n"}, ".", "jekyll", ".", "https://j.example/b"),
        ({"docs/.vitepress/config.mts": "export default {lang: 'en'}"}, "docs", "vitepress", ".", ""),
        (
            {"astro.config.mjs": "export default defineConfig({site: 'https://a.example', base: '/x'})"},
            "src/content/docs",
            "astro",
            "src/content/docs",
            "https://a.example/x",
        ),
    ],
)  # fmt: skip
def test_each_generator_is_known_by_its_file(
    tmp_path: Path, files: dict[str, str], root: str, generator: str, docs: str, base_url: str
) -> None:
    site = site_of(tmp_path, files, root)
    assert site is not None
    assert (site.generator, site.docs, site.base_url) == (generator, docs, base_url)


def test_a_config_of_another_program_is_no_site(tmp_path: Path) -> None:
    assert site_of(tmp_path, {"config.toml": 'name = "x"\n'}, "content") is None


def test_a_site_whose_pages_lie_elsewhere_is_not_that_of_the_lessons(tmp_path: Path) -> None:
    assert site_of(tmp_path, {"mkdocs.yml": "site_name: x\n"}, "lessons") is None


def test_the_folder_of_the_site_itself_may_be_the_root(tmp_path: Path) -> None:
    site = site_of(tmp_path, {"mkdocs.yml": "site_name: x\n"}, ".")
    assert site is not None and site.docs == "docs"


def test_nothing_is_looked_for_above_the_git_repository(tmp_path: Path) -> None:
    files = {"mkdocs.yml": "docs_dir: inner\n", "inner/.git/HEAD": ""}
    assert site_of(tmp_path, files, "inner/docs") is None


def test_pages_outside_of_the_site_are_refused(tmp_path: Path) -> None:
    assert site_of(tmp_path / "site", {"mkdocs.yml": "docs_dir: ../..\n"}, ".") is None


def test_mkdocs_names_what_it_leaves_out(tmp_path: Path) -> None:
    text = "exclude_docs: |\n  *.tmp.md\n  # remark\n  /old/\ndraft_docs: |\n  wip-*\n"
    site = site_of(tmp_path, {"mkdocs.yml": text}, "docs")
    assert site is not None
    assert site.excluded[-2:] == ("*.tmp.md", "/old/")
    assert site.drafts == ("wip-*",)


def test_a_file_of_zensical_says_what_that_of_mkdocs_says(tmp_path: Path) -> None:
    written = {
        "mkdocs.yml": """
site_name: B
use_directory_urls: false
nav:
  - index.md
  - Part: [{One: part/one.md}]
markdown_extensions:
  - attr_list
  - toc: {separator: _, slugify: !!python/object/apply:pymdownx.slugs.slugify {kwds: {case: lower}}}
  - pymdownx.caret
  - pymdownx.snippets: {base_path: [docs/parts]}
plugins:
  - blog: {blog_dir: news}
""",
        "zensical.toml": """
[project]
site_name = "B"
use_directory_urls = false
nav = ["index.md", { Part = [{ One = "part/one.md" }] }]
[project.markdown_extensions]
attr_list = {}
toc.separator = "_"
toc.slugify = { object = "pymdownx.slugs.slugify", kwds = { case = "lower" } }
pymdownx.caret = {}
pymdownx.snippets.base_path = ["docs/parts"]
[project.plugins.blog]
blog_dir = "news"
""",
    }
    seen = []
    for name, text in written.items():
        folder = tmp_path / name
        site = site_of(folder, {name: text}, "docs")
        assert site is not None
        order = named("mkdocs").order(site, folder / "docs", ["index.md", "part/one.md"])
        seen.append((site.directory_urls, site.facts, order.entries))
    assert seen[0] == seen[1]
    assert seen[0][2]["part/one.md"].chapter_title == "Part"


def test_zensical_without_extensions_has_its_own(tmp_path: Path) -> None:
    site = site_of(tmp_path, {"zensical.toml": "[project]\nsite_name = 'B'\n"}, "docs")
    assert site is not None
    assert {"carets", "tildes", "annotations"} == set(site.facts.marks) and site.facts.headings.attributes


def test_a_broken_file_is_named_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"mkdocs\.yml:2: cannot be read"):
        site_of(tmp_path, {"mkdocs.yml": "site_name: a\nnav: b: c\n"}, "docs")


def test_javascript_of_any_depth_is_read_in_bounded_time() -> None:
    values = javascript_values("const a = {" + "b: {c: '1', " * 100_000 + "}" * 5)
    assert len(values) == MAX_DEPTH - 1


def test_a_page_named_like_a_generator_is_no_configuration(tmp_path: Path) -> None:
    assert (
        site_of(tmp_path, {"hugo.md": "# Hugo\n", "docusaurus.config.md": "# About\n", "docs/a.md": "# A\n"}, "docs")
        is None
    )
