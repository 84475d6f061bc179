"""Find out which generator builds the site of a book, and what the site's own configuration says of its pages.

The crawler, the linter, the addresses of lessons and `bookwise init` all ask here. Configuration files are read,
never executed; what they do not say as a plain value keeps its default.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from ingestion.source.generators import astro, docusaurus, hugo, jekyll, mdbook, mkdocs, vitepress
from ingestion.source.site import Site
from ingestion.source.site_config import DATA_ENDINGS

LEVELS_UP = 4
"""How far above the lessons a configuration file is looked for: Starlight's pages lie three folders below it."""

_SCRIPT = ("cjs", "cts", "js", "mjs", "mts", "ts")
_YAML = ("yaml", "yml")

_READERS: tuple[tuple[str, Callable[[Path, Path], Site | None]], ...] = tuple(
    (f"{name}.{ending}", read)
    for name, endings, read in (
        ("docusaurus.config", _SCRIPT, docusaurus.read),
        ("mkdocs", _YAML, mkdocs.read),
        ("book", ("toml",), mdbook.read),
        ("hugo", DATA_ENDINGS, hugo.read),
        ("config/_default/hugo", DATA_ENDINGS, hugo.read),
        ("config/_default/config", DATA_ENDINGS, hugo.read),
        ("config", ("toml", *_YAML), hugo.read),
        (".vitepress/config", _SCRIPT, vitepress.read),
        ("docs/.vitepress/config", _SCRIPT, vitepress.read),
        ("astro.config", _SCRIPT, astro.read),
        ("_config", _YAML, jekyll.read),
    )
    for ending in endings
)
"""The configuration files, in the order of search: a Jekyll file beside another one is there for GitHub."""


def find_site(root: Path) -> Site | None:
    """Return the site that the lessons below `root` belong to, or None; raises ConfigurationError for a broken file.

    A site is found in `root` itself or in a folder above it, up to the git repository, if its pages lie in `root` or
    around it.
    """
    root = root.resolve()
    for folder in _candidates(root):
        for name, read in _READERS:
            config = folder / name
            if not config.is_file() or config.is_symlink():
                continue
            site = read(folder, config)
            if site and (found := _around(root, site)):
                return found
    return None


def _around(root: Path, site: Site) -> Site | None:
    """Return the site with the way from the root of the lessons to its pages; None if they do not lie there.

    Of several folders of docs, the one that holds the root counts alone.
    """
    inside: list[Site] = []
    for each in (replace(site, instances=()), *site.instances):
        docs = each.docs_folder.resolve()
        if not docs.is_relative_to(site.folder):
            continue
        if docs.is_relative_to(root):
            inside.append(replace(each, before_docs=_prefix(docs, root)))
        elif root.is_relative_to(docs):
            return replace(each, before_root=_prefix(root, docs))
    return replace(inside[0], instances=tuple(inside[1:])) if inside else None


def _candidates(root: Path) -> Iterator[Path]:
    for folder in (root, *root.parents)[: LEVELS_UP + 1]:
        yield folder
        if (folder / ".git").exists() or folder == Path.home():
            return


def _prefix(inner: Path, outer: Path) -> str:
    return f"{inner.relative_to(outer).as_posix()}/" if inner != outer else ""
