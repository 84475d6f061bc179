"""Every stored link leads somewhere and every word is found on sites that VitePress and Jekyll built."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.generators.books.addresses import (
    JEKYLL_PATTERN_PAGES,
    JEKYLL_PATTERNS,
    VITEPRESS_REWRITE_PAGES,
    VITEPRESS_REWRITES,
)
from tests.generators.books.common import write_site
from tests.generators.books.jekyll import JEKYLL
from tests.generators.books.vitepress import VITEPRESS
from tests.generators.built import check, compare
from tests.support.installed_tools import node_modules, run, system_tool

HERE = Path(__file__).parent
pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


@pytest.mark.parametrize("clean_urls", ["false", "true"])
def test_vitepress(tmp_path: Path, clean_urls: str) -> None:
    modules = node_modules(HERE)
    write_site(tmp_path, VITEPRESS)
    config = tmp_path / ".vitepress/config.mts"
    config.write_text(config.read_text().replace("CLEAN", clean_urls))
    (tmp_path / "node_modules").symlink_to(modules)
    run(["node", str(modules / "vitepress/bin/vitepress.js"), "build"], tmp_path)
    flags = {"book.base_url": "https://x.example"}
    check(compare(tmp_path, tmp_path / ".vitepress/dist", r"^div .*\bvp-doc\b", **flags), pages=11)


@pytest.mark.parametrize("permalink", ["date", "pretty", "/:title/", "/:title"])
def test_jekyll(tmp_path: Path, permalink: str) -> None:
    jekyll = system_tool("jekyll")
    write_site(tmp_path, JEKYLL)
    with (tmp_path / "_config.yml").open("a") as config:
        config.write(f"permalink: {permalink}\n")
    run([jekyll, "build", "--quiet"], tmp_path)
    check(compare(tmp_path, tmp_path / "_site", r"^main "), pages=12)


def test_rewrites_of_vitepress(tmp_path: Path) -> None:
    modules = node_modules(HERE)
    write_site(tmp_path, VITEPRESS_REWRITES)
    (tmp_path / "node_modules").symlink_to(modules)
    run(["node", str(modules / "vitepress/bin/vitepress.js"), "build"], tmp_path)
    result = compare(tmp_path / "src", tmp_path / ".vitepress/dist", r"^div .*\bvp-doc\b", base="/base")
    check(result, pages=VITEPRESS_REWRITE_PAGES)


@pytest.mark.parametrize("permalink", ["/b/:categories/:year/:month/:day/:title:output_ext", "weekdate", "/:slug/"])
def test_collections_and_posts_of_jekyll(tmp_path: Path, permalink: str) -> None:
    jekyll = system_tool("jekyll")
    write_site(tmp_path, JEKYLL_PATTERNS)
    with (tmp_path / "_config.yml").open("a") as config:
        config.write(f'permalink: "{permalink}"\n')
    run([jekyll, "build", "--quiet"], tmp_path)
    check(compare(tmp_path, tmp_path / "_site", r"^main "), pages=JEKYLL_PATTERN_PAGES)
