"""Docusaurus: numbers before names are dropped, `slug` and `id` decide, headings are named by github-slugger."""

from __future__ import annotations

import re

from ingestion.markdown.anchors import (
    HeadingIds,
    Titled,
    number_like_github,
    slug,
    split_braces,
    split_glued,
    split_remark,
    text_of,
)
from ingestion.source.generators.page_names import AddressStyle, PageName, RouteOptions, split_path

_PREFIX = re.compile(r"^(?!\d+[-_.]\d)\d+\s*[-_.]+\s*(?=[^-_.\s])")
"""A number before a name; `2024-01-02-x` and `1.2-x` are dates and versions, which stay."""

_OVERVIEWS = ("index", "readme")


def route(page: PageName, options: RouteOptions) -> str:
    """Return the route of a page (https://docusaurus.io/docs/create-doc)."""
    drops_numbers = options.number_prefixes and page.number_prefixes
    folders, stem = split_path(page.path)
    # `parse_number_prefixes: false` keeps the numbers of the page's folders too, in its own address alone.
    parts = [_PREFIX.sub("", folder) if drops_numbers else folder for folder in folders]
    name = _PREFIX.sub("", stem) if drops_numbers else stem
    if page.slug and page.slug.startswith("/"):
        parts = [part for part in page.slug.split("/") if part]
    elif page.slug:
        parts = _resolve(parts, page.slug)
    elif not _stands_for_folder(stem, folders):
        parts.append(page.doc_id if page.doc_id and "/" not in page.doc_id else name)
    path = "/".join(parts)
    return f"{path}/" if options.trailing_slash and path else path


def _stands_for_folder(stem: str, folders: list[str]) -> bool:
    return stem.lower() in (*_OVERVIEWS, *(folder.lower() for folder in folders[-1:]))


def _resolve(folders: list[str], written: str) -> list[str]:
    parts = list(folders)
    for part in written.split("/"):
        if part == "..":
            del parts[-1:]
        elif part not in ("", "."):
            parts.append(part)
    return parts


def split(text: str) -> Titled:
    """Split off an id: all that stands in `{#…}`, or the first word of `{/* #… */}`."""
    if found := split_remark(text) or split_glued(text):
        return found
    braces = split_braces(text)
    if braces and braces[1].startswith("#") and len(braces[1]) > 1:
        return Titled(braces[0].rstrip(), braces[1][1:])
    return Titled(text)


STYLED = {
    "docusaurus": AddressStyle(
        route=route,
        # The theme renders a level 1 heading, wherever it stands, without its id.
        ids=HeadingIds(
            split=split, slug=lambda spans: slug(text_of(spans)), number=number_like_github, silent_levels=1
        ),
    )
}
