"""A site as its generator's configuration describes it: what all generators have; the rest is in `facts`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from ingestion.source.editions import split_edition

F = TypeVar("F")


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """A site and where its pages lie.

    `generator` is the name of its generator. `folder` holds the configuration file `config`; `docs` is the folder of
    the pages, relative to `folder` (`.` is the folder itself). `url` is the address of the whole site without a slash
    at its end, empty where it is not known; `route` stands between it and that of the pages (Docusaurus'
    `routeBasePath`). `languages` are all languages, the default one included.

    `trailing_slash` is None where the site does not say. `directory_urls` tells whether a page has a folder of its
    own (`guide/` for `guide.md`). `excluded` and `drafts` are patterns (gitignore syntax) of files without a page,
    and of files that only a preview shows. `notes` are what the users of the book should know of the site.

    A site may have several folders of docs: `instance` is the name of this one, empty for the default one, and
    `instances` are others. `before_docs` stands before a page's path where the root of the lessons holds the docs
    folder (`docs/`), and `before_root` is what the docs folder has before it where the root lies inside.

    `facts` is what only this generator knows: the frozen `Facts` of its `config.py`.
    """

    generator: str
    folder: Path
    config: Path
    docs: str
    url: str = ""
    route: str = ""
    title: str | None = None
    language: str | None = None
    languages: tuple[str, ...] = ()
    trailing_slash: bool | None = None
    directory_urls: bool = True
    excluded: tuple[str, ...] = ()
    drafts: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    instance: str = ""
    instances: tuple[Site, ...] = ()
    before_docs: str = ""
    before_root: str = ""
    facts: Any = None

    @property
    def base_url(self) -> str:
        """The address below which the pages of the default language and version lie."""
        return f"{self.url}/{self.route}".rstrip("/") if self.url else ""

    @property
    def docs_folder(self) -> Path:
        """The folder of the pages."""
        return self.folder / self.docs

    def in_docs(self, path: str) -> str | None:
        """Return the path of a file in the docs folder, given that relative to the root of the lessons.

        None for a file outside of the docs folder.
        """
        return self.before_root + path.removeprefix(self.before_docs) if path.startswith(self.before_docs) else None

    def docs_of(self, path: str) -> Site | None:
        """Return the site with the docs that a page belongs to, of which it may have several; None for no page."""
        edition, every = split_edition(path), (self, *self.instances)
        if edition.in_docusaurus:
            return next((each for each in every if each.instance == edition.instance), None)
        return next((each for each in every if each.in_docs(path) is not None), None)


def facts_in(kind: type[F]) -> Callable[[Site | None], F]:
    """Return what gives the facts of this kind that a site has, the defaults where its configuration is not known."""
    return lambda site: site.facts if site and isinstance(site.facts, kind) else kind()
