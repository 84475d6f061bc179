"""Hugo, as the rest of bookwise asks it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from ingestion.source.book_order import Entry
from ingestion.source.crawler import SourceFile
from ingestion.source.generators.base import Base
from ingestion.source.generators.hugo import pages
from ingestion.source.generators.hugo.cascades import handed_down
from ingestion.source.generators.hugo.config import read
from ingestion.source.generators.protocol import AddressOptions, Generator, HandedDown, PageFacts, Publication
from ingestion.source.site import Site

if TYPE_CHECKING:
    from ingestion.markdown.anchors import HeadingIds
    from ingestion.source.includes.directives import Finder, Variables
    from ingestion.source.metadata.front_matter import FrontMatter


class Hugo(Base):
    """Pages, sections and bundles of one or several mounted folders, in several languages."""

    name = "hugo"
    partials = ()
    no_pages = ("*.mdx",)

    def read(self, folder: Path, config: Path) -> Site | None:
        """Return the site of `hugo.*`, or of `config.*` where it is Hugo's."""
        return read(folder, config)

    def complete(self, site: Site, paths: Sequence[str]) -> Site:
        """Return the site with its sections."""
        return pages.with_sections(site, paths)

    def without_page(self, site: Site, paths: Sequence[str]) -> Mapping[str, str]:
        """Return the files that belong to the page of a bundle, and those that the configuration ignores."""
        return {**pages.in_bundles(paths), **pages.left_out(site, paths)}

    def front_matter(self, text: str) -> FrontMatter:
        """Return metadata, whose keys Hugo reads in any case."""
        front = super().front_matter(text)
        lower = {key.lower(): value for key, value in front.values.items()}
        return replace(front, values=lower, lines={key.lower(): line for key, line in front.lines.items()})

    def handed_down(self, site: Site, files: Sequence[SourceFile]) -> HandedDown:
        """Return what sections hand down (`cascade`), and their titles."""
        return handed_down(site, files)

    def publication(self, page: PageFacts, site: Site | None, now: datetime) -> Publication:
        """Return what build options and dates say."""
        return pages.publication(page, now)

    def is_searched(self, page: PageFacts, site: Site | None) -> bool:
        """Return whether no metadata leave the page out of the search."""
        return pages.is_searched(page)

    def chapter(self, page: PageFacts, site: Site | None, entry: Entry) -> str | None:
        """Return the titles of the page's sections, else what a menu shows it under."""
        return super().chapter(page, site, entry) or pages.menu_parent(page, site)

    def address(self, page: PageFacts, site: Site | None, options: AddressOptions) -> str | None:
        """Return the route of a page, behind its language where that is not the default one."""
        from ingestion.source.generators.hugo.addresses import address

        placed = self.place_of(page, site, options)
        patterns = site is not None and self.keeps_patterns(site, options)
        return None if placed is None else address(page, placed, site, options, has_patterns=patterns)

    def heading_ids(self, site: Site | None) -> HeadingIds:
        """Return goldmark's names."""
        from ingestion.source.generators.hugo.addresses import IDS

        return IDS

    def finders(self, site: Site | None) -> Sequence[Finder]:
        """Return what finds `readfile` and `include`."""
        from ingestion.source.generators.hugo.text import find_shortcodes, find_tabs

        return (find_shortcodes, find_tabs)

    def variables(self, page: PageFacts, site: Site | None) -> Variables | None:
        """Return the parameters of the page and of the site."""
        from ingestion.source.generators.hugo.text import variables_of

        return variables_of(page, site)


STYLED: dict[str, Generator] = {"hugo": Hugo()}
