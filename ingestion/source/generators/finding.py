"""Find out which generator builds the site of a book, and what the site's own configuration says of its pages.

The crawler, the linter, the addresses of lessons and `bookwise init` all ask here. Configuration files are read,
never executed; what they do not say as a plain value keeps its default.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from ingestion.source.generators import known, named
from ingestion.source.site import Site

LEVELS_UP = 4
"""How far above the lessons a configuration file is looked for: Starlight's pages lie three folders below it."""


def find_site(root: Path) -> Site | None:
    """Return the site that the lessons below `root` belong to, or None; raises ConfigurationError for a broken file.

    A site is found in `root` itself or in a folder above it, up to the git repository, if its pages lie in `root` or
    around it.
    """
    root = root.resolve()
    for folder in _candidates(root):
        for name, generator in known().items():
            for config in (folder / file for file in generator.CONFIGS):
                if not config.is_file() or config.is_symlink():
                    continue
                site = named(name).read(folder, config)
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
