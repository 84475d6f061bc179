"""Sphinx with MyST, as the rest of bookwise asks it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ingestion.source.book_order import BookOrder
from ingestion.source.generators.base import Base
from ingestion.source.generators.protocol import Generator, PageFacts
from ingestion.source.generators.sphinx import pages
from ingestion.source.generators.sphinx.config import facts_of
from ingestion.source.site import Site

if TYPE_CHECKING:
    from ingestion.source.includes.directives import Finder


class Sphinx(Base):
    """A page of each source file; toctrees give the order."""

    name = "sphinx"
    rewrites_markup = True
    links_by_name = True
    partials = ()
    no_pages = ("*.mdx", "*.markdown")

    def order(self, site: Site | None, root: Path, paths: Collection[str]) -> BookOrder:
        """Return the order of the toctrees, or of `_toc.yml`."""
        return pages.order(site, root, paths) if site else super().order(site, root, paths)

    def without_page(self, site: Site, paths: Sequence[str]) -> Mapping[str, str]:
        """Return the files that `exclude_patterns` names, and those outside of contents that are complete."""
        return pages.without_page(site, paths)

    def is_searched(self, page: PageFacts, site: Site | None) -> bool:
        """Return that the site's search leaves out a page with `nosearch`."""
        return "nosearch" not in page.values

    def finders(self, site: Site | None) -> Sequence[Finder]:
        """Return what reads labels, directives, roles and remarks."""
        from ingestion.source.generators.sphinx.text import find_myst

        return (partial(find_myst, substitutions=facts_of(site).substitutions),)


STYLED: dict[str, Generator] = {"sphinx": Sphinx()}
