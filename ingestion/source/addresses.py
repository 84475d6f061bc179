"""The addresses of lessons on their site: the style of the book's generator, its base address and its options."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import quote

from ingestion.markdown.anchors import HeadingIds
from ingestion.settings import Settings
from ingestion.source.generators import style_of
from ingestion.source.generators.page_names import PageName, RouteOptions
from ingestion.source.hierarchy import CURRENT_VERSION, Edition, split_edition
from ingestion.source.site import Site

DEFAULT_STYLE = "docusaurus"
"""The style of a book that names none and whose generator is not known: most course books are built by it."""

DOCS_ROUTE = "docs"
"""Where Docusaurus puts the docs of a site whose configuration is not known."""

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
        style = _own_style(site) if site else DEFAULT_STYLE
    options = RouteOptions(book.trailing_slash, book.directory_urls, book.number_prefixes is not False)
    if site and style_of(style).route is style_of(_own_style(site)).route:
        options = _options_of(site, settings)
    return SiteAddresses(book.base_url or (site.base_url if site else ""), style, options)


def _options_of(site: Site, settings: Settings) -> RouteOptions:
    """Return what the site's configuration says of addresses, where the book's settings say nothing else."""
    book = settings.book
    # The patterns are for paths in the docs folder: a base address of its own is that of the root of the lessons.
    is_whole = not book.base_url or not (site.before_docs or site.before_root)
    return RouteOptions(
        site.trailing_slash if book.trailing_slash is None else book.trailing_slash,
        site.directory_urls if book.directory_urls is None else book.directory_urls,
        site.number_prefixes if book.number_prefixes is None else book.number_prefixes,
        site.readme_is_index,
        site.rules if is_whole else (),
        frozenset(site.sections),
    )


def heading_ids(settings: Settings, site: Site | None) -> HeadingIds:
    """Return how the site of a book names headings."""
    style = style_of(site_addresses(settings, site).style)
    is_own = site is not None and style.route is style_of(_own_style(site)).route
    return style.ids_with(site.headings) if site and is_own and style.ids_with else style.ids


def _own_style(site: Site) -> str:
    is_unicode = site.generator == "mkdocs" and site.headings.slugs == "lower"
    return "mkdocs-unicode" if is_unicode else _STYLE_OF_GENERATOR.get(site.generator, site.generator)


def lesson_url(page: PageName, settings: Settings, site: Site | None) -> str:
    """Return the address of a lesson, or "" where the site has none for it; `page.path` is that of the file.

    `book.base_url` is the address of the lessons' root, the site's own that of its docs folder. Docusaurus'
    translations and versions have addresses of their own: `/ur/docs/…`, `/docs/1.0/…`.
    """
    addresses = site_addresses(settings, site)
    edition = split_edition(page.path)
    if addresses.style == "docusaurus" and edition.in_docusaurus:
        base = _edition_base(addresses.base_url, edition, site)
        return page_url(addresses._replace(base_url=base), page._replace(path="/".join(edition.parts)))
    if addresses.style == "docusaurus" and site and addresses.base_url and (shown := _version_route(None, site)):
        addresses = addresses._replace(base_url=f"{addresses.base_url}/{shown}")
    if site and site.unknown_addresses:
        return ""
    if settings.book.base_url or site is None:
        return page_url(addresses, page)
    path = site.page_path(page.path)
    if path and site.generator == "hugo" and len(site.languages) > 1:
        language, path = _hugo_edition(path, site.folder_language(page.path), site)
        addresses = addresses._replace(base_url=_hugo_base(addresses.base_url, language, site))
    return page_url(addresses, page._replace(path=path)) if path else ""


def _edition_base(base_url: str, edition: Edition, site: Site | None) -> str:
    """Return the address of the docs of a translation or version, given that of the default edition."""
    if not base_url:
        return ""
    route = site.route if site else DOCS_ROUTE
    root = base_url.removesuffix(f"/{route}") if route else base_url
    language = edition.language if edition.language != (site.language if site else None) else None
    return "/".join(part for part in (root, language, route, _version_route(edition.version, site)) if part)


def _version_route(version: str | None, site: Site | None) -> str:
    """Return what stands for a version in addresses: nothing for the one that readers see unasked."""
    version = version or CURRENT_VERSION
    given = dict(site.version_routes).get(version) if site else None
    if given is not None:
        return given
    if version == (site.last_version if site else CURRENT_VERSION):
        return ""
    return "next" if version == CURRENT_VERSION else version


def _hugo_edition(path: str, of_folder: str | None, site: Site) -> tuple[str | None, str]:
    """The language of a page of Hugo, by its folder or its name (`page.ur.md`), and its path without that."""
    stem, _, suffix = path.rpartition(".")
    page, dot, language = stem.rpartition(".")
    if not of_folder and dot and language in site.languages:
        return language, f"{page}.{suffix}"
    return of_folder or site.language, path


def _hugo_base(base_url: str, language: str | None, site: Site) -> str:
    is_plain = language is None or (language == site.language and not site.default_in_folder)
    return base_url if is_plain or not base_url else f"{base_url}/{language}"


def page_url(addresses: SiteAddresses, page: PageName) -> str:
    """Return the address of a page, or "" without a base address, or where the site has no page for the file."""
    if not addresses.base_url:
        return ""
    route = style_of(addresses.style).route(page, addresses.options)
    if route is None:
        return ""
    return f"{addresses.base_url}/{quote(route)}" if route else addresses.base_url
