"""Find out which generator builds the site of a book, and what the site's own configuration says of its pages.

The crawler, the linter, the addresses of lessons and `bookwise init` all ask here. Configuration files are read,
never executed; what they do not say as a plain value keeps its default.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from pathlib import Path

from ingestion.source.generators import Folder, known, named
from ingestion.source.site import Site
from ingestion.source.site_reading.documents import is_own_file

MOST_BESIDE = 50
LEVELS_UP = 4
"""How far above the lessons a configuration file is looked for: Starlight's pages lie three folders below it."""


def find_site(root: Path, at: str | None = None) -> Site | None:
    """Return the site that the lessons below `root` belong to, or None; raises ConfigurationError for a broken file.

    `at` is the folder of the site, where that is known (setting `book.site`). Else a site is found in `root` itself,
    in a folder above it, up to the git repository, or in a folder beside one of these; it counts if its pages lie in
    `root` or around it.
    """
    root = root.resolve()
    if at:
        folder = Path(at).resolve()
        return _first(root, _sites_of(folder, known()), _common(folder, root))
    folders = list(_candidates(root))
    own = (_first(root, _sites_of(folder, known()), folder) for folder in folders)
    beside = (_first(root, sites_beside(folder), folder) for folder in folders)
    return next(filter(None, chain(own, beside)), None)


def folder_of_site_and_docs(folder: Path) -> Path | None:
    """Return the folder above `folder` that holds the site in it and lessons beside it; None for any other folder."""
    folder = folder.resolve()
    for site in _sites_of(folder, known()):
        docs = site.docs_folder.resolve()
        if docs.is_dir() and docs.is_relative_to(folder.parent) and not docs.is_relative_to(folder):
            return folder.parent
    return None


def _first(root: Path, sites: Iterable[Site], within: Path) -> Site | None:
    """Return the first site whose pages lie around the root."""
    return next((found for site in sites if (found := _around(root, site, within))), None)


def _sites_of(folder: Path, generators: Mapping[str, Folder]) -> Iterator[Site]:
    for name, generator in generators.items():
        for config in (folder / file for file in generator.CONFIGS):
            if is_own_file(config) and (site := named(name).read(folder, config)):
                yield site


def sites_beside(folder: Path) -> Iterator[Site]:
    """Yield the sites in the folders beside the lessons that generators are wont to lie in (`website/`)."""
    wonted = {name: generator for name, generator in known().items() if generator.BESIDE}
    for pattern in dict.fromkeys(pattern for generator in wonted.values() for pattern in generator.BESIDE):
        for place in _places(folder, pattern):
            if place.is_dir() and not place.is_symlink():
                yield from _sites_of(place, wonted)


def _places(folder: Path, pattern: str) -> list[Path]:
    holder, star, _ = pattern.partition("/*")
    if not star:
        return [folder / pattern]
    return sorted((folder / holder).iterdir())[:MOST_BESIDE] if (folder / holder).is_dir() else []


def _common(*folders: Path) -> Path:
    return Path(os.path.commonpath(folders))


def _around(root: Path, site: Site, within: Path) -> Site | None:
    """Return the site with the way from the root of the lessons to its pages; None if they do not lie there.

    Pages outside of the folders that are searched (`within`, and the site's own) are refused. Of several folders of
    docs, the one that holds the root counts alone.
    """
    inside: list[Site] = []
    for each in (replace(site, instances=()), *site.instances):
        docs = each.docs_folder.resolve()
        if not docs.is_relative_to(site.folder) and not docs.is_relative_to(within):
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
