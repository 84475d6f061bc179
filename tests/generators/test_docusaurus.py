"""Every stored link leads somewhere and every word of a page is found, on sites that Docusaurus built."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.generators.built import Comparison, compare
from tests.generators.nasty import DOCUSAURUS, HIDDEN, write_site
from tests.support.installed_tools import node_modules, run
from tests.support.paths import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

ARTICLE = r"^div .*\btheme-doc-markdown\b"
CONFIG = """
module.exports = {
  title: 'Book', url: 'https://x.example', baseUrl: '/', onBrokenLinks: 'ignore', onBrokenAnchors: 'ignore',
  onDuplicateRoutes: 'ignore', markdown: {hooks: {onBrokenMarkdownLinks: 'ignore', onBrokenMarkdownImages: 'ignore'}},
  i18n: {defaultLocale: 'en', locales: LOCALES},
  presets: [['classic', {docs: {}, blog: false, pages: false}]],
};
"""
BABEL = "module.exports = {presets: [require.resolve('@docusaurus/core/lib/babel/preset')]};\n"
OWN_WORDS = frozenset(("version", "next"))


def build(folder: Path, locales: str = "['en']") -> Path:
    """Build a site, and return the folder of its pages."""
    modules = node_modules(Path(__file__).parent)
    (folder / "docusaurus.config.js").write_text(CONFIG.replace("LOCALES", locales), encoding="utf-8")
    (folder / "babel.config.js").write_text(BABEL, encoding="utf-8")
    shutil.copy(Path(__file__).parent / "package.json", folder)
    (folder / "node_modules").symlink_to(modules)
    run(["node", str(modules / "@docusaurus/core/bin/docusaurus.mjs"), "build", "--no-minify"], folder)
    return folder / "build"


def check(result: Comparison) -> None:
    assert (result.dead, result.missing) == ([], [])


def test_the_sample_book(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples/physical-ai/docs", tmp_path / "docs")
    site = build(tmp_path)
    check(compare(tmp_path / "docs", site, ARTICLE, OWN_WORDS))


@pytest.fixture(scope="module")
def nasty(tmp_path_factory: pytest.TempPathFactory) -> Comparison:
    folder = tmp_path_factory.mktemp("nasty")
    write_site(folder, DOCUSAURUS)
    site = build(folder, "['en', 'ur']")
    flags = {"crawl.translations": True, "crawl.versions": True}
    return compare(folder / "docs", site, ARTICLE, OWN_WORDS, **flags)


def test_no_link_of_a_book_of_nasty_names_with_translations_and_versions_is_dead(nasty: Comparison) -> None:
    assert nasty.pages == 21 and nasty.dead == []


def test_nothing_hidden_but_styles_of_mdx_is_in_the_index(nasty: Comparison) -> None:
    assert [word for word in HIDDEN if word in nasty.texts and word != "zqstyle"] == []


def test_styles_of_mdx_are_not_in_the_index(nasty: Comparison) -> None:
    assert "zqstyle" not in nasty.texts


def test_all_words_but_labels_of_tabs_are_in_the_index(nasty: Comparison) -> None:
    assert {word for word in nasty.missing if "tabs.mdx" not in word} == set()


def test_labels_of_tabs_are_in_the_index(nasty: Comparison) -> None:
    assert nasty.missing == []
