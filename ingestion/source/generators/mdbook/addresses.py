"""mdBook: a page is an `.html` file, README stands for its folder, quotes and dashes are made typographic."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial

from ingestion.markdown.anchors import HeadingIds, Titled, number_in_order, split_braces, text_of
from ingestion.markdown.inline import Span
from ingestion.source.generators.protocol import AddressOptions, PageFacts
from ingestion.source.permalinks import file_route, split_path
from ingestion.source.site import Site


def address(page: PageFacts, placed: str, site: Site | None, options: AddressOptions) -> str:
    """Return the file of a page."""
    folders, stem = split_path(placed)
    return file_route(folders, "index" if stem.lower() == "readme" else stem)


def split(text: str) -> Titled:
    """Split off the attributes in braces, among them an id."""
    braces = split_braces(text)
    if not braces or braces[0].endswith("{"):
        return Titled(text)
    words = braces[1].split()
    return Titled(braces[0].rstrip(), next((word[1:] for word in words if word[0] == "#" and len(word) > 1), None))


def slug(spans: Sequence[Span]) -> str:
    """Return letters and numbers in lower case, with a hyphen for each blank."""
    text = text_of(spans, images=False, dashes=False, notes=True).strip().lower()
    return "".join("-" if character.isspace() else character for character in text if _stays(character))


def _stays(character: str) -> bool:
    if character.isascii():
        return character.isalnum() or character in "_- \t\n"
    return character.isspace() or bool(_alphanumeric().match(character))


@cache
def _alphanumeric():  # type: ignore[no-untyped-def]
    import regex  # whose classes know the property Alphabetic, as Rust's do: it holds vowel signs, but no virama

    return regex.compile(r"[\p{Alphabetic}\p{N}]")


IDS = HeadingIds(split=split, slug=slug, number=partial(number_in_order, reserves=False), numbers_notes=True)
