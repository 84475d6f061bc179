"""A site as its generator's configuration describes it: where its pages lie, and what decides on their addresses."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Generator = Literal["docusaurus", "mkdocs", "mdbook", "hugo", "jekyll", "vitepress", "astro"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """A site and where its pages lie.

    `folder` holds the configuration file `config`; `docs` is the folder of the pages, relative to `folder` (`.` is
    the folder itself). `url` is the address of the whole site without a slash at its end, empty where it is not
    known, and `base_url` that of its pages in the default language and version. `route` is what stands between the
    two (Docusaurus' `routeBasePath`). `languages` are all languages, the default one included. `versions` are the
    versions in Docusaurus' order, newest first, and `last_version` is the one that readers see unasked; it is
    `current` for the pages in `docs`. `shown_version` is the same among the versions that are indexed.

    `trailing_slash` is None where the site does not say. `number_prefixes` tells whether numbers before names are
    dropped from addresses, `directory_urls` whether a page has a folder of its own (`guide/` for `guide.md`).
    `excluded` and `drafts` are patterns (gitignore syntax) of files without a page, and of files that only a
    preview shows. `unicode_slugs` tells that MkDocs names headings by pymdownx's slugify, and `snippets` are the
    folders from which its snippets are included, relative to `folder`. `mdx_format` tells which pages are MDX: all
    (`mdx`), none (`md`), or those whose names end in `.mdx` (`detect`). `before_docs` stands before a page's path
    where the root of the lessons holds the docs folder (`docs/`), and `before_root` is what the docs folder has
    before it where the root lies inside.

    Hugo's languages may have folders of their own: `language_folders` names them below the docs folder, and
    `default_in_folder` tells that addresses name the default language too. In Jekyll, `needs_metadata` tells that a
    file without front matter is no page, and `readme_is_index` that README stands for its folder: both are so on
    GitHub, and with a plugin elsewhere.
    """

    generator: Generator
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
    trailing_slash: bool | None = None
    number_prefixes: bool = False
    directory_urls: bool = True
    excluded: tuple[str, ...] = ()
    drafts: tuple[str, ...] = ()
    unicode_slugs: bool = False
    snippets: tuple[str, ...] = (".",)
    mdx_format: str = "detect"
    before_docs: str = ""
    before_root: str = ""
    language_folders: tuple[tuple[str, str], ...] = ()
    default_in_folder: bool = False
    needs_metadata: bool = False
    readme_is_index: bool = True

    @property
    def base_url(self) -> str:
        """The address below which the pages of the default language and version lie."""
        return f"{self.url}/{self.route}".rstrip("/") if self.url else ""

    @property
    def docs_folder(self) -> Path:
        """The folder of the pages."""
        return self.folder / self.docs

    def page_path(self, path: str) -> str | None:
        """Return the path of a file relative to the docs folder, given that relative to the root of the lessons.

        None for a file outside of the docs folder, which has no page.
        """
        if not path.startswith(self.before_docs):
            return None
        return self.before_root + path.removeprefix(self.before_docs)
