"""Jekyll, as the rest of bookwise asks it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from ingestion.source.book_order import Entry
from ingestion.source.crawler import Ignored, SourceFile
from ingestion.source.generators.base import Base, is_on
from ingestion.source.generators.jekyll import pages
from ingestion.source.generators.jekyll.config import facts_of, read
from ingestion.source.generators.protocol import AddressOptions, Generator, HandedDown, PageFacts, Publication
from ingestion.source.site import Site

if TYPE_CHECKING:
    from ingestion.markdown.anchors import HeadingIds
    from ingestion.source.includes.directives import Finder, Variables


class Jekyll(Base):
    """Pages and collections; on GitHub a file without metadata is a page too."""

    name = "jekyll"
    no_pages = ("*.mdx",)

    def read(self, folder: Path, config: Path) -> Site:
        """Return the site of `_config.yml`."""
        return read(folder, config)

    def own_rules(self, site: Site) -> Iterable[Ignored]:
        """Return that the folders of collections hold pages, whatever their underscore says."""
        collections = (Ignored(f"!/{site.before_docs}{folder}/") for folder, _ in facts_of(site).rules)
        return (*collections, Ignored("!_posts/"))

    def without_page(self, site: Site, paths: Sequence[str]) -> Mapping[str, str]:
        """Return the posts without a date, or with one in the future."""
        return pages.without_page(site, paths)

    def handed_down(self, site: Site, files: Sequence[SourceFile]) -> HandedDown:
        """Return the defaults of the configuration."""
        return HandedDown(values_of=lambda path: pages.defaults_of(site.in_docs(path), site))

    def publication(self, page: PageFacts, site: Site | None, now: datetime) -> Publication:
        """Return that a page needs metadata, and that one of a later date is not shown yet."""
        facts = facts_of(site)
        if facts.needs_metadata and not page.has_metadata:
            return Publication("has no front matter; Jekyll does not publish it")
        date = page.date("date")
        if site and not facts.shows_future and date and date > now:
            return Publication(f"published later ({date:%Y-%m-%d})")
        return super().publication(page, site, now)

    def is_searched(self, page: PageFacts, site: Site | None) -> bool:
        """Return that the search leaves out a page with `search_exclude`."""
        return not is_on(page.values.get("search_exclude"))

    def chapter(self, page: PageFacts, site: Site | None, entry: Entry) -> str | None:
        """Return what the contents say, else the pages above it by its metadata."""
        return super().chapter(page, site, entry) or pages.chapter(page, site)

    def address(self, page: PageFacts, site: Site | None, options: AddressOptions) -> str | None:
        """Return the route of a page: its `permalink`, the pattern of its collection, else its path."""
        from ingestion.source.generators.jekyll.addresses import route

        placed = self.place_of(page, site, options)
        rules = facts_of(site).rules if site and self.keeps_patterns(site, options) else ()
        readme = facts_of(site).readme_is_index
        return None if placed is None else route(page, placed, options, dict(rules), readme_is_index=readme)

    def heading_ids(self, site: Site | None) -> HeadingIds:
        """Return the names of kramdown's GFM parser."""
        from ingestion.source.generators.jekyll.addresses import IDS

        return IDS

    def finders(self, site: Site | None) -> Sequence[Finder]:
        """Return what finds `{% include %}` and `{{ site.data.x }}`."""
        from ingestion.source.generators.jekyll.text import find_data, find_liquid

        return (find_liquid, find_data)

    def variables(self, page: PageFacts, site: Site | None) -> Variables | None:
        """Return the texts of the configuration and of the page."""
        from ingestion.source.generators.jekyll.text import variables_of

        return variables_of(page, site)


STYLED: dict[str, Generator] = {"jekyll": Jekyll()}
