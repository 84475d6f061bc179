"""Starlight (Astro): pages have folders of their own, named by github-slugger as their headings are."""

from __future__ import annotations

from ingestion.markdown.anchors import HeadingIds, Titled, number_like_github, slug, text_of
from ingestion.source.styles.types import AddressStyle, PageName, RouteOptions, folder_route, split_path


def route(page: PageName, options: RouteOptions) -> str:
    """Return the route of a page: `slug`, or the slugs of its path's parts."""
    folders, stem = split_path(page.path)
    path = f"{page.slug.strip('/')}/" if page.slug else folder_route([slug(part) for part in folders], slug(stem))
    return path.rstrip("/") if options.trailing_slash is False else path


STYLE = AddressStyle(
    route=route,
    ids=HeadingIds(split=Titled, slug=lambda spans: slug(text_of(spans)), number=number_like_github),
)
