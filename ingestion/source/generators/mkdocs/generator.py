"""MkDocs and Material, as the rest of bookwise asks them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from ingestion.source.book_order import BookOrder
from ingestion.source.generators.base import Base, is_on
from ingestion.source.generators.mkdocs import pages
from ingestion.source.generators.mkdocs.config import facts_of
from ingestion.source.generators.protocol import Generator, PageFacts, Publication
from ingestion.source.site import Site

if TYPE_CHECKING:
    from ingestion.markdown.anchors import HeadingIds
    from ingestion.markdown.syntax import Syntax
    from ingestion.source.includes.directives import Finder
    from ingestion.source.metadata.front_matter import FrontMatter


class MkDocs(Base):
    """A page of each `.md` file, in a folder of its own."""

    name = "mkdocs"
    partials = ()
    no_pages = ("*.mdx",)

    def __init__(self, *, unicode_ids: bool = False) -> None:
        self._unicode_ids = unicode_ids

    def order(self, site: Site | None, root: Path, paths: Collection[str]) -> BookOrder:
        """Return the order of `nav`."""
        return pages.order(site, root, paths) if site else super().order(site, root, paths)

    def without_page(self, site: Site, paths: Sequence[str]) -> Mapping[str, str]:
        """Return each README that stands beside an index too, and for Zensical `.markdown` files."""
        return {**pages.not_built(site, paths), **pages.beside_index(paths), **super().without_page(site, paths)}

    def why_no_page(self, site: Site) -> Callable[[str], str | None] | None:
        """Return what tells that the plug-in `exclude` leaves a file out, if it leaves out any."""
        return pages.why_no_page(site)

    def front_matter(self, text: str) -> FrontMatter:
        """Return metadata, also that of `key: value` lines without a mark."""
        from ingestion.source.metadata.front_matter import multimarkdown

        front = super().front_matter(text)
        return front if front.body_offset or front.body != text or front.problems else multimarkdown(text)

    def publication(self, page: PageFacts, site: Site | None, now: datetime) -> Publication:
        """Return that a page with `exclude` is not shown."""
        if is_on(page.values.get("exclude")):
            return Publication("excluded (`exclude`)")
        return super().publication(page, site, now)

    def is_searched(self, page: PageFacts, site: Site | None) -> bool:
        """Return whether neither metadata nor the configuration leave the page out of the search."""
        return pages.is_searched(page, site)

    def heading_ids(self, site: Site | None) -> HeadingIds:
        """Return the names of Python-Markdown, or those that the configuration chooses."""
        from ingestion.source.generators.mkdocs.addresses import UNICODE_IDS, ids_with

        return UNICODE_IDS if site is None and self._unicode_ids else ids_with(site)

    def syntax(self, page: PageFacts, site: Site | None) -> Syntax:
        """Return its own syntax, with the marks that the configuration chooses."""
        return super().syntax(page, site).adding(*facts_of(site).marks)

    def finders(self, site: Site | None) -> Sequence[Finder]:
        """Return what finds snippets, and the includes of plug-ins."""
        from ingestion.source.generators.mkdocs.text import FINDERS, find_snippets

        return FINDERS if facts_of(site).includes_files else (find_snippets,)


STYLED: dict[str, Generator] = {"mkdocs": MkDocs(), "mkdocs-unicode": MkDocs(unicode_ids=True)}
