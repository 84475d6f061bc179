"""Hugo: pages have folders of their own in lower case; goldmark names headings, after dashes became typographic."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ingestion.markdown.anchors import HeadingIds, Titled, number_in_order, split_braces, text_of
from ingestion.markdown.inline import Span
from ingestion.source.styles.types import AddressStyle, PageName, RouteOptions, file_route, folder_route, split_path

_ATTRIBUTE = re.compile(r"""[#.][\w:.-]+|[A-Za-z_:][\w:.-]*=(?:"[^"]*"|'[^']*'|[^\s"'{}]+)""")
_KEPT_IN_PATHS = frozenset("-_./%+~#")


def route(page: PageName, options: RouteOptions) -> str:
    """Return the route of a page: `url` as it is, else its path, with the last part replaced by `slug`."""
    if page.permalink:
        return page.permalink.lstrip("/")
    folders, stem = split_path(page.path)
    parts = [_path_part(folder) for folder in folders]
    if page.slug and stem != "_index":
        last, stem = (parts, page.slug) if stem != "index" else (parts[:-1], page.slug)
        parts = list(last)
    stem = stem if stem in ("index", "_index") else _path_part(stem)
    if options.directory_urls is False and stem not in ("index", "_index"):
        return file_route(parts, stem)
    return folder_route(parts, stem)


def _path_part(name: str) -> str:
    words = "-".join(name.split()).lower()
    return "".join(character for character in words if character.isalnum() or character in _KEPT_IN_PATHS)


def split(text: str) -> Titled:
    """Split off attributes in braces, if all that stands in the braces is attributes."""
    braces = split_braces(text)
    if not braces or not braces[1].strip():
        return Titled(text)
    words = _ATTRIBUTE.findall(braces[1])
    if _ATTRIBUTE.sub("", braces[1]).strip() or not words:
        return Titled(text)
    return Titled(braces[0].rstrip(), next((word[1:] for word in words if word[0] == "#"), None))


def slug(spans: Sequence[Span]) -> str:
    """Return letters, decimal digits, `_` and `-` of the last line in lower case, with a hyphen for each space."""
    text = text_of(spans, dashes=False).rpartition("\n")[2].strip()
    kept = (character for character in text if character in " -_" or character.isalpha() or character.isdecimal())
    # One letter at a time, as Go does: the dotted İ becomes an i without a mark.
    return "".join(character.lower()[:1] for character in kept).replace(" ", "-") or "heading"


STYLE = AddressStyle(route=route, ids=HeadingIds(split=split, slug=slug, number=number_in_order))
