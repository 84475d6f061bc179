"""Docusaurus: numbers before names are dropped, `slug` and `id` decide, headings are named by github-slugger."""

from __future__ import annotations

import re
from collections.abc import Sequence
from posixpath import join

from ingestion.markdown.anchors import (
    HeadingIds,
    Titled,
    number_like_github,
    slug,
    split_braces,
    split_brackets,
    split_remark,
    text_of,
)
from ingestion.source.book_order import Entry, normalised
from ingestion.source.editions import CURRENT_VERSION, page_version, split_edition
from ingestion.source.generators.docusaurus.config import facts_of
from ingestion.source.generators.docusaurus.pages import placed_in
from ingestion.source.generators.protocol import AddressOptions, PageFacts
from ingestion.source.permalinks import split_path
from ingestion.source.sidebars import chapter_in
from ingestion.source.site import Site

DOCS_ROUTE = "docs"
"""Where the docs of a site are whose configuration is not known."""

_PREFIX = re.compile(r"^(?!\d+[-_.]\d)\d+\s*[-_.]+\s*(?=[^-_.\s])")
"""A number before a name; `2024-01-02-x` and `1.2-x` are dates and versions, which stay."""

_OVERVIEWS = ("index", "readme")


def address(page: PageFacts, placed: str, site: Site | None, options: AddressOptions) -> str:
    """Return the address of a page, which has the path `placed` in its docs folder.

    Translations and versions have addresses of their own: `/ur/docs/…`, `/docs/1.0/…`.
    """
    edition = split_edition(page.path)
    if edition.in_docusaurus:
        language = edition.language if edition.language != (site.language if site else None) else None
        docs = site.route if site else DOCS_ROUTE
        route = _route(page, edition.parts, site, options)
        return "/" + "/".join(filter(None, (language, docs, _version_route(edition.version, site), route)))
    return "/".join(filter(None, (_version_route(None, site), _route(page, placed.split("/"), site, options))))


def _version_route(version: str | None, site: Site | None) -> str:
    """Return what stands for a version in addresses: nothing for the one that readers see unasked."""
    version, facts = version or CURRENT_VERSION, facts_of(site)
    given = dict(facts.version_routes).get(version)
    if given is not None:
        return given
    if version == facts.last_version:
        return ""
    return "next" if version == CURRENT_VERSION else version


def _route(page: PageFacts, path: Sequence[str], site: Site | None, options: AddressOptions) -> str:
    """Return the route of a page (https://docusaurus.io/docs/create-doc)."""
    chosen = options.number_prefixes
    drops_numbers = facts_of(site).number_prefixes if chosen is None else chosen
    # `parse_number_prefixes: false` keeps the numbers of the page's folders too, in its own address alone.
    drops_numbers = drops_numbers and page.text("parse_number_prefixes") not in ("false", "False", "FALSE")
    folders, stem = split_path("/".join(path))
    *parts, name = _named([*folders, stem], drops_numbers=drops_numbers)
    doc_id = page.text("id")
    if slug := page.text("slug"):
        made = normalised(join("/".join(parts), slug))
    elif _stands_for_folder(stem, folders):
        made = "/".join(parts)
    else:
        made = "/".join((*parts, doc_id if doc_id and "/" not in doc_id else name))
    return f"{made}/" if options.trailing_slash and made else made


def _named(parts: list[str], *, drops_numbers: bool) -> list[str]:
    return [_PREFIX.sub("", part) for part in parts] if drops_numbers else parts


def sidebar_chapter(page: PageFacts, site: Site, entry: Entry) -> str | None:
    """Return what stands above a page in the sidebar of its version; "" for nothing, None where it is not listed."""
    facts = facts_of(site)
    placed = placed_in(site, page.path)
    chapters = facts.sidebars.get(page_version(page.path))
    if placed is None or not chapters:
        return None
    folders, stem = split_path(placed)
    names = _named([*folders, page.text("id") or stem], drops_numbers=facts.number_prefixes)
    found = chapter_in(chapters, "/".join(names))
    titles = entry.folder_titles[len(entry.folder_titles) - len(folders) :]
    return chapter_in(chapters, placed, titles) if found is None else found


def _stands_for_folder(stem: str, folders: list[str]) -> bool:
    return stem.lower() in (*_OVERVIEWS, *(folder.lower() for folder in folders[-1:]))


def split(text: str) -> Titled:
    """Split off an id: all that stands in `{#…}`, or the first word of `{/* #… */}`."""
    if found := split_remark(text) or split_brackets(text):
        return found
    braces = split_braces(text)
    if braces and braces[1].startswith("#") and len(braces[1]) > 1:
        return Titled(braces[0].rstrip(), braces[1][1:])
    return Titled(text)


# The theme renders a level 1 heading, wherever it stands, without its id.
IDS = HeadingIds(split=split, slug=lambda spans: slug(text_of(spans)), number=number_like_github, silent_levels=1)
