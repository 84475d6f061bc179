"""Jekyll: a page is an `.html` file or, with pretty permalinks, a folder; kramdown's GFM parser names headings."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from ingestion.markdown import anchors
from ingestion.markdown.anchors import HeadingIds, Titled, split_braces, text_of
from ingestion.markdown.inline import Span
from ingestion.source.generators.jekyll.config import facts_of
from ingestion.source.generators.protocol import AddressOptions, PageFacts
from ingestion.source.permalinks import Values, date_values, file_route, fill, folder_route, split_date, split_path
from ingestion.source.site import Site

_OWN_ID = re.compile(r"#([A-Za-z][\w:-]*)")
_ID_BELOW = re.compile(r"(?<=[\s:])#([A-Za-z][\w:-]*)")


_NAME = re.compile(r":([a-z]+(?:_[a-z]+)*)")
_POSTS = "_posts"
_PLAIN = ""
_PRETTY = "._~!$&'()+,;=@"
"""What stays in slugs beside letters and digits."""


class _Collected(NamedTuple):
    """A page of a collection: the collection's folder, the folders above and below it, and the name of the page."""

    folder: str
    above: list[str]
    below: list[str]
    stem: str


def address(page: PageFacts, placed: str, site: Site | None, options: AddressOptions) -> str | None:
    """Return the route of a page: its `permalink`, the pattern of its collection, else its path.

    Folders with an underscore that are no collection's have no pages.
    """
    rules = dict(facts_of(site).rules if options.keep_patterns(site) else ())
    folders, stem = split_path(placed)
    held = _held_by(folders, stem, rules)
    if held is not None and rules.get(held.folder) != "":
        return _document_route(page, held, rules)
    is_index = stem.lower() == "readme" and facts_of(site).readme_is_index
    return _page_route(page, folders, "index" if is_index else stem, options)


def _document_route(page: PageFacts, held: _Collected, rules: Mapping[str, str]) -> str | None:
    """Return the route of a page of a collection; None where the site has none."""
    date, name = split_date(held.stem)
    if held.folder not in rules or (held.folder.endswith(_POSTS) and date is None):
        return None
    pattern = page.text("permalink", "url") or rules[held.folder]
    return fill(pattern, _NAME, _document_values(page, held, page.date("date") or date, name))


def _held_by(folders: list[str], stem: str, rules: Mapping[str, str]) -> _Collected | None:
    for number, folder in enumerate(folders):
        path = "/".join(folders[: number + 1])
        if folder == _POSTS and path not in rules:
            path = _POSTS
        if folder.startswith("_") or path in rules:
            above = folders[:number] if path == _POSTS else []
            return _Collected(path, above, folders[number + 1 :], stem)
    return None


def _page_route(page: PageFacts, folders: list[str], stem: str, options: AddressOptions) -> str | None:
    if permalink := page.text("permalink", "url"):
        values = {"path": lambda: "/".join(folders), "basename": lambda: stem, "output_ext": lambda: ".html"}
        return fill(permalink, _NAME, values) or permalink.lstrip("/")
    return folder_route(folders, stem) if options.directory_urls else file_route(folders, stem)


def _document_values(page: PageFacts, held: _Collected, date: datetime | None, name: str) -> Values:
    categories = list(dict.fromkeys(category.lower() for category in (*held.above, *_categories(page))))
    slugged = page.text("slug") or name
    return {
        **(date_values(date) if date else {}),
        "collection": lambda: held.folder.rpartition("/")[2].removeprefix("_"),
        "path": lambda: "/".join([*held.below, held.stem.rstrip(".")]),
        "name": lambda: _slugified(held.stem, _PLAIN).lower(),
        "title": lambda: _slugified(slugged, _PRETTY),
        "slug": lambda: _slugified(slugged, _PLAIN).lower(),
        "categories": lambda: "/".join(categories),
        "slugified_categories": lambda: "/".join(_slugified(each, _PLAIN) for each in categories),
        "output_ext": lambda: ".html",
    }


def _categories(page: PageFacts) -> list[str]:
    """The categories of a post: one, or several in a list or between blanks."""
    written = page.values.get("categories")
    several = written.split() if isinstance(written, str) else page.texts("categories")
    return [*page.texts("category"), *several]


def _slugified(text: str, kept_too: str) -> str:
    """Return a text with one hyphen for each run of other characters than letters, marks, digits and those kept."""
    kept = "".join(character if _stays(character, kept_too) else " " for character in text)
    return "-".join(kept.split()).strip("-")


def _stays(character: str, kept: str) -> bool:
    category = unicodedata.category(character)
    return category[0] in "LM" or category == "Nd" or character in kept


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


IDS = HeadingIds(split=split, slug=slug, number=number, attributes_below=True)
