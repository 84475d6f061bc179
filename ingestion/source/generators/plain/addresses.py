"""The files as they are, and headings as the page of a file at GitHub names them."""

from __future__ import annotations

from ingestion.markdown.anchors import HeadingIds, Titled, number_like_github, slug, text_of
from ingestion.source.generators.protocol import AddressOptions, PageFacts
from ingestion.source.site import Site

AT_GITHUB = HeadingIds(
    split=Titled,  # ids that authors write are words of the heading here
    slug=lambda spans: slug(text_of(spans, images=False, notes=True)),
    number=number_like_github,
)


def address(page: PageFacts, placed: str, site: Site | None, options: AddressOptions) -> str:
    """Return the path of the file."""
    return placed
