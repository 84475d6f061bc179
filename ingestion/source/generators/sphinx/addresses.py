"""Sphinx: a page is an `.html` file, or has a folder of its own (`dirhtml`); docutils names headings."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from ingestion.markdown.anchors import HeadingIds, Titled, id_in, split_braces, text_of
from ingestion.markdown.inline import Span
from ingestion.source.generators.protocol import AddressOptions, PageFacts
from ingestion.source.generators.sphinx.config import facts_of
from ingestion.source.permalinks import file_route, folder_route, split_path
from ingestion.source.site import Site

_LETTERS = str.maketrans(
    {"ß": "sz", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ħ": "h", "ı": "i", "ł": "l", "ŧ": "t", "ƀ": "b", "ƶ": "z"}
)
_NOT_IN_ID = re.compile("[^a-z0-9]+")


def address(page: PageFacts, placed: str, site: Site | None, options: AddressOptions) -> str | None:
    """Return the file of a page, or its folder (`book.addresses.directory_urls`)."""
    if facts_of(site).flat:
        return None
    folders, stem = split_path(placed)
    return folder_route(folders, stem) if options.directory_urls else file_route(folders, stem)


def make_id(text: str) -> str:
    """Return the id that docutils makes of a name or a title: Latin letters, digits and single hyphens."""
    plain = unicodedata.normalize("NFKD", text.lower().translate(_LETTERS)).encode("ascii", "ignore").decode()
    return _NOT_IN_ID.sub("-", " ".join(plain.split())).lstrip("-0123456789").rstrip("-")


def split(text: str) -> Titled:
    """Split off the id in braces, which is that of a label above the heading or of its attributes."""
    braces = split_braces(text)
    own_id = id_in(braces[1]) if braces else None
    return Titled(braces[0].rstrip(), make_id(own_id)) if braces and own_id else Titled(text)


def slug(spans: Sequence[Span]) -> str:
    """Return the id of a title."""
    return make_id(text_of(spans, images=False))


def number(headings: Sequence[tuple[str, str | None]]) -> list[str]:
    """Name a heading whose id is taken or empty `id1`, `id2` …; a label goes before the id of the title."""
    taken: set[str] = set()
    found = []
    counted = 0
    for plain, label in headings:
        taken.update([label] if label else [])
        anchor = plain
        while not anchor or anchor in taken:
            counted += 1
            anchor = f"id{counted}"
        taken.add(anchor)
        found.append(label or anchor)
    return found


IDS = HeadingIds(split=split, slug=slug, number=number)
