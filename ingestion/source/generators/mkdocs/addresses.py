"""MkDocs: pages have folders of their own unless `use_directory_urls` is off; Python-Markdown names headings."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from urllib.parse import quote

from ingestion.markdown.anchors import HeadingIds, Titled, number_own_ids, split_braces, text_of
from ingestion.markdown.inline import Span
from ingestion.source.generators.mkdocs.config import UNKNOWN, facts_of
from ingestion.source.generators.protocol import AddressOptions
from ingestion.source.permalinks import file_route, folder_route, split_path
from ingestion.source.site import Site

_COUNTED = re.compile(r"(?s)(?P<plain>.*)_(?P<number>[0-9]{1,9})")
_TAG = re.compile(r"</?[^>]*>")
_CAPITALS = re.compile("[A-Z]+")
_CASES: Mapping[str, Callable[[str], str]] = {
    "none": str,
    "lower": str.lower,
    "lower-ascii": lambda text: _CAPITALS.sub(lambda found: found[0].lower(), text),
    "fold": str.casefold,
}


def route(placed: str, options: AddressOptions) -> str:
    """Return the route of a page; README stands for its folder as index does."""
    folders, stem = split_path(placed)
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


def slug(spans: Sequence[Span], *, separator: str = "-", in_ascii: bool = True) -> str:
    """Return the letters and digits, accents dropped, with one separator for each run of blanks and separators."""
    words = _words(spans)
    if in_ascii:
        words = unicodedata.normalize("NFKD", words).encode("ascii", "ignore").decode()
    kept = re.sub(r"[^\w\s-]", "", words).strip().lower()
    return re.sub(rf"[{re.escape(separator)}\s]+", lambda _: separator, kept)


def unicode_slug(spans: Sequence[Span], *, separator: str = "-", case: str = "lower", quotes: bool = False) -> str:
    """Return the slug of pymdownx, in which all letters stay; Material suggests it, with lower case."""
    words = _CASES.get(case, str)(_TAG.sub("", unicodedata.normalize("NFC", _words(spans))).strip())
    made = re.sub(r"[^\w\- ]", "", words).replace(" ", separator)
    return quote(made) if quotes else made


def ids_with(site: Site | None) -> HeadingIds:
    """Return how a site names headings, as its configuration says (`toc`, `attr_list`)."""
    options = facts_of(site).headings
    name, quotes = options.slugs.removesuffix("%"), options.slugs.endswith("%")
    if name in _CASES:
        slugs = partial(unicode_slug, separator=options.separator, case=name, quotes=quotes)
    else:
        slugs = partial(slug, separator=options.separator, in_ascii=name != "unicode")
    numbering = number_own_ids if options.slugs == UNKNOWN else number
    return HeadingIds(split=split if options.attributes else Titled, slug=slugs, number=numbering)


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


UNICODE_IDS = HeadingIds(split=split, slug=unicode_slug, number=number)
