"""GitHub: the file as the site of the repository shows it; the base address ends in `/blob/<branch>/<folder>`."""

from __future__ import annotations

from ingestion.markdown.anchors import HeadingIds, Titled, number_like_github, slug, text_of
from ingestion.source.styles.plain import route
from ingestion.source.styles.types import AddressStyle

STYLE = AddressStyle(
    route=route,
    ids=HeadingIds(
        split=Titled,  # ids that authors write are words of the heading here
        slug=lambda spans: slug(text_of(spans, images=False, notes=True)),
        number=number_like_github,
    ),
)
