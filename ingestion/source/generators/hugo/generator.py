"""Hugo, as the rest of bookwise asks it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from ingestion.source.book_order import Entry
from ingestion.source.crawler import SourceFile
from ingestion.source.generators.base import Base
from ingestion.source.generators.hugo import pages
from ingestion.source.generators.hugo.cascades import handed_down
from ingestion.source.generators.protocol import Generator, HandedDown, PageFacts, Publication
from ingestion.source.site import Site

if TYPE_CHECKING:
    from ingestion.source.metadata.front_matter import FrontMatter


class Hugo(Base):
    """Pages, sections and bundles of one or several mounted folders, in several languages."""

    name = "hugo"
    partials = ()
    no_pages = ("*.mdx",)

    def complete(self, site: Site, paths: Sequence[str]) -> Site:
        """Return the site with its sections."""
        return pages.with_sections(site, paths)

    def without_page(self, site: Site, paths: Sequence[str]) -> Mapping[str, str]:
        """Return the files that belong to the page of a bundle too."""
        return {**pages.in_bundles(paths), **super().without_page(site, paths)}

    def why_no_page(self, site: Site) -> Callable[[str], str | None] | None:
        """Return what tells that the configuration ignores a file, if it ignores any."""
        return pages.why_no_page(site)

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


STYLED: dict[str, Generator] = {"hugo": Hugo()}
