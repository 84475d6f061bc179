"""MkDocs: pages have folders of their own unless `use_directory_urls` is off; Python-Markdown names headings."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from string import ascii_lowercase, ascii_uppercase
from urllib.parse import quote

from ingestion.markdown.anchors import ICON, UNNAMED, HeadingIds, Titled, id_in, number_own_ids, split_braces, text_of
from ingestion.markdown.inline import Span, read_spans
from ingestion.source.dates import read_date
from ingestion.source.generators.mkdocs.config import UNKNOWN, Blog, facts_of
from ingestion.source.generators.protocol import AddressOptions, PageFacts
from ingestion.source.permalinks import file_route, fill, folder_route, split_path
from ingestion.source.site import Site

_POST_NAME = re.compile(r"\{(\w+)\}")
_DATE_NAME = re.compile("yyyy|yy|MM|M|dd|d")
_DATE_PARTS: Mapping[str, Callable[[datetime], str]] = {
    "yyyy": lambda date: f"{date.year:04}",
    "yy": lambda date: f"{date.year % 100:02}",
    "MM": lambda date: f"{date.month:02}",
    "M": lambda date: str(date.month),
    "dd": lambda date: f"{date.day:02}",
    "d": lambda date: str(date.day),
}
_TAG = re.compile(r"</?[^>]*>")
_LOWER_ASCII = str.maketrans(ascii_uppercase, ascii_lowercase)
_CASES: Mapping[str, Callable[[str], str]] = {
    "none": str,
    "lower": str.lower,
    "lower-ascii": lambda text: text.translate(_LOWER_ASCII),
    "fold": str.casefold,
}


def address(page: PageFacts, placed: str, site: Site | None, options: AddressOptions) -> str | None:
    """Return the address of a page with the path `placed` in its docs folder; None for a post without a date."""
    blog = next((blog for blog in facts_of(site).blogs if placed.startswith(f"{blog.posts}/")), None)
    if blog is not None:
        path = _post(page, placed, blog)
        return path and file_route(path.split("/"), "index" if options.directory_urls is not False else "")
    language, placed = _language_of(placed, site)
    made = _route(placed, options)
    return f"{language}/{made}" if language else made


def _language_of(placed: str, site: Site | None) -> tuple[str | None, str]:
    """Return a page's language, by its folder or its name (`page.ur.md`) and None for the default, and its path
    without that.
    """
    if site is None or not facts_of(site).translations:
        return None, placed
    if facts_of(site).translations == "folder":
        language, _, rest = placed.partition("/")
    else:
        stem, dot, suffix = placed.rpartition(".")
        name, _, language = stem.rpartition(".")
        rest = name and f"{name}{dot}{suffix}"
    if not rest or language not in site.languages:
        return None, placed
    return language if language != site.language else None, rest


def _post(page: PageFacts, placed: str, blog: Blog) -> str | None:
    """Return the path of a post of Material's blog, as its pattern says; None where that cannot be known."""
    written = page.values.get("date")
    date = read_date(written.get("created") if isinstance(written, Mapping) else written)
    if date is None:
        return None
    title = page.text("title") or page.heading() or ""
    values = {
        "date": lambda: _DATE_NAME.sub(lambda found: _DATE_PARTS[found[0]](date), blog.dates),
        "slug": lambda: page.text("slug") or unicode_slug(read_spans(title)),
        "file": lambda: split_path(placed)[1],
        "categories": lambda: "/".join(unicode_slug(read_spans(name)) for name in page.texts("categories")[:1]),
    }
    made = fill(blog.pattern, _POST_NAME, values)
    return made and f"{blog.folder}/{made.strip('/')}".lstrip("/")


def _route(placed: str, options: AddressOptions) -> str:
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
    return Titled(braces[0].rstrip(), id_in(braces[1].removeprefix(":")))


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
    slugs: Callable[[Sequence[Span]], str]
    name, quotes = options.slugs.removesuffix("%"), options.slugs.endswith("%")
    if name in _CASES:
        slugs = partial(unicode_slug, separator=options.separator, case=name, quotes=quotes)
    else:
        slugs = partial(slug, separator=options.separator, in_ascii=name != "unicode")
    numbering = number_own_ids if options.slugs == UNKNOWN else number
    own_ids = split if options.attributes else Titled
    if facts_of(site).has_scripts:
        own_ids = partial(_split_scripted, own_ids)
    if options.icons:
        slugs = partial(_without_icons, slugs)
    return HeadingIds(split=own_ids, slug=slugs, number=numbering)


def _without_icons(slugs: Callable[[Sequence[Span]], str], spans: Sequence[Span]) -> str:
    """Return the slug of a heading whose icons (`:name:`) are pictures, of which no id is made."""
    return slugs([span._replace(text=ICON.sub("", span.text)) if span.kind == "text" else span for span in spans])


def _split_scripted(own_ids: Callable[[str], Titled], text: str) -> Titled:
    """Split off an id on a site whose hooks may put anything in the place of a remark."""
    found = own_ids(text)
    return Titled(found.text, UNNAMED) if "<!--" in text and not found.own_id else found


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
            stem, first = _counted(plain)
            at = last.get((stem, first), first)
            while (anchor := f"{stem}_{at + 1}") in taken:
                at += 1
            last[stem, first] = at + 1
        taken.add(anchor)
        found.append(anchor)
    return found


def _counted(anchor: str) -> tuple[str, int]:
    """Return an anchor without the number that it ends in, and that number; 0 where it ends in none."""
    stem, mark, number = anchor.rpartition("_")
    is_counted = mark and number.isascii() and number.isdecimal() and len(number) < 10
    return (stem, int(number)) if is_counted else (anchor, 0)


UNICODE_IDS = HeadingIds(split=split, slug=unicode_slug, number=number)
