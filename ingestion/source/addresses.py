"""The addresses of lessons and the names of their headings: by the book's settings, else by its site."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from ingestion.settings import Settings
from ingestion.source.generators import of, of_style
from ingestion.source.generators.protocol import AddressOptions, Generator, PageFacts
from ingestion.source.site import Site

if TYPE_CHECKING:
    from ingestion.markdown.anchors import HeadingIds


def generator_of(settings: Settings, site: Site | None) -> Generator:
    """Return the generator that `book.style` names, else that of the site."""
    style = settings.book.style
    return of(site) if style == "auto" else of_style(style)


def heading_ids(settings: Settings, site: Site | None) -> HeadingIds:
    """Return how the site of a book names headings."""
    generator = generator_of(settings, site)
    return generator.heading_ids(_own(generator, site))


def lesson_url(page: PageFacts, settings: Settings, site: Site | None) -> str:
    """Return the address of a lesson, or "" where the site has none for it; `page.path` is that of the file.

    `book.base_url` is the address of the lessons' root, the site's own that of its docs folder.
    """
    generator = generator_of(settings, site)
    own, base_url = _own(generator, site), _base_url(settings, site)
    placed = _placed(page, own, settings, site)
    path = generator.address(placed, own, _options(settings, own)) if base_url and placed.path else None
    if path is None:
        return ""
    if path.startswith("/"):
        route = site.route if site else generator.default_route
        base_url, path = base_url.removesuffix(f"/{route}".rstrip("/")), path[1:]
    return f"{base_url}/{quote(path)}" if path else base_url


def _placed(page: PageFacts, own: Site | None, settings: Settings, site: Site | None) -> PageFacts:
    """Return the page with its path below the root of the addresses: the docs of a site of another generator."""
    if site and not own and not settings.book.base_url:
        return page._replace(path=site.in_docs(page.path) or "")
    return page


def _base_url(settings: Settings, site: Site | None) -> str:
    return settings.book.base_url or (site.base_url if site else "")


def _own(generator: Generator, site: Site | None) -> Site | None:
    """Return the site where it is one of this generator; the style may be set by hand to another's."""
    return site if site and site.generator == generator.name else None


def _options(settings: Settings, site: Site | None) -> AddressOptions:
    """Return what the settings say of addresses, and the site where they say nothing."""
    own = settings.book.addresses
    return AddressOptions(
        site.trailing_slash if site and own.trailing_slash is None else own.trailing_slash,
        site.directory_urls if site and own.directory_urls is None else own.directory_urls,
        own.number_prefixes,
        bool(settings.book.base_url),
    )
