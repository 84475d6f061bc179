"""A book whose generator is not known: Docusaurus' addresses, and the includes of all generators."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from ingestion.source.generators import every, named
from ingestion.source.generators.base import Base
from ingestion.source.generators.protocol import AddressOptions, Generator, PageFacts
from ingestion.source.site import Site

if TYPE_CHECKING:
    from ingestion.markdown.anchors import HeadingIds
    from ingestion.source.includes.directives import Finder

LIKELIEST = "docusaurus"


class Unknown(Base):
    """A generator that is not known."""

    name = "unknown"

    default_route = "docs"

    def is_searched(self, page: PageFacts, site: Site | None) -> bool:
        """Return that a page is none for search where it says so to any generator."""
        return all(generator.is_searched(page, site) for generator in every())

    def address(self, page: PageFacts, site: Site | None, options: AddressOptions) -> str | None:
        """Return the address on a likely site."""
        return named(LIKELIEST).address(page, site, options)

    def heading_ids(self, site: Site | None) -> HeadingIds:
        """Return how a likely site names headings."""
        return named(LIKELIEST).heading_ids(site)

    def is_mdx(self, page: PageFacts, site: Site | None) -> bool:
        """Return whether a page is MDX on a likely site."""
        return named(LIKELIEST).syntax(page, site).mdx

    def finders(self, site: Site | None) -> Sequence[Finder]:
        """Return those of all generators, but for markup that is plain text to the others, and marks of vaults."""
        return _finders()


@cache
def _finders() -> tuple[Finder, ...]:
    from ingestion.source.generators.unknown.text import find_gitbook, find_vault_marks

    known = (generator for generator in every() if not generator.rewrites_markup)
    found = dict.fromkeys(finder for generator in known for finder in generator.finders(None))
    return (find_gitbook, *found, find_vault_marks)


STYLED: dict[str, Generator] = {"": Unknown()}
