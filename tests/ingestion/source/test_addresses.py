"""Addresses of lessons by Docusaurus' routing rules."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ingestion.settings.loader import load_settings
from ingestion.source.addresses import heading_ids, lesson_url
from ingestion.source.generators.docusaurus.config import Facts
from ingestion.source.generators.finding import find_site
from ingestion.source.generators.protocol import PageFacts
from ingestion.source.parser import parse_lesson
from ingestion.source.reader import SourceText
from ingestion.source.site import Site

SITE = "https://book.example/docs"


def url(path: str, changes: dict[str, object] | None = None, **of_page: Any) -> str:
    settings = load_settings({"book.base_url": SITE} | (changes or {}), environ={})
    return lesson_url(PageFacts(path, of_page), settings, None)


def test_without_a_site_there_is_no_address() -> None:
    assert lesson_url(PageFacts("a.md"), load_settings({}, environ={}), None) == ""


@pytest.mark.parametrize(
    ("path", "route"),
    [
        ("intro.md", "/intro"),
        ("module-1-ros2/chapter-2-x/03-topics.mdx", "/module-1-ros2/chapter-2-x/topics"),
        ("01-basics/02-setup/03 - first steps.md", "/basics/setup/first%20steps"),
        ("01_a/2.b.md", "/a/b"),
        # README, index and a file named as its folder stand for the folder
        ("README.md", ""),
        ("index.md", ""),
        ("01-basics/README.md", "/basics"),
        ("01-basics/index.mdx", "/basics"),
        ("guides/Guides.md", "/guides"),
        ("01-basics/01-basics.md", "/basics"),
        ("basics/01-basics.md", "/basics/basics"),
        ("a/01-readme.md", "/a/readme"),
        # dates and versions are no prefixes, and a number alone is a name
        ("2024-01-02-news.md", "/2024-01-02-news"),
        ("1.2-release.md", "/1.2-release"),
        ("7.0-x/01-y.md", "/7.0-x/y"),
        ("5.md", "/5"),
        ("03-.md", "/03-"),
        ("3d-printing.md", "/3d-printing"),
        # names are quoted
        ("chapter 3 & more/[WIP] #1 100%.md", "/chapter%203%20%26%20more/%5BWIP%5D%20%231%20100%25"),
        ("باب/سبق.md", "/%D8%A8%D8%A7%D8%A8/%D8%B3%D8%A8%D9%82"),
    ],
)
def test_the_path_gives_the_route(path: str, route: str) -> None:
    assert url(path) == SITE + route


@pytest.mark.parametrize(
    ("slug", "route"),
    [
        ("/", ""),
        ("/start", "/start"),
        ("start", "/a/start"),
        ("./b/c", "/a/b/c"),
        ("../up", "/up"),
        ("../../../x", "/x"),
    ],
)
def test_a_slug_decides(slug: str, route: str) -> None:
    assert url("01-a/02-page.md", slug=slug, id="other") == SITE + route


def test_an_id_replaces_the_file_name_only() -> None:
    assert url("01-a/02-page.md", id="other") == f"{SITE}/a/other"
    assert url("01-a/README.md", id="other") == f"{SITE}/a"
    assert url("01-a/02-page.md", id="no/slash") == f"{SITE}/a/page"


@pytest.mark.parametrize(
    ("style", "path", "route"),
    [
        ("docusaurus", "01-a/02-b.md", "a/b"),
        ("mdbook", "ch01-00-intro.md", "ch01-00-intro.html"),
        ("mdbook", "a/README.md", "a/"),
        ("mkdocs", "a/b.md", "a/b/"),
        ("mkdocs", "a/README.md", "a/"),
        ("mkdocs", "index.md", ""),
        ("mkdocs-unicode", "01-a/b.md", "01-a/b/"),
        ("hugo", "Docs/My Page.md", "docs/my-page/"),
        ("hugo", "docs/_index.md", "docs/"),
        ("hugo", "docs/leaf/index.md", "docs/leaf/"),
        ("jekyll", "a/b.md", "a/b.html"),
        ("jekyll", "a/README.md", "a/"),
        ("vitepress", "guide/start.md", "guide/start.html"),
        ("vitepress", "guide/index.md", "guide/"),
        ("starlight", "Guides/My Page.mdx", "guides/my-page/"),
        ("github", "01-a/My page.md", "01-a/My%20page.md"),
        ("plain", "01-a/README.md", "01-a/README.md"),
    ],
)
def test_each_style_has_its_routes(style: str, path: str, route: str) -> None:
    assert url(path, {"book.style": style}) == f"{SITE}/{route}" if route else SITE


@pytest.mark.parametrize(
    ("changes", "path", "route"),
    [
        ({"book.addresses": {"trailing_slash": True}}, "01-a/b.md", "a/b/"),
        ({"book.addresses": {"number_prefixes": False}}, "01-a/02-b.md", "01-a/02-b"),
        ({"book.style": "mkdocs", "book.addresses": {"directory_urls": False}}, "a/b.md", "a/b.html"),
        ({"book.style": "hugo", "book.addresses": {"directory_urls": False}}, "a/b.md", "a/b.html"),
        ({"book.style": "jekyll", "book.addresses": {"directory_urls": True}}, "a/b.md", "a/b/"),
        ({"book.style": "vitepress", "book.addresses": {"directory_urls": True}}, "a/b.md", "a/b"),
        ({"book.style": "starlight", "book.addresses": {"trailing_slash": False}}, "a/b.md", "a/b"),
    ],
)
def test_the_settings_of_the_site_change_its_routes(changes: dict[str, object], path: str, route: str) -> None:
    assert url(path, changes) == f"{SITE}/{route}"


def test_a_page_that_keeps_its_number_has_it_in_its_address() -> None:
    assert url("01-part/10-ten.md", parse_number_prefixes="false") == f"{SITE}/01-part/10-ten"


def test_a_permalink_decides_where_the_generator_knows_it() -> None:
    assert url("a/b.md", {"book.style": "jekyll"}, permalink="/x/y/") == f"{SITE}/x/y/"
    assert url("a/b.md", {"book.style": "hugo"}, slug="other") == f"{SITE}/a/other/"
    assert url("a/b.md", permalink="/x/y/") == f"{SITE}/a/b"


def test_a_site_that_is_found_gives_style_and_options() -> None:
    site = Site(
        generator="docusaurus", folder=Path("x"), config=Path("x/c"), docs="docs", trailing_slash=True,
        facts=Facts(number_prefixes=False),
    )  # fmt: skip
    settings = load_settings({"book.base_url": SITE}, environ={})
    assert lesson_url(PageFacts("01-a/b.md"), settings, site) == f"{SITE}/01-a/b/"
    other = load_settings({"book.base_url": SITE, "book.style": "mkdocs"}, environ={})
    assert lesson_url(PageFacts("01-a/b.md"), other, site) == f"{SITE}/01-a/b/"


@pytest.mark.parametrize(
    ("slugify", "anchor"),
    [
        ("!!python/object/apply:pymdownx.slugs.slugify {kwds: {case: lower}}", "größe"),
        ("!!python/object/apply:pymdownx.slugs.slugify\n        kwds:\n          case: lower", "größe"),
        ("!!python/name:pymdownx.slugs.uslugify", "größe"),
        ("!!python/object/apply:pymdownx.slugs.slugify {kwds: {case: lower-ascii}}", "größe"),
        ("!!python/name:markdown.extensions.toc.slugify", "groe"),
    ],
)
def test_slugs_of_pymdownx_are_found_in_the_configuration(tmp_path: Path, slugify: str, anchor: str) -> None:
    (tmp_path / "docs").mkdir()
    text = f"site_url: {SITE}/\nuse_directory_urls: false\nmarkdown_extensions:\n  - toc:\n      slugify: {slugify}\n"
    (tmp_path / "mkdocs.yml").write_text(text)
    settings, site = load_settings({}, environ={}), find_site(tmp_path / "docs")
    assert heading_ids(settings, site).name([(2, "Größe")]) == [("Größe", anchor)]
    assert lesson_url(PageFacts("a.md"), settings, site) == f"{SITE}/a.html"


CURRENT = "docusaurus-plugin-content-docs/current"


def docusaurus(tmp_path: Path, config: str = "", versions: str = "") -> Site:
    (tmp_path / "docs").mkdir()
    text = f"module.exports = {{url: 'https://x.example', i18n: {{defaultLocale: 'en'}}, {config}}}"
    (tmp_path / "docusaurus.config.js").write_text(text)
    if versions:
        (tmp_path / "versions.json").write_text(versions)
    site = find_site(tmp_path / "docs")
    assert site is not None
    return site


@pytest.mark.parametrize(
    ("path", "address"),
    [
        ("01-start/01-intro.md", "https://x.example/docs/next/start/intro"),
        ("versioned_docs/version-2.0/01-start/01-intro.md", "https://x.example/docs/start/intro"),
        ("versioned_docs/version-1.0/01-start/01-intro.md", "https://x.example/docs/1.0/start/intro"),
        (f"i18n/ur/{CURRENT}/01-start/01-intro.md", "https://x.example/ur/docs/next/start/intro"),
        ("i18n/ur/docusaurus-plugin-content-docs/version-2.0/a.md", "https://x.example/ur/docs/a"),
        ("i18n/ur/docusaurus-plugin-content-docs/version-1.0/a.md", "https://x.example/ur/docs/1.0/a"),
    ],
)
def test_translations_and_versions_have_the_addresses_of_docusaurus(tmp_path: Path, path: str, address: str) -> None:
    site = docusaurus(tmp_path, versions='["2.0", "1.0"]')
    assert lesson_url(PageFacts(path), load_settings({}, environ={}), site) == address


def test_a_site_without_versions_has_no_next(tmp_path: Path) -> None:
    site, settings = docusaurus(tmp_path, "baseUrl: '/b/'"), load_settings({}, environ={})
    assert lesson_url(PageFacts("a.md"), settings, site) == "https://x.example/b/docs/a"
    assert lesson_url(PageFacts(f"i18n/ur/{CURRENT}/a.md"), settings, site) == "https://x.example/b/ur/docs/a"


def test_docs_at_the_root_of_the_site_have_no_route(tmp_path: Path) -> None:
    site = docusaurus(tmp_path, "presets: [['classic', {docs: {routeBasePath: '/'}}]]")
    settings = load_settings({}, environ={})
    assert lesson_url(PageFacts("a.md"), settings, site) == "https://x.example/a"
    assert lesson_url(PageFacts(f"i18n/ur/{CURRENT}/a.md"), settings, site) == "https://x.example/ur/a"


def test_translations_have_addresses_where_the_site_is_not_known() -> None:
    """Case N12."""
    settings = load_settings({"book.base_url": "https://x.example"}, environ={})
    path = f"i18n/ur/{CURRENT}/01-start/01-intro.md"
    assert lesson_url(PageFacts(path), settings, None) == "https://x.example/ur/docs/start/intro"
    assert lesson_url(PageFacts("docs/01-start/01-intro.md"), settings, None) == "https://x.example/docs/start/intro"


@pytest.mark.parametrize(
    ("config", "path", "address"),
    [
        ("[languages.en]\nweight = 1\n[languages.ur]\nweight = 2\n", "a/b.md", "a/b/"),
        ("[languages.en]\nweight = 1\n[languages.ur]\nweight = 2\n", "a/b.ur.md", "ur/a/b/"),
        ("[languages.en]\nweight = 1\n[languages.ur]\nweight = 2\n", "a/_index.ur.md", "ur/a/"),
        ("[languages.en]\nweight = 1\n[languages.ur]\nweight = 2\n", "a/v1.2.md", "a/v1.2/"),
        ("[languages.en]\ncontentDir = 'docs/en'\n[languages.ur]\ncontentDir = 'docs/ur'\n", "en/a.md", "a/"),
        ("[languages.en]\ncontentDir = 'docs/en'\n[languages.ur]\ncontentDir = 'docs/ur'\n", "ur/a.md", "ur/a/"),
        (
            "defaultContentLanguageInSubdir = true\n[languages.en]\nweight = 1\n[languages.ur]\nweight = 2\n",
            "a.md",
            "en/a/",
        ),
    ],
)
def test_translations_have_the_addresses_of_hugo(tmp_path: Path, config: str, path: str, address: str) -> None:
    (tmp_path / "docs").mkdir()
    text = f"baseURL = 'https://x.example/'\ncontentDir = 'docs'\ndefaultContentLanguage = 'en'\n{config}"
    (tmp_path / "hugo.toml").write_text(text)
    site, settings = find_site(tmp_path / "docs"), load_settings({}, environ={})
    assert lesson_url(PageFacts(path), settings, site) == f"https://x.example/{address}"


@pytest.mark.parametrize(
    ("gemfile", "config", "address"),
    [
        (None, "", "a/"),
        ("gem 'jekyll'\n", "", "a/README.html"),
        ('gem "github-pages", group: :jekyll_plugins\n', "", "a/"),
        ("# gem 'github-pages'\n", "plugins: [jekyll-readme-index]\n", "a/"),
    ],
)
def test_readme_stands_for_its_folder_in_jekyll_on_github(
    tmp_path: Path, gemfile: str | None, config: str, address: str
) -> None:
    (tmp_path / "_config.yml").write_text(f"url: https://x.example\n{config}")
    if gemfile:
        (tmp_path / "Gemfile").write_text(gemfile)
    site, settings = find_site(tmp_path), load_settings({}, environ={})
    assert lesson_url(PageFacts("a/README.md"), settings, site) == f"https://x.example/{address}"


def test_a_file_outside_of_the_docs_folder_has_no_page(tmp_path: Path) -> None:
    docusaurus(tmp_path)
    site, settings = find_site(tmp_path), load_settings({}, environ={})
    assert lesson_url(PageFacts("README.md"), settings, site) == ""
    assert lesson_url(PageFacts("docs/01-a.md"), settings, site) == "https://x.example/docs/a"


def test_a_root_inside_of_the_docs_folder_keeps_its_addresses(tmp_path: Path) -> None:
    docusaurus(tmp_path)
    (tmp_path / "docs/01-part").mkdir()
    site, settings = find_site(tmp_path / "docs/01-part"), load_settings({}, environ={})
    assert lesson_url(PageFacts("02-b.md"), settings, site) == "https://x.example/docs/part/b"


def test_numbers_stay_where_a_page_asks_for_it() -> None:
    """Case N18."""
    settings = load_settings({"book.base_url": "https://x.example/docs"}, environ={})
    source = SourceText("01-part/10-ten.md", "hash", b"---\nparse_number_prefixes: false\n---\n# Ten\n")
    assert parse_lesson(source, settings).url == "https://x.example/docs/01-part/10-ten"
