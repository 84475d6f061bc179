"""What a site generator answers about its site and the pages of it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from ingestion.settings.book import CrawlSettings
from ingestion.source.book_order import BookOrder, Entry
from ingestion.source.crawler import Ignored, SourceFile
from ingestion.source.dates import read_date
from ingestion.source.site import Site

if TYPE_CHECKING:
    from ingestion.markdown.anchors import HeadingIds
    from ingestion.markdown.syntax import Syntax
    from ingestion.source.includes.directives import Finder, Variables
    from ingestion.source.metadata.front_matter import FrontMatter


class PageFacts(NamedTuple):
    """What is known of a page: its path from the root of the lessons, and its metadata as text.

    `has_metadata` tells whether the file itself holds any, and `body` is what follows it. `heading` returns its first
    heading, or None: some addresses are made of it.
    """

    path: str
    values: Mapping[str, Any] = {}
    has_metadata: bool = True
    heading: Callable[[], str | None] = lambda: None
    body: str = ""

    def text(self, *keys: str) -> str | None:
        """Return the first of these values that is a text with words, its white space made single."""
        written = (value for key in keys if isinstance(value := self.values.get(key), str))
        return next((words for value in written if (words := " ".join(value.split()))), None)

    def texts(self, *keys: str) -> list[str]:
        """Return the values of these keys, those in lists one by one."""
        found = (self.values.get(key) for key in keys)
        lists = (value if isinstance(value, list) else [value] for value in found if value is not None)
        return [str(value) for values in lists for value in values]

    def date(self, *keys: str) -> datetime | None:
        """Return the first of these values that is a date."""
        return next((date for key in keys if (date := read_date(self.values.get(key)))), None)


class AddressOptions(NamedTuple):
    """What the settings of the book say of addresses; None where they leave it to the site.

    `from_root` tells that the base address is that of the root of the lessons, not that of the docs folder.
    """

    trailing_slash: bool | None = None
    directory_urls: bool | None = None
    number_prefixes: bool | None = None
    from_root: bool = False

    def keep_patterns(self, site: Site | None) -> bool:
        """Return whether a site's patterns of addresses hold, which are for paths in its docs folder."""
        return site is not None and not (self.from_root and (site.before_docs or site.before_root))


class Publication(NamedTuple):
    """Whether readers of the site see a page: `reason` tells why not, and `until` when that changes next."""

    reason: str | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class HandedDown:
    """Metadata that pages have from elsewhere: `values_of` gives it by path, and `titles` are those of folders.

    `told` is all that it depends on. `lost` names folders whose pages cannot be judged, each with the reason, except
    for the page given with it, which fails by itself.
    """

    values_of: Callable[[str], Mapping[str, Any]] = lambda path: {}
    told: Mapping[str, Any] = field(default_factory=dict)
    lost: Mapping[str, str] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)


class Generator(Protocol):
    """One site generator. All methods are pure; none runs a file of the book.

    Where a method takes `site`, None stands for a site whose configuration is not known (the style is set by hand).
    """

    name: str
    """Stands in configurations and in states: never renamed."""

    default_route: str
    """What stands before the pages' addresses where no configuration says it."""

    rewrites_markup: bool
    """Whether its finders read what is plain text to other generators."""

    links_by_name: bool
    """Whether a link may lead by a name to what no page tells: documented code, pages in other formats."""

    def read(self, folder: Path, config: Path) -> Site | None:
        """Return the site that a configuration file describes; None for that of another program.

        Raises ConfigurationError with file and line for one that cannot be read.
        """
        ...

    def ignored(self, site: Site | None, crawl: CrawlSettings) -> Sequence[Ignored]:
        """Return patterns (gitignore syntax) of files without a page; the last match decides."""
        ...

    def folders_outside(self, site: Site, root: Path, crawl: CrawlSettings) -> Sequence[str]:
        """Return the folders of pages that do not lie below the root (translations, versions), from the site's."""
        ...

    def complete(self, site: Site, paths: Sequence[str]) -> Site:
        """Return the site with what only its pages tell."""
        ...

    def order(self, site: Site | None, root: Path, paths: Collection[str]) -> BookOrder:
        """Return the contents that the book itself writes; raises ConfigurationError where they cannot be read."""
        ...

    def without_page(self, site: Site, paths: Sequence[str]) -> Mapping[str, str]:
        """Return the files of which the site makes no page, each with the reason."""
        ...

    def front_matter(self, text: str) -> FrontMatter:
        """Split a page into metadata and body; raises UnreadableMetadata."""
        ...

    def handed_down(self, site: Site, files: Sequence[SourceFile]) -> HandedDown:
        """Return the metadata that pages have from their folders or from the configuration."""
        ...

    def publication(self, page: PageFacts, site: Site | None, now: datetime) -> Publication:
        """Return whether readers see a page; a value that must be true or false counts as what hides it."""
        ...

    def is_searched(self, page: PageFacts, site: Site | None) -> bool:
        """Return whether the site's own search shows a page."""
        ...

    def version(self, path: str, site: Site) -> tuple[str, int] | None:
        """Return a page's version and its rank, 0 for the one that is shown unasked; None on a site without."""
        ...

    def chapter(self, page: PageFacts, site: Site | None, entry: Entry) -> str | None:
        """Return what stands above a page in the site's own contents, the outermost first; None for nothing.

        `entry` is what the files of the book say of the page beside that.
        """
        ...

    def address(self, page: PageFacts, site: Site | None, options: AddressOptions) -> str | None:
        """Return the path of a page below the base address, unquoted: "" for the root, None for no page.

        A path that begins with `/` begins at the address of the whole site. Reads no file.
        """
        ...

    def heading_ids(self, site: Site | None) -> HeadingIds:
        """Return how headings are named."""
        ...

    def own_syntax(self) -> Syntax:
        """Return how its pages are read that are no MDX."""
        ...

    def syntax(self, page: PageFacts, site: Site | None) -> Syntax:
        """Return how a page is read; equal for pages of one suffix unless their metadata say otherwise."""
        ...

    def labels(self, text: str) -> Set[str]:
        """Return the names, in lower case, that a page gives its parts and that links of every page may lead to."""
        ...

    def finders(self, site: Site | None) -> Sequence[Finder]:
        """Return what finds the includes of a page."""
        ...

    def variables(self, page: PageFacts, site: Site | None) -> Variables | None:
        """Return the texts of the site and of a page's metadata that stand for others in it; None for none."""
        ...
