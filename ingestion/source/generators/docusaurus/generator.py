"""Docusaurus, as the rest of bookwise asks it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from ingestion.settings.book import CrawlSettings
from ingestion.source.book_order import Entry
from ingestion.source.crawler import Ignored
from ingestion.source.editions import split_edition
from ingestion.source.generators.base import Base
from ingestion.source.generators.docusaurus import pages
from ingestion.source.generators.docusaurus.config import facts_of
from ingestion.source.generators.protocol import AddressOptions, Generator, PageFacts
from ingestion.source.site import Site


class Docusaurus(Base):
    """Docs in one or several folders, each with translations and versions."""

    name = "docusaurus"
    default_route = "docs"
    no_pages = ("*.markdown",)

    def folders_outside(self, site: Site, root: Path, crawl: CrawlSettings) -> Sequence[str]:
        """Return the folders of translations and versions that are asked for."""
        return pages.folders_outside(site, root, crawl)

    def complete(self, site: Site, paths: Sequence[str]) -> Site:
        """Return the site with the version that searches show unasked."""
        return pages.with_shown_versions(site, paths)

    def own_rules(self, site: Site) -> Sequence[Ignored]:
        """Return that the version which readers see is no old one, where the docs folder is not published."""
        return pages.shown_folders(site)

    def without_page(self, site: Site, paths: Sequence[str]) -> Mapping[str, str]:
        """Return the pages of versions that are not published, and the files that the options leave out."""
        return pages.without_page(site, paths)

    def version(self, path: str, site: Site) -> tuple[str, int] | None:
        """Return the version by the page's folder."""
        return pages.version_of(path, site)

    def sidebar_chapter(self, page: PageFacts, site: Site, entry: Entry) -> str | None:
        """Return the titles above the page in the sidebar of its version."""
        from ingestion.source.generators.docusaurus.addresses import sidebar_chapter

        return sidebar_chapter(page, site, entry)

    def place_of(self, page: PageFacts, site: Site | None, options: AddressOptions) -> str | None:
        """Return its own path where that is of a translation or a version, which lie in no docs folder."""
        return page.path if split_edition(page.path).in_docusaurus else super().place_of(page, site, options)

    def is_mdx(self, page: PageFacts, site: Site | None) -> bool:
        """Return what the page's own metadata says, else the configuration, else its name."""
        own = page.values.get("mdx")
        chosen = own.get("format") if isinstance(own, Mapping) else None
        form = chosen if chosen in ("md", "mdx", "detect") else facts_of(site).mdx_format
        return form == "mdx" or (form == "detect" and super().is_mdx(page, site))


STYLED: dict[str, Generator] = {"docusaurus": Docusaurus()}
