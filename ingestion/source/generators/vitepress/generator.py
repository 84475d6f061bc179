"""VitePress, as the rest of bookwise asks it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ingestion.source.book_order import Entry
from ingestion.source.generators.base import Base, is_on
from ingestion.source.generators.protocol import AddressOptions, Generator, PageFacts
from ingestion.source.generators.vitepress.config import facts_of, read
from ingestion.source.site import Site

if TYPE_CHECKING:
    from ingestion.markdown.anchors import HeadingIds
    from ingestion.source.includes.directives import Finder, Variables


class VitePress(Base):
    """A page of each `.md` file, moved by `rewrites`."""

    name = "vitepress"
    partials = ()
    no_pages = ("*.markdown", "*.mdx")

    def read(self, folder: Path, config: Path) -> Site:
        """Return the site of `.vitepress/config.*`."""
        return read(folder, config)

    def is_searched(self, page: PageFacts, site: Site | None) -> bool:
        """Return that the site's search leaves out a page with `search: false`."""
        return is_on(page.values.get("search", "true"))

    def sidebar_chapter(self, page: PageFacts, site: Site, entry: Entry) -> str | None:
        """Return the titles above the page in the sidebar that has its address."""
        from ingestion.source.sidebars import chapter_in

        sidebar = facts_of(site).sidebar
        address = self.address(page, site, AddressOptions()) if sidebar else None
        return None if address is None else chapter_in(sidebar, address)

    def address(self, page: PageFacts, site: Site | None, options: AddressOptions) -> str | None:
        """Return the file of a page, without its suffix where addresses are clean (`directory_urls`)."""
        from ingestion.source.generators.vitepress.addresses import route

        facts = facts_of(site)
        if facts.has_scripted_rewrites or (placed := self.place_of(page, site, options)) is None:
            return None
        rewrites = facts.rewrites if site and self.keeps_patterns(site, options) else ()
        return route(placed, rewrites, options)

    def heading_ids(self, site: Site | None) -> HeadingIds:
        """Return the names of @mdit-vue's slugify."""
        from ingestion.source.generators.vitepress.addresses import IDS

        return IDS

    def finders(self, site: Site | None) -> Sequence[Finder]:
        """Return what finds `<!--@include: …-->` and `<<<`."""
        from ingestion.source.generators.vitepress.text import find_vitepress

        return (find_vitepress,)

    def variables(self, page: PageFacts, site: Site | None) -> Variables | None:
        """Return the texts of the page's metadata."""
        from ingestion.source.generators.vitepress.text import variables_of

        return variables_of(page, site)


STYLED: dict[str, Generator] = {"vitepress": VitePress()}
