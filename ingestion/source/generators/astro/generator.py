"""Astro with Starlight, as the rest of bookwise asks it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from ingestion.source.generators.astro.config import read
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
