"""The files as they are, for readers that open the source, or its page at GitHub (`…/blob/<branch>/<folder>`)."""

from __future__ import annotations

from ingestion.markdown.anchors import PLAIN, HeadingIds, Titled, number_like_github, slug, text_of
from ingestion.source.generators.page_names import AddressStyle, PageName, RouteOptions


def route(page: PageName, options: RouteOptions) -> str:
    """Return the path of the file."""
    return page.path


STYLED = {
    "plain": AddressStyle(route=route, ids=PLAIN),
    "github": AddressStyle(
        route=route,
        ids=HeadingIds(
            split=Titled,  # ids that authors write are words of the heading here
            slug=lambda spans: slug(text_of(spans, images=False, notes=True)),
            number=number_like_github,
        ),
    ),
}
