"""The address of a lesson on its site, by Docusaurus' routing rules.

Number prefixes are dropped from folders and files, README and index stand for their folder, `slug` and `id` in
front matter decide (https://docusaurus.io/docs/create-doc). Without a base URL the address is empty and a
citation names the path.
"""

from __future__ import annotations

import re
from urllib.parse import quote

from ingestion.source.hierarchy import OVERVIEWS

_PREFIX = re.compile(r"^(?!\d+[-_.]\d)\d+\s*[-_.]+\s*(?=[^-_.\s])")
"""A number before a name; `2024-01-02-x` and `1.2-x` are dates and versions, which stay."""


def page_url(base_url: str, path: str, *, slug: str | None = None, doc_id: str | None = None) -> str:
    """The page's address, or "" without a base URL."""
    if not base_url:
        return ""
    *folders, name = path.split("/")
    stem = re.sub(r"\.mdx?$", "", name, flags=re.I)
    route = [_PREFIX.sub("", folder) for folder in folders]
    if slug and slug.startswith("/"):
        route = [part for part in slug.split("/") if part]
    elif slug:
        route = _resolve(route, slug)
    elif not _stands_for_folder(stem, folders):
        route.append(doc_id if doc_id and "/" not in doc_id else _PREFIX.sub("", stem))
    return "/".join([base_url, *(quote(part) for part in route)])


def _stands_for_folder(stem: str, folders: list[str]) -> bool:
    return stem.lower() in (*OVERVIEWS, *(folder.lower() for folder in folders[-1:]))


def _resolve(folders: list[str], slug: str) -> list[str]:
    route = list(folders)
    for part in slug.split("/"):
        if part == "..":
            del route[-1:]
        elif part not in ("", "."):
            route.append(part)
    return route
