"""Astro with Starlight, as the rest of bookwise asks it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ingestion.source.book_order import Entry
from ingestion.source.generators.astro.config import facts_of, read
from ingestion.source.generators.base import Base, is_on
from ingestion.source.generators.protocol import AddressOptions, Generator, PageFacts
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

    def is_searched(self, page: PageFacts, site: Site | None) -> bool:
        """Return that the site's search leaves out a page with `pagefind: false`."""
        return is_on(page.values.get("pagefind", "true"))

    def sidebar_chapter(self, page: PageFacts, site: Site, entry: Entry) -> str | None:
        """Return the titles above the page in the sidebar; folders that it lists whole are groups by their names."""
        from ingestion.source.sidebars import chapter_in

        sidebar = facts_of(site).sidebar
        address = self.address(page, site, AddressOptions()) if sidebar else None
        if address is None:
            return None
        language, _, below = address.partition("/")
        route = (below if language in site.languages else address).rstrip("/")
        return chapter_in(sidebar, route, route.split("/")[:-1])

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
