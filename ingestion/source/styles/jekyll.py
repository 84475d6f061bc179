"""Jekyll: a page is an `.html` file or, with pretty permalinks, a folder; kramdown's GFM parser names headings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from ingestion.markdown import anchors
from ingestion.markdown.anchors import HeadingIds, Titled, split_braces, text_of
from ingestion.markdown.inline import Span
from ingestion.source.styles.types import AddressStyle, PageName, RouteOptions, file_route, folder_route, split_path

_OWN_ID = re.compile(r"#([A-Za-z][\w:-]*)")
_ID_BELOW = re.compile(r"(?<=[\s:])#([A-Za-z][\w:-]*)")


def route(page: PageName, options: RouteOptions) -> str:
    """Return the route of a page; `permalink` decides, README stands for its folder."""
    if page.permalink:
        return page.permalink.lstrip("/")
    folders, stem = split_path(page.path)
    if stem.lower() == "readme" and options.readme_is_index:
        stem = "index"
    return folder_route(folders, stem) if options.directory_urls else file_route(folders, stem)


def split(text: str) -> Titled:
    """Split off `{#id}`, or a line of attributes below; other attributes are words here."""
    text, _, below = text.partition("\n")
    if below:
        own_id = _ID_BELOW.search(below)
        return Titled(text, own_id[1] if own_id else None)
    braces = split_braces(text)
    found = _OWN_ID.fullmatch(braces[1]) if braces and braces[0].endswith((" ", "\t")) else None
    return Titled(braces[0].rstrip(), found[1]) if braces and found else Titled(text)


def slug(spans: Sequence[Span]) -> str:
    """Return GitHub's slug, after dashes became typographic, with a hyphen for tabs, too."""
    return anchors.slug(text_of(spans, images=False, dashes=False).replace("\t", " "))


def number(headings: Sequence[tuple[str, str | None]]) -> list[str]:
    """Append how often the slug was there before, whatever other headings are called."""
    seen: Counter[str] = Counter()
    found = []
    for plain, own_id in headings:
        found.append(own_id if own_id is not None else f"{plain}-{seen[plain]}" if seen[plain] else plain)
        seen[plain] += own_id is None
    return found


STYLE = AddressStyle(route=route, ids=HeadingIds(split=split, slug=slug, number=number, attributes_below=True))
