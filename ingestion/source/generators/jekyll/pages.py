"""What Jekyll makes of folders: the metadata that its configuration gives to pages, and documents without a page."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from typing import Any

from ingestion.source.book_order import chapter_of
from ingestion.source.generators.jekyll.config import facts_of
from ingestion.source.generators.protocol import PageFacts
from ingestion.source.permalinks import split_date, split_path
from ingestion.source.site import Site

PAGES = "pages"
POSTS = "posts"


def defaults_of(path: str | None, site: Site) -> Mapping[str, Any]:
    """Return the metadata that a page has unless it says otherwise, given its path in the docs folder."""
    if path is None:
        return {}
    kind = _kind(path)
    values: dict[str, Any] = {}
    for default in facts_of(site).defaults:
        if default.kind in ("", kind) and _is_below(path, default.path):
            values |= default.values
    return values


def chapter(page: PageFacts, site: Site | None) -> str | None:
    """Return what the theme's navigation shows a page under: its collection, and the pages that it names as above."""
    placed = site.in_docs(page.path) if site else None
    collection = dict(facts_of(site).collections).get(_kind(placed)) if placed else None
    return chapter_of((collection, *(page.text(key) for key in ("ancestor", "grand_parent", "parent"))))


def reason_without_page(placed: str, site: Site) -> str | None:
    """Return why a file is no page: a post without a date, or with one in the future."""
    if _kind(placed) != POSTS:
        return None
    date, _ = split_date(split_path(placed)[1])
    if date is None:
        return "a post without a date in its name; Jekyll does not publish it"
    if date > datetime.now(UTC) and not facts_of(site).shows_future:
        return f"published later ({date:%Y-%m-%d})"
    return None


def _kind(path: str) -> str:
    folders = path.split("/")[:-1]
    return next((folder[1:] for folder in folders if folder.startswith("_")), PAGES)


def _is_below(path: str, scope: str) -> bool:
    if "*" not in scope:
        return not scope or path == scope or path.startswith(f"{scope}/")
    names, wanted = path.split("/"), scope.split("/")
    return len(names) >= len(wanted) and all(map(fnmatchcase, names, wanted))
