"""Astro with Starlight, as the rest of bookwise asks it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from ingestion.source.book_order import Entry
from ingestion.source.generators.astro.config import facts_of, read
from ingestion.source.generators.base import Base, is_on
from ingestion.source.generators.protocol import AddressOptions, Generator, PageFacts, Publication
from ingestion.source.site import Site

if TYPE_CHECKING:
    from ingestion.markdown.anchors import HeadingIds
    from ingestion.source.includes.directives import Finder


class Starlight(Base):
    """Pages in folders of their own, in MDX too."""

    name = "astro"

    def read(self, folder: Path, config: Path) -> Site:
        """Return the site of `astro.config.*`."""
        return read(folder, config)

    def publication(self, page: PageFacts, site: Site | None, now: datetime) -> Publication:
        """Return that the site's search leaves out a page with `pagefind: false`."""
        found = super().publication(page, site, now)
        return found._replace(searchable=is_on(page.values.get("pagefind", "true")))

    def chapter(self, page: PageFacts, site: Site | None, entry: Entry) -> str | None:
        """Return the titles above the page in the sidebar; folders that it lists whole are groups by their names."""
        from ingestion.source.sidebars import chapter_in

        address = self.address(page, site, AddressOptions()) if facts_of(site).sidebar else None
        language, _, route = (address or "").partition("/")
        route = route if site and language in site.languages else address or ""
        found = (
            None
            if address is None
            else chapter_in(facts_of(site).sidebar, route.rstrip("/"), route.rstrip("/").split("/")[:-1])
        )
        return super().chapter(page, site, entry) if found is None else found or None

    def address(self, page: PageFacts, site: Site | None, options: AddressOptions) -> str | None:
        """Return the route of a page: `slug`, or the slugs of its path's parts."""
        from ingestion.source.generators.astro.addresses import route

        placed = self.place_of(page, site, options)
        return None if placed is None else route(page, placed, options)

    def heading_ids(self, site: Site | None) -> HeadingIds:
        """Return github-slugger's names, after hyphens became dashes."""
        from ingestion.source.generators.astro.addresses import IDS

        return IDS

    def finders(self, site: Site | None) -> Sequence[Finder]:
        """Return what finds imported partials."""
        from ingestion.source.includes.partials import find_partials

        return (find_partials,)


STYLED: dict[str, Generator] = {"starlight": Starlight()}
