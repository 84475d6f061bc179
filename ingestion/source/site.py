"""A site as its generator's configuration describes it: where its pages lie, and what decides on their addresses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

UNKNOWN = "unknown"


class HeadingOptions(NamedTuple):
    """What a site's configuration says of the anchors of headings.

    `slugs` names how they are made, empty for the generator's own way and `unknown` for a way that only running it
    tells. `separator` stands between words, and `attributes` tells that an id in braces is none of the text.
    """

    slugs: str = ""
    separator: str = "-"
    attributes: bool = True


OWN_HEADINGS = HeadingOptions()


class Mount(NamedTuple):
    """A folder of pages, where in the tree of the site they appear, and their language where it is one's own."""

    source: str
    target: str
    language: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PageDefaults:
    """Metadata of the pages below `path`, or of those that fit it where it has a `*`, and of one `kind` if not empty:
    `pages`, or the name of a collection.
    """

    path: str
    kind: str
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """A site and where its pages lie.

    `folder` holds the configuration file `config`; `docs` is the folder of the pages, relative to `folder` (`.` is
    the folder itself). `url` is the address of the whole site without a slash at its end, empty where it is not
    known, and `base_url` that of its pages in the default language and version. `route` is what stands between the
    two (Docusaurus' `routeBasePath`). `languages` are all languages, the default one included. `versions` are the
    versions in Docusaurus' order, newest first, and `last_version` is the one that readers see unasked; it is
    `current` for the pages in `docs`. `shown_version` is the same among the versions that are indexed.

    `version_routes` are the parts of addresses that the configuration gives to versions. Docusaurus may have several
    such folders of docs: `instance` is the name of this one, empty for the default one, and `instances` are others.

    `trailing_slash` is None where the site does not say. `number_prefixes` tells whether numbers before names are
    dropped from addresses, `directory_urls` whether a page has a folder of its own (`guide/` for `guide.md`).
    `excluded` and `drafts` are patterns (gitignore syntax) of files without a page, and of files that only a
    preview shows. `snippets` are the
    folders from which its snippets are included, relative to `folder`. `mdx_format` tells which pages are MDX: all
    (`mdx`), none (`md`), or those whose names end in `.mdx` (`detect`). `before_docs` stands before a page's path
    where the root of the lessons holds the docs folder (`docs/`), and `before_root` is what the docs folder has
    before it where the root lies inside.

    `rules` are patterns of addresses as the configuration writes them, each with what it is for; `unknown_addresses`
    tells why the addresses of pages cannot be known without running the configuration.

    Hugo may take its pages from several folders, some for one language: `mounts` names them. `default_in_folder`
    tells that addresses name the default language too, and `sections` are the folders with an `_index.md`.

    In Jekyll, `needs_metadata` tells that a file without front matter is no page, and `readme_is_index` that README
    stands for its folder: both are so on GitHub, and with a plugin elsewhere. `shows_future` tells that pages of a
    later date are shown, and `defaults` is metadata that pages have unless they say otherwise.
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
    versions: tuple[str, ...] = ()
    last_version: str = "current"
    shown_version: str = "current"
    version_routes: tuple[tuple[str, str], ...] = ()
    instance: str = ""
    instances: tuple[Site, ...] = ()
    trailing_slash: bool | None = None
    number_prefixes: bool = False
    directory_urls: bool = True
    excluded: tuple[str, ...] = ()
    drafts: tuple[str, ...] = ()
    headings: HeadingOptions = OWN_HEADINGS
    snippets: tuple[str, ...] = (".",)
    mdx_format: str = "detect"
    before_docs: str = ""
    before_root: str = ""
    rules: tuple[tuple[str, str], ...] = ()
    unknown_addresses: str = ""
    mounts: tuple[Mount, ...] = ()
    sections: tuple[str, ...] = ()
    default_in_folder: bool = False
    needs_metadata: bool = False
    readme_is_index: bool = True
    shows_future: bool = False
    defaults: tuple[PageDefaults, ...] = ()

    @property
    def base_url(self) -> str:
        """The address below which the pages of the default language and version lie."""
        return f"{self.url}/{self.route}".rstrip("/") if self.url else ""

    @property
    def docs_folder(self) -> Path:
        """The folder of the pages."""
        return self.folder / self.docs

    @property
    def notes(self) -> tuple[str, ...]:
        """What the users of the book should know of it."""
        found = []
        if self.unknown_addresses:
            found.append(f"{self.config.name}: {self.unknown_addresses}, which is not run: passages have no address")
        if self.headings.slugs == UNKNOWN:
            found.append(
                f"{self.config.name}: a script of the site names headings, which is not run: links have no anchor"
            )
        return tuple(found)

    def page_path(self, path: str) -> str | None:
        """Return the path of a file as the generator has it, given that relative to the root of the lessons.

        None for a file outside of the folders of pages, which has no page.
        """
        own = self._in_docs(path)
        if own is None or not self.mounts:
            return own
        mount = self._mount_of(own)
        return mount and f"{mount.target}/{own.removeprefix(mount.source).strip('/')}".lstrip("/")

    def folder_language(self, path: str) -> str | None:
        """Return the language whose own folder a file lies in, if any."""
        own = self._in_docs(path)
        mount = self._mount_of(own) if own else None
        return mount.language if mount else None

    def _in_docs(self, path: str) -> str | None:
        return self.before_root + path.removeprefix(self.before_docs) if path.startswith(self.before_docs) else None

    def _mount_of(self, path: str) -> Mount | None:
        return next((mount for mount in self.mounts if path.startswith(f"{mount.source}/".lstrip("/"))), None)
