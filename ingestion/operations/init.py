"""Inspect a folder, propose a configuration for it, and write that without changing existing files."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ingestion.books import UNNAMED, id_of_folder, slug
from ingestion.errors import ConfigurationError, SourceError, UsageError
from ingestion.languages import DEFAULT_LANGUAGE
from ingestion.operations.git_ignore import GIT_IGNORE, add_lines, missing_lines
from ingestion.operations.init_text import Edition, config_text
from ingestion.output import counted
from ingestion.settings import Settings, override
from ingestion.settings.loader import CONFIG_NAME
from ingestion.settings.places import user_config
from ingestion.settings.toml_editor import set_table
from ingestion.source.book_folder import crawl_book
from ingestion.source.contents import Contents, table_of_contents
from ingestion.source.crawler import NOT_BOOK, SUFFIXES, crawl
from ingestion.source.generators import of
from ingestion.source.generators.finding import find_site, folder_of_site_and_docs
from ingestion.source.hierarchy import WRAPPERS
from ingestion.source.metadata.page import page_place
from ingestion.source.site import Site

MOST = 0.8
"""Share of the lessons that a folder must contain to be the lessons folder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """Proposed configuration of a folder: what would be indexed, and what would be written.

    `docs` is relative to `folder`. `id_source` says where the id comes from. `text` is that of the new
    `bookwise.toml`, None where there is one already; `ignored` are the lines that `.gitignore` lacks.
    """

    folder: Path
    book_id: str
    id_source: str
    docs: str
    site: Site | None
    contents: Contents
    editions: tuple[Edition, ...]
    text: str | None
    ignored: tuple[str, ...]

    @property
    def config(self) -> Path:
        """The configuration file of the book."""
        return self.folder / CONFIG_NAME

    @property
    def to_write(self) -> list[Path]:
        """The files that would be written."""
        ignoring = [self.folder / GIT_IGNORE] if self.ignored else []
        return ([] if self.text is None else [self.config]) + ignoring

    def as_json(self) -> dict[str, Any]:
        """Return one JSON document."""
        site = self.site
        return {
            "folder": str(self.folder),
            "config": str(self.config),
            "id": self.book_id,
            "id_source": self.id_source,
            "docs": self.docs,
            "site": site
            and {"generator": site.generator, "config": str(site.config), "title": site.title, "url": site.base_url},
            "editions": [asdict(edition) for edition in self.editions],
            **self.contents.as_json(),
            "text": self.text,
            "gitignore": list(self.ignored),
        }


def propose(folder: Path, settings: Settings, docs: str | None = None) -> Proposal:
    """Return how `folder`, with these `settings`, becomes a book; `docs` is the folder of its lessons, if known.

    Where the folder has a `bookwise.toml`, the settings decide. The folder of a site whose lessons lie beside it
    stands for the folder that holds both. Raises SourceError where there are no lessons, UsageError where the folder
    holds several sites.
    """
    if not folder.is_dir():
        raise SourceError(f"{folder}: no such folder; name the folder of the book")
    if not docs and not has_config(folder) and (outer := folder_of_site_and_docs(folder)):
        folder = outer
    is_there = has_config(folder)
    root = Path(settings.book.docs) if is_there else folder / (docs or find_docs(folder, settings))
    settings = override(settings, {"book.docs": str(root)})
    contents = table_of_contents(root, settings)
    if not contents.pages:
        raise _without_lessons(root, contents)
    site = find_site(root, settings.book.site)
    book_id, id_source = (settings.book.id, "settings") if settings.book.id else _id_of(folder, site)
    editions = _editions(root, settings, contents)
    relative = root.relative_to(folder).as_posix() if root.is_relative_to(folder) else root.as_posix()
    beside = os.path.relpath(site.folder, folder.resolve()) if site and site.docs.startswith("../") else None
    text = None if is_there else config_text(book_id, relative, site, contents, editions, beside)
    return Proposal(
        folder=folder,
        book_id=book_id,
        id_source=id_source,
        docs=relative,
        site=site,
        contents=contents,
        editions=editions,
        text=text,
        ignored=tuple(missing_lines(folder, settings)),
    )


def _without_lessons(root: Path, contents: Contents) -> SourceError:
    left_out = [each for each in contents.skipped if each.path.lower().endswith(SUFFIXES)]
    if not left_out:
        return SourceError(f"{root}: no lessons (.md, .mdx); name their folder with --docs")
    first = f"{left_out[0].path}: {left_out[0].reason}"
    return SourceError(f"{root}: none of its {counted(len(left_out), 'page')} is indexed, such as {first}")


def carry_out(proposal: Proposal) -> list[Path]:
    """Write the proposal and return the files written; raises if one has appeared meanwhile."""
    written = []
    if proposal.text is not None:
        try:
            with proposal.config.open("x", encoding="utf-8", newline="\n") as file:
                file.write(proposal.text)
        except FileExistsError as error:
            raise ConfigurationError(f"{proposal.config}: already exists and is not overwritten") from error
        except OSError as error:
            raise ConfigurationError(f"{proposal.config}: cannot be written: {error.strerror}") from error
        written.append(proposal.config)
    if proposal.ignored:
        written.append(add_lines(proposal.folder / GIT_IGNORE, proposal.ignored))
    return written


def trust_folder(folder: Path, settings: Settings, environ: Mapping[str, str]) -> Path:
    """Write into the user's configuration that this book's files are trusted, and return that file.

    Raises ConfigurationError if it cannot be written or has no place.
    """
    own = user_config(environ)
    if own is None:
        raise ConfigurationError("no home folder for your own configuration; set HOME")
    try:
        own.parent.mkdir(parents=True, exist_ok=True)
        set_table(own, "trust", {"folders": [*settings.trust.folders, str(folder.resolve())]})
    except OSError as error:
        raise ConfigurationError(f"{own}: cannot be written: {error.strerror}") from error
    return own


def find_docs(folder: Path, settings: Settings) -> str:
    """Return the folder of the lessons, relative to `folder`: the site's, else `docs` or the like, else itself.

    The site's configuration lies in the folder, above it, or in one of the folders in it.
    """
    if site := find_site(folder):
        return _docs_of(site, folder)
    below = [(child, site) for child in _folders(folder) if (site := find_site(child)) and _is_in(site, child)]
    if len(below) > 1:
        names = ", ".join(child.name for child, _ in below)
        raise UsageError(
            f"{folder} contains several sites: {names}; name the folder of one, or its lessons with --docs"
        )
    if below:
        return _docs_of(below[0][1], folder)
    return _wrapper(folder, settings) or "."


def _wrapper(folder: Path, settings: Settings) -> str | None:
    """Return the folder of a usual name that holds nearly all lessons, with little but a README beside it."""
    files = crawl(folder, ignored=of(None).ignored(None, settings.crawl)).files
    tops = Counter(file.path.partition("/")[0] for file in files if "/" in file.path)
    name, count = max(tops.items(), key=lambda top: top[1], default=("", 0))
    return name if name in WRAPPERS and count >= MOST * len(files) else None


def _docs_of(site: Site, folder: Path) -> str:
    docs, inside = site.docs_folder.resolve(), folder.resolve()
    return docs.relative_to(inside).as_posix() if docs.is_dir() and docs.is_relative_to(inside) else "."


def _is_in(site: Site, folder: Path) -> bool:
    return site.folder == folder.resolve() and site.docs_folder.is_dir()


def _folders(folder: Path) -> list[Path]:
    children = (child for child in folder.iterdir() if child.is_dir() and not child.is_symlink())
    return sorted(child for child in children if not child.name.startswith(".") and f"{child.name}/" not in NOT_BOOK)


def _id_of(folder: Path, site: Site | None) -> tuple[str, str]:
    """Return an id for the book, and where it comes from."""
    if (found := id_of_folder(folder)) != UNNAMED:
        return found, "the folder's name"
    if site and site.title and (found := slug(site.title)):
        return found, "the site's title"
    return UNNAMED, "nothing that would name it"


def _editions(root: Path, settings: Settings, contents: Contents) -> tuple[Edition, ...]:
    """Return the languages and versions of the book, with how many of their pages would be indexed."""
    everything = override(settings, {"crawl.translations": True, "crawl.versions": True})
    chosen = {page.path for page in contents.pages}
    found: Counter[tuple[str, str]] = Counter()
    indexed: Counter[tuple[str, str]] = Counter()
    for file in crawl_book(root, everything).files:
        place = page_place(file.path, file.entry, settings)
        edition = (place.language or settings.book.language or DEFAULT_LANGUAGE, place.version or "")
        found[edition] += 1
        indexed[edition] += file.path in chosen
    return tuple(
        Edition(language, version, count, indexed[language, version])
        for (language, version), count in sorted(found.items())
    )


def has_config(folder: Path) -> bool:
    """Return whether something of the configuration's name is there, be it a link to nothing."""
    return os.path.lexists(folder / CONFIG_NAME)
