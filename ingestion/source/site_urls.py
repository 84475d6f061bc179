"""The addresses of lessons on their site: the style of the book's generator, its base address and its options."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import quote

from ingestion.settings import Settings
from ingestion.source.site import Site
from ingestion.source.styles import STYLES, PageName, RouteOptions

DEFAULT_STYLE = "docusaurus"
"""The style of a book that names none and whose generator is not known: most course books are built by it."""

_STYLE_OF_GENERATOR = {"astro": "starlight"}


class SiteAddresses(NamedTuple):
    """How the pages of a book are addressed; without a base address a citation names the path of the file."""

    base_url: str
    style: str
    options: RouteOptions


def site_addresses(settings: Settings, site: Site | None = None) -> SiteAddresses:
    """Return how the pages of a book are addressed: by its settings, else as the site's own configuration says."""
    book = settings.book
    style = book.style
    if style == "auto":
        style = _STYLE_OF_GENERATOR.get(site.generator, site.generator) if site else DEFAULT_STYLE
    slash, folders, numbers = book.trailing_slash, book.directory_urls, book.number_prefixes
    if site and STYLES[style] is STYLES[_STYLE_OF_GENERATOR.get(site.generator, site.generator)]:
        slash = site.trailing_slash if slash is None else slash
        folders = site.directory_urls if folders is None else folders
        numbers = site.number_prefixes if numbers is None else numbers
    return SiteAddresses(book.base_url, style, RouteOptions(slash, folders, numbers is not False))


def page_url(addresses: SiteAddresses, page: PageName) -> str:
    """Return the address of a page, or "" without a base address."""
    if not addresses.base_url:
        return ""
    route = STYLES[addresses.style].route(page, addresses.options)
    return f"{addresses.base_url}/{quote(route)}" if route else addresses.base_url
