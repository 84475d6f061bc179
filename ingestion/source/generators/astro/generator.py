"""Astro with Starlight, as the rest of bookwise asks it."""

from __future__ import annotations

from ingestion.source.book_order import Entry
from ingestion.source.generators.astro.config import facts_of
from ingestion.source.generators.base import Base, is_on
from ingestion.source.generators.protocol import AddressOptions, Generator, PageFacts
from ingestion.source.site import Site


class Starlight(Base):
    """Pages in folders of their own, in MDX too."""

    name = "astro"

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


STYLED: dict[str, Generator] = {"starlight": Starlight()}
