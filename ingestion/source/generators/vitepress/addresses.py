"""VitePress: a page is an `.html` file, or has no suffix with clean addresses; @mdit-vue's slugify names headings."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from ingestion.markdown.anchors import ICON, HeadingIds, Titled, id_in, number_in_order, split_braces, text_of
from ingestion.markdown.inline import Span
from ingestion.source.generators.protocol import AddressOptions, PageFacts
from ingestion.source.generators.vitepress.config import facts_of
from ingestion.source.generators.vitepress.rewrites import UnreadableRewrite, rewrite
from ingestion.source.permalinks import file_route, split_path
from ingestion.source.site import Site

_DROPPED = dict.fromkeys((*range(0x20), *range(0x300, 0x370)))
"""Control characters, and marks that were combined with letters."""

_SPECIAL = re.compile(r"""[\s~`!@#$%^&*()\-_+=[\]{}|\\;:"'“”‘’<>,.?/]+""")


def address(page: PageFacts, placed: str, site: Site | None, options: AddressOptions) -> str | None:
    """Return the file of a page, without its suffix where addresses are clean; None where it cannot be known."""
    facts = facts_of(site)
    if facts.has_scripted_rewrites or any(map(_is_dynamic, placed.split("/"))):
        return None
    rewrites = facts.rewrites if options.keep_patterns(site) else ()
    try:
        folders, stem = split_path(rewrite(placed, rewrites))
    except UnreadableRewrite:
        return None
    return file_route(folders, stem, "" if options.directory_urls else ".html")


def _is_dynamic(part: str) -> bool:
    """Return whether a part of a path stands for many pages (`[name].md`), which a script lists."""
    return part.partition("[")[2].find("]") > 0


def split(text: str) -> Titled:
    """Split off the attributes in braces, among them an id."""
    braces = split_braces(text)
    if not braces or braces[0].endswith("{") or not braces[1].strip():
        return Titled(text)
    return Titled(braces[0].rstrip(), id_in(braces[1]))


def slug(spans: Sequence[Span]) -> str:
    """Return the words with one hyphen for each run of blanks and punctuation; `:emoji:` counts for nothing."""
    words = ICON.sub("", text_of(spans, images=False, entities=False, notes=True))
    plain = unicodedata.normalize("NFKD", words).translate(_DROPPED)
    anchor = _SPECIAL.sub("-", plain).strip("-")
    return (f"_{anchor}" if anchor[:1].isascii() and anchor[:1].isdigit() else anchor).lower()


IDS = HeadingIds(split=split, slug=slug, number=number_in_order)
