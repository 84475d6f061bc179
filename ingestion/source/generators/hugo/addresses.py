"""Hugo: pages have folders of their own in lower case; goldmark names headings, after dashes became typographic."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from string import hexdigits

from ingestion.markdown.anchors import UNNAMED, HeadingIds, Titled, id_in, number_in_order, split_braces, text_of
from ingestion.markdown.attributes import attributes
from ingestion.markdown.inline import Span
from ingestion.source.generators.hugo.config import Facts, Mount, facts_of
from ingestion.source.generators.protocol import AddressOptions, PageFacts
from ingestion.source.permalinks import Values, date_values, file_route, fill, folder_route, split_path
from ingestion.source.site import Site

_KEPT_IN_PATHS = frozenset("-_./+~#@")
_NAME = re.compile(r":([a-z]+(?:\[(?:first|last|\d*(?::\d*)?)\])?)")
_DATE_KEYS = ("date", "publishDate", "publishdate", "pubdate", "published", "lastmod", "modified")
"""Where the date in an address comes from, the first that a page has."""

_NO_DATE = datetime(1, 1, 1, tzinfo=UTC)


def address(page: PageFacts, placed: str, site: Site | None, options: AddressOptions) -> str | None:
    """Return the address of a page, which has the path `placed` in its docs folder, behind its language."""
    facts = facts_of(site) if options.keep_patterns(site) else Facts(sections=facts_of(site).sections)
    language = None
    if site and not options.from_root:
        path = facts.page_path(placed)
        if path is None:
            return None
        language, placed = _language_of(path, facts, facts.mount_of(placed), site)
    route = _route(page, placed, facts, options)
    return route if route is None or language is None else f"{language}/{route}" if route else language


def _language_of(path: str, facts: Facts, mount: Mount | None, site: Site) -> tuple[str | None, str]:
    """The language of a page, by its folder or its name (`page.ur.md`), and its path without that.

    None where addresses do not name it: on a site with one, or for the default one.
    """
    if len(site.languages) < 2:
        return None, path
    found, (stem, _, suffix) = mount and mount.language, path.rpartition(".")
    name, dot, language = stem.rpartition(".")
    if not found and dot and language in site.languages:
        found, path = language, f"{name}.{suffix}"
    is_named = facts.default_in_folder or found not in (None, "", site.language)
    return found or site.language if is_named else None, path


def _route(page: PageFacts, path: str, facts: Facts, options: AddressOptions) -> str | None:
    """Return the route of a page: `url` in its metadata, else the pattern of its section (`permalinks`), else its
    path.
    """
    folders, stem = split_path(path)
    if own := page.text("permalink", "url"):
        return _filled(own, page, path, facts)
    kind = "section" if stem == "_index" else "page"
    pattern = dict(facts.rules).get(f"{kind}/{folders[0].lower()}") if folders else None
    if pattern is None:
        return _by_path(page, path, options)
    filled = _filled(pattern, page, path, facts)
    if filled is None:
        return None
    return f"{filled.rstrip('/')}.html" if options.directory_urls is False and kind == "page" else _as_folder(filled)


def _as_folder(path: str) -> str:
    return f"{path.rstrip('/')}/" if path.strip("/") else ""


def _by_path(page: PageFacts, path: str, options: AddressOptions) -> str:
    """Return the path of the file; its last part is replaced by `slug`."""
    folders, stem = split_path(path)
    parts = [_path_part(folder) for folder in folders]
    if (slug := page.text("slug")) and stem != "_index":
        parts, stem = (parts[:-1] if stem == "index" else parts), _urlized(slug.strip("/"))
    stem = stem if stem in ("index", "_index") else _path_part(stem)
    if options.directory_urls is False and stem not in ("index", "_index"):
        return file_route(parts, stem)
    return folder_route(parts, stem)


def _filled(pattern: str, page: PageFacts, path: str, facts: Facts) -> str | None:
    """Return a pattern of `permalinks` or `url` for a page; None where it has names that are not known."""
    folders, stem = split_path(path)
    if stem in ("index", "_index") and folders:
        *folders, stem = folders if stem == "index" else [*folders, folders[-1]]
    sections = [
        _path_part(folder)
        for number, folder in enumerate(folders, 1)
        if number == 1 or "/".join(folders[:number]) in facts.sections
    ]
    chosen = (name for name in _NAME.findall(pattern) if name.startswith("sections"))
    some = {name: partial(_some_of, sections, name.removeprefix("sections").strip("[]")) for name in chosen}
    return fill(pattern, _NAME, {**_page_values(page, stem), **some, "section": partial("".join, sections[:1])})


def _page_values(page: PageFacts, stem: str) -> Values:
    dated = date_values(page.date(*_DATE_KEYS) or _NO_DATE)
    title, slug = page.text("title") or "", page.text("slug") or ""
    return {
        **dated,
        "monthname": lambda: dated["monthname"]().lower(),
        "weekdayname": lambda: dated["weekdayname"]().lower(),
        "title": partial(_urlized, title),
        "slug": partial(_urlized, slug or title),
        **dict.fromkeys(("filename", "contentbasename"), partial(_path_part, stem)),
        **dict.fromkeys(("slugorfilename", "slugorcontentbasename"), partial(_urlized, slug or stem)),
    }


def _some_of(sections: Sequence[str], chosen: str) -> str:
    """Return the sections that `:sections[1:]`, `[last]` and the like choose."""
    if chosen in ("first", "last"):
        return "".join(sections[:1] if chosen == "first" else sections[-1:])
    first, colon, end = chosen.partition(":")
    start = int(first or 0)
    if chosen and not colon:
        return "".join(sections[start : start + 1])
    return "/".join(sections[start : int(end) if end else None])


def _path_part(name: str) -> str:
    """Return a name of a file or folder as Hugo writes it in paths: a hyphen for each space, in lower case."""
    return _urlized(name.replace(" ", "-"))


def _urlized(text: str) -> str:
    """Return the characters that stay in paths in lower case, with a hyphen for the blanks between two of them."""
    made = []
    after_hyphen = blank = False
    for at, character in enumerate(text):
        if _stays(character) or _is_escape(text[at : at + 3]):
            after_hyphen = character == "-"
            made.append("-" if blank and not after_hyphen else "")
            made.append(character)
            blank = False
        elif made and not after_hyphen and character.isspace():
            blank = True
    return "".join(made).lower()


def _is_escape(text: str) -> bool:
    return len(text) == 3 and text[0] == "%" and set(text[1:]) <= set(hexdigits)


def _stays(character: str) -> bool:
    category = unicodedata.category(character)
    return character in _KEPT_IN_PATHS or category[0] in "LM" or category == "Nd"


def split(text: str) -> Titled:
    """Split off attributes in braces, if all that stands in the braces is attributes."""
    templates = text.replace("{{</*", "").replace("{{%/*", "")  # which show what stands in them
    unknown = UNNAMED if "{{<" in templates or "{{%" in templates else None  # the words of a theme's template
    braces = split_braces(text)
    if not braces or braces[0].endswith(("{", "%", "<")) or not _are_attributes(braces[1]):
        return Titled(text, unknown)
    return Titled(braces[0].rstrip(), id_in(braces[1]) or unknown)


def _are_attributes(inside: str) -> bool:
    written = [*attributes(inside)]
    return bool(written) and all(each.name and (each.value is not None or each.name[0] in "#.") for each in written)


def slug(spans: Sequence[Span]) -> str:
    """Return letters, decimal digits, `_` and `-` of the last line in lower case, with a hyphen for each space."""
    text = text_of(spans, dashes=False).rpartition("\n")[2].strip()
    kept = (character for character in text if character in " -_" or character.isalpha() or character.isdecimal())
    # One letter at a time, as Go does: the dotted İ becomes an i without a mark.
    return "".join(character.lower()[:1] for character in kept).replace(" ", "-") or "heading"


IDS = HeadingIds(split=split, slug=slug, number=number_in_order)
