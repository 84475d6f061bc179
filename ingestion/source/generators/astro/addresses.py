"""Starlight (Astro): pages have folders of their own, named by github-slugger as their headings are."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ingestion.markdown.anchors import HeadingIds, Titled, number_like_github, slug, text_of
from ingestion.markdown.inline import Span
from ingestion.source.generators.protocol import AddressOptions, PageFacts
from ingestion.source.permalinks import folder_route, split_path
from ingestion.source.site import Site

_DASH = re.compile(r"(?<!-)--(?!-)")


def address(page: PageFacts, placed: str, site: Site | None, options: AddressOptions) -> str:
    """Return the route of a page: `slug`, or the slugs of its path's parts."""
    folders, stem = split_path(placed)
    own = page.text("slug")
    path = f"{own.strip('/')}/" if own else folder_route([slug(part) for part in folders], slug(stem))
    return path.rstrip("/") if options.trailing_slash is False else path


def heading_slug(spans: Sequence[Span]) -> str:
    """Return github-slugger's slug, after two hyphens became a dash; three stay, and so do all in code."""
    plain = (span._replace(text=_DASH.sub("", span.text)) if span.kind == "text" else span for span in spans)
    return slug(text_of(list(plain), notes=True))


IDS = HeadingIds(split=Titled, slug=heading_slug, number=number_like_github, numbers_notes=True)
