"""The addresses of lessons on their site: the style of the book's generator, its base address and its options."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import quote

from ingestion.settings import Settings
from ingestion.source.hierarchy import Edition, split_edition
from ingestion.source.site import Site
from ingestion.source.styles import STYLES, PageName, RouteOptions

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
        style = _style_of(site) if site else DEFAULT_STYLE
    slash, folders, numbers = book.trailing_slash, book.directory_urls, book.number_prefixes
    if site and STYLES[style].route is STYLES[_style_of(site)].route:
        slash = site.trailing_slash if slash is None else slash
        folders = site.directory_urls if folders is None else folders
        numbers = site.number_prefixes if numbers is None else numbers
    base = book.base_url or (site.base_url if site else "")
    readme = site is None or site.readme_is_index
    return SiteAddresses(base, style, RouteOptions(slash, folders, numbers is not False, readme))


def _style_of(site: Site) -> str:
    return "mkdocs-unicode" if site.unicode_slugs else _STYLE_OF_GENERATOR.get(site.generator, site.generator)


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
    if addresses.style == "docusaurus" and site and site.last_version != "current" and addresses.base_url:
        addresses = addresses._replace(base_url=f"{addresses.base_url}/next")
    if settings.book.base_url or site is None:
        return page_url(addresses, page)
    path = site.page_path(page.path)
    if path and site.generator == "hugo" and len(site.languages) > 1:
        language, path = _hugo_edition(path, site)
        addresses = addresses._replace(base_url=_hugo_base(addresses.base_url, language, site))
    return page_url(addresses, page._replace(path=path)) if path else ""


def _edition_base(base_url: str, edition: Edition, site: Site | None) -> str:
    """Return the address of the docs of a translation or version, given that of the default edition."""
    if not base_url:
        return ""
    route = site.route if site else DOCS_ROUTE
    root = base_url.removesuffix(f"/{route}") if route else base_url
    language = edition.language if edition.language != (site.language if site else None) else None
    last = site.last_version if site else "current"
    version = edition.version or "current"
    shown = None if version == last else "next" if version == "current" else version
    return "/".join(part for part in (root, language, route, shown) if part)


def _hugo_edition(path: str, site: Site) -> tuple[str | None, str]:
    """The language of a page of Hugo, by its folder or its name (`page.ur.md`), and its path without that."""
    for language, folder in site.language_folders:
        if path.startswith(f"{folder}/"):
            return language, path.removeprefix(f"{folder}/")
    stem, _, suffix = path.rpartition(".")
    page, dot, language = stem.rpartition(".")
    return (language, f"{page}.{suffix}") if dot and language in site.languages else (site.language, path)


def _hugo_base(base_url: str, language: str | None, site: Site) -> str:
    is_plain = language is None or (language == site.language and not site.default_in_folder)
    return base_url if is_plain or not base_url else f"{base_url}/{language}"


def page_url(addresses: SiteAddresses, page: PageName) -> str:
    """Return the address of a page, or "" without a base address."""
    if not addresses.base_url:
        return ""
    route = STYLES[addresses.style].route(page, addresses.options)
    return f"{addresses.base_url}/{quote(route)}" if route else addresses.base_url
