"""What a page includes: by the generator of its site, or in any syntax where no generator is known."""

from __future__ import annotations

from pathlib import Path

from ingestion.settings import Settings
from ingestion.source.addresses import generator_of
from ingestion.source.generators import of
from ingestion.source.generators.protocol import PageFacts
from ingestion.source.includes.directives import Finder, PageFolders, Variables
from ingestion.source.includes.expansion import Expanded, expand
from ingestion.source.includes.files import BookFiles
from ingestion.source.reader import SourceText

_MARKS = (
    "{{",
    "8<-",
    "import",
    "include",
    "<<<",
    "{!",
    "`{",
    ":{",
    "}`",
    ")=",
    "+++",
    "\n%",
    " ^",
    ":: ",
    "![[",
    "((",
)
"""One of these stands in every page that includes something."""


def expand_page(
    source: SourceText, body: str, settings: Settings, templates: str | None = None, page: PageFacts | None = None
) -> Expanded:
    """Return the body of a page with the text of the files that it includes, and its templates read.

    `page` is what is known of it, by which its variables are filled.
    """
    folders, root = _folders(source, body), Path(source.root or ".")
    finders = _finders(source, settings) if folders else ()
    variables = _variables(source, page) if "{{" in body else None
    if not finders and not (templates and "{" in body) and variables is None:
        return Expanded(body)
    folders = folders or PageFolders(root, root, source.site)
    return expand(body, finders, folders, BookFiles(root, source.site, settings), templates, variables)


def _variables(source: SourceText, page: PageFacts | None) -> Variables | None:
    return of(source.site).variables(page, source.site) if source.site and page else None


def includes_files(source: SourceText, body: str, settings: Settings) -> bool:
    """Return whether a page includes files, of which none is looked at."""
    folders = _folders(source, body)
    return folders is not None and any(
        True for finder in _finders(source, settings) for _ in finder(body, folders.page, folders)
    )


def _folders(source: SourceText, body: str) -> PageFolders | None:
    """Return the folders of a page that may include something, None for any other."""
    if source.location is None or source.root is None or not any(mark in body for mark in _MARKS):
        return None
    docs = source.site.docs_folder if source.site else source.root
    return PageFolders(Path(source.location), Path(docs), source.site)


def _finders(source: SourceText, settings: Settings) -> tuple[Finder, ...]:
    generator = of(source.site) if source.site else generator_of(settings, None)
    return tuple(generator.finders(source.site))
