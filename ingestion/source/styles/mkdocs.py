"""MkDocs: pages have folders of their own unless `use_directory_urls` is off; Python-Markdown names headings."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from ingestion.markdown.anchors import HeadingIds, Titled, split_braces, text_of
from ingestion.markdown.inline import Span
from ingestion.source.styles.types import AddressStyle, PageName, RouteOptions, file_route, folder_route, split_path

_COUNTED = re.compile(r"(?s)(?P<plain>.*)_(?P<number>[0-9]{1,9})")
_TAG = re.compile(r"</?[^>]*>")


def route(page: PageName, options: RouteOptions) -> str:
    """Return the route of a page; README stands for its folder as index does."""
    folders, stem = split_path(page.path)
    if stem.lower() == "readme":
        stem = "index"
    return file_route(folders, stem) if options.directory_urls is False else folder_route(folders, stem)


def split(text: str) -> Titled:
    """Split off the attributes in braces (attr_list), among them an id."""
    braces = split_braces(text)
    if not braces or not braces[0].endswith(" ") or "{" in braces[1] or not braces[1].strip(": "):
        return Titled(text)
    words = braces[1].removeprefix(":").split()
    return Titled(braces[0].rstrip(), next((word[1:] for word in words if word[0] == "#" and len(word) > 1), None))


def slug(spans: Sequence[Span]) -> str:
    """Return the ASCII letters and digits, accents dropped, with one hyphen for each run of blanks and hyphens."""
    words = unicodedata.normalize("NFKD", _words(spans)).encode("ascii", "ignore").decode()
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", words).strip().lower())


def unicode_slug(spans: Sequence[Span]) -> str:
    """Return the slug of pymdownx with lower case, which Material's documentation suggests: all letters stay."""
    words = _TAG.sub("", unicodedata.normalize("NFC", _words(spans))).strip().lower()
    return re.sub(r"[^\w\- ]", "", words).replace(" ", "-")


def _words(spans: Sequence[Span]) -> str:
    return " ".join(text_of(spans, images=False).split())


def number(headings: Sequence[tuple[str, str | None]]) -> list[str]:
    """Append `_1`, `_2` … or count on a number that is there; ids of the whole page are taken from the start."""
    taken = {own_id for _, own_id in headings if own_id}
    last: dict[tuple[str, int], int] = {}
    found = []
    for plain, own_id in headings:
        anchor = own_id or plain
        if not own_id and (not plain or plain in taken):
            counted = _COUNTED.fullmatch(plain)
            stem, first = (counted["plain"], int(counted["number"])) if counted else (plain, 0)
            at = last.get((stem, first), first)
            while (anchor := f"{stem}_{at + 1}") in taken:
                at += 1
            last[stem, first] = at + 1
        taken.add(anchor)
        found.append(anchor)
    return found


STYLE = AddressStyle(route=route, ids=HeadingIds(split=split, slug=slug, number=number))
UNICODE_STYLE = AddressStyle(route=route, ids=HeadingIds(split=split, slug=unicode_slug, number=number))
