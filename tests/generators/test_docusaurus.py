"""Every stored link leads somewhere and every word of a page is found, on sites that Docusaurus built."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.generators.books.addresses import DOCUSAURUS_INSTANCE_PAGES, DOCUSAURUS_INSTANCES
from tests.generators.books.common import write_site
from tests.generators.books.docusaurus import DOCUSAURUS
from tests.generators.built import check, compare
from tests.support.installed_tools import node_modules, run
from tests.support.paths import ROOT

HERE = Path(__file__).parent
pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

ARTICLE = r"^div .*\btheme-doc-markdown\b"
CONFIG = """
module.exports = {
  title: 'Book', url: 'https://x.example', baseUrl: '/', trailingSlash: SLASH,
  onBrokenLinks: 'ignore', onBrokenAnchors: 'ignore',
  onDuplicateRoutes: 'ignore', markdown: {hooks: {onBrokenMarkdownLinks: 'ignore', onBrokenMarkdownImages: 'ignore'}},
  i18n: {defaultLocale: 'en', locales: LOCALES},
  presets: [['classic', {docs: {DOCS}, blog: false, pages: false}]],
  plugins: [PLUGINS],
};
"""
BABEL = "module.exports = {presets: [require.resolve('@docusaurus/core/lib/babel/preset')]};\n"
OWN_WORDS = frozenset(("version", "next"))


def build(
    folder: Path, *, locales: str = "['en']", docs: str = "", plugins: str = "", slash: str = "undefined"
) -> Path:
    """Build a site, and return the folder of its pages."""
    modules = node_modules(HERE)
    config = CONFIG.replace("LOCALES", locales).replace("DOCS", docs).replace("SLASH", slash)
    config = config.replace("PLUGINS", plugins)
    (folder / "docusaurus.config.js").write_text(config, encoding="utf-8")
    (folder / "babel.config.js").write_text(BABEL, encoding="utf-8")
    shutil.copy(Path(__file__).parent / "package.json", folder)
    (folder / "node_modules").symlink_to(modules)
    run(["node", str(modules / "@docusaurus/core/bin/docusaurus.mjs"), "build", "--no-minify"], folder)
    return folder / "build"


def test_the_sample_book(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples/physical-ai/docs", tmp_path / "docs")
    site = build(tmp_path)
    check(compare(tmp_path / "docs", site, ARTICLE, OWN_WORDS), pages=26)


def test_a_book_of_nasty_names_with_translations_and_versions(tmp_path: Path) -> None:
    write_site(tmp_path, DOCUSAURUS)
    site = build(tmp_path, locales="['en', 'ur']")
    flags = {"crawl.translations": True, "crawl.versions": True}
    check(compare(tmp_path / "docs", site, ARTICLE, OWN_WORDS, **flags), pages=28)


def test_docs_at_the_root_of_a_site_with_slashes_and_numbers(tmp_path: Path) -> None:
    write_site(tmp_path, {path: text for path, text in DOCUSAURUS.items() if path.startswith(("docs", "s"))})
    site = build(tmp_path, docs="routeBasePath: '/', numberPrefixParser: false", slash="true")
    check(compare(tmp_path / "docs", site, ARTICLE, OWN_WORDS), pages=23)


def test_several_folders_of_docs(tmp_path: Path) -> None:
    write_site(tmp_path, DOCUSAURUS_INSTANCES)
    options = "id: 'community', path: 'community', routeBasePath: '/people', sidebarPath: undefined"
    site = build(
        tmp_path,
        locales="['en', 'ur']",
        docs="lastVersion: '1.0', versions: {current: {path: 'dev'}, '2.0': {path: 'two'}}",
        plugins=f"[require.resolve('@docusaurus/plugin-content-docs'), {{{options}}}]",
        slash="false",
    )
    flags = {"crawl.translations": True, "crawl.versions": True}
    check(compare(tmp_path, site, ARTICLE, OWN_WORDS, **flags), pages=DOCUSAURUS_INSTANCE_PAGES)
