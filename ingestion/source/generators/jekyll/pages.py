"""What Jekyll makes of folders: the metadata that its configuration gives to pages, and documents without a page."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from typing import Any

from ingestion.source.generators.page_names import split_path
from ingestion.source.permalinks import split_date
from ingestion.source.site import Site

PAGES = "pages"
POSTS = "posts"


def defaults_of(path: str, site: Site) -> Mapping[str, Any]:
    """Return the metadata that a page has unless it says otherwise, given its path in the docs folder."""
    kind = _kind(path)
    values: dict[str, Any] = {}
    for default in site.defaults:
        if default.kind in ("", kind) and _is_below(path, default.path):
            values |= default.values
    return values


def reason_without_page(path: str, site: Site) -> str | None:
    """Return why a file of a collection is no page, or None."""
    if _kind(path) != POSTS:
        return None
    date, _ = split_date(split_path(path)[1])
    if date is None:
        return "a post without a date in its name, so that Jekyll makes no page of it"
    if date > datetime.now(UTC) and not site.shows_future:
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
