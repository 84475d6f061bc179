"""What MkDocs makes of its docs: the order of `nav`, and files without a page."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from ingestion.source.book_order import MAX_LEVELS, BookOrder, Entry, normalised
from ingestion.source.site import Site
from ingestion.source.site_reading.documents import read_document

_OVERVIEW = re.compile(r"(?:readme|index|_index)\.[a-z]+$", re.I)


def order(site: Site, root: Path) -> BookOrder:
    """Return the entries of the pages that `nav` lists."""
    document = read_document(site.config)
    nav = document.get("nav") if isinstance(document, dict) else None
    docs, root = site.docs_folder.resolve(), root.resolve()
    prefix = docs.relative_to(root).as_posix() if docs.is_relative_to(root) else "."
    entries: dict[str, Entry] = {}
    for target, entry in nav_entries(nav if isinstance(nav, list) else []):
        entries.setdefault(normalised((PurePosixPath(prefix) / target).as_posix()), entry)
    return BookOrder(entries=entries)


def without_page(paths: Sequence[str]) -> Mapping[str, str]:
    """Return each README that stands beside an `index.md`."""
    has_index = {path[: -len("index.md")] for path in paths if f"/{path}".endswith("/index.md")}
    readmes = (path for path in paths if path.endswith("README.md") and path.removesuffix("README.md") in has_index)
    return dict.fromkeys(readmes, "stands beside index.md, so that the site has no page for it")


def nav_entries(nav: list[Any]) -> Iterator[tuple[str, Entry]]:
    """Yield the pages of a MkDocs nav in order: its sections are chapters, and what stands before them is chapter
    0.
    """
    titled = [_titled(item) for item in nav]
    has_sections = any(isinstance(target, list) for _, target in titled)
    chapter = lesson = 0
    for title, target in titled:
        if isinstance(target, list):
            chapter, lesson = chapter + 1, 0
            for number, (inner_title, path) in enumerate(_pages(target), 1):
                is_overview = number == 1 and _OVERVIEW.search(path) is not None
                lesson = 0 if is_overview else lesson + 1
                yield path, Entry(chapter, lesson, inner_title)
        elif isinstance(target, str) and ":" not in target:
            lesson = lesson if _OVERVIEW.search(target) else lesson + 1
            yield target, Entry(chapter if has_sections else None, lesson, title)


def _pages(items: list[Any], depth: int = 0) -> Iterator[tuple[str | None, str]]:
    for title, target in map(_titled, items):
        if isinstance(target, list) and depth < MAX_LEVELS:
            yield from _pages(target, depth + 1)
        elif isinstance(target, str) and ":" not in target:
            yield title, target


def _titled(item: Any) -> tuple[str | None, Any]:
    if isinstance(item, dict) and len(item) == 1:
        title, target = next(iter(item.items()))
        return title, target
    return None, item
