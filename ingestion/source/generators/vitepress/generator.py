"""VitePress, as the rest of bookwise asks it."""

from __future__ import annotations

from ingestion.source.book_order import Entry
from ingestion.source.generators.base import Base, is_on
from ingestion.source.generators.protocol import AddressOptions, Generator, PageFacts
from ingestion.source.generators.vitepress.config import facts_of
from ingestion.source.site import Site


class VitePress(Base):
    """A page of each `.md` file, moved by `rewrites`."""

    name = "vitepress"
    partials = ()
    no_pages = ("*.markdown", "*.mdx")

    def is_searched(self, page: PageFacts, site: Site | None) -> bool:
        """Return that the site's search leaves out a page with `search: false`."""
        return is_on(page.values.get("search", "true"))

    def sidebar_chapter(self, page: PageFacts, site: Site, entry: Entry) -> str | None:
        """Return the titles above the page in the sidebar that has its address."""
        from ingestion.source.sidebars import chapter_in

        sidebar = facts_of(site).sidebar
        address = self.address(page, site, AddressOptions()) if sidebar else None
        return None if address is None else chapter_in(sidebar, address)


STYLED: dict[str, Generator] = {"vitepress": VitePress()}
