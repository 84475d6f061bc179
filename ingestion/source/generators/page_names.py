"""What an address style is made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from ingestion.source.site import HeadingOptions

if TYPE_CHECKING:
    from ingestion.markdown.anchors import HeadingIds


class PageName(NamedTuple):
    """What the address of a page depends on: its path, and what its front matter says of it.

    `permalink` is a whole path (`permalink` or `url` in front matter), `slug` the last part or a path.
    """

    path: str
    slug: str | None = None
    doc_id: str | None = None
    permalink: str | None = None
    number_prefixes: bool = True
    title: str | None = None
    date: datetime | None = None
    categories: tuple[str, ...] = ()


class RouteOptions(NamedTuple):
    """What the site's configuration says of addresses.

    `rules` are its own patterns of addresses, which each style reads in its way. `sections` are Hugo's folders that
    have a page of their own.
    """

    trailing_slash: bool | None = None
    directory_urls: bool | None = None
    number_prefixes: bool = True
    readme_is_index: bool = True
    rules: tuple[tuple[str, str], ...] = ()
    sections: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class AddressStyle:
    """How a site generator makes addresses.

    `route` returns the path of a page below the base address, not yet percent-encoded, None where the site has no
    page for the file; `ids` names its headings, or what `ids_with` makes of the site's own options for them.
    """

    route: Callable[[PageName, RouteOptions], str | None]
    ids: HeadingIds
    ids_with: Callable[[HeadingOptions], HeadingIds] | None = None


def split_path(path: str) -> tuple[list[str], str]:
    """Return the folders of a page and its name without `.md`, `.mdx` or `.markdown`."""
    *folders, name = path.split("/")
    stem, dot, suffix = name.rpartition(".")
    return folders, stem if dot and suffix.lower() in ("md", "mdx", "markdown") else name


def folder_route(folders: list[str], stem: str) -> str:
    """Return the route of a page that has a folder of its own; an index page stands for the folder it lies in."""
    parts = folders if stem in ("index", "_index") else [*folders, stem]
    return "".join(f"{part}/" for part in parts)


def file_route(folders: list[str], stem: str, suffix: str = ".html") -> str:
    """Return the route of a page that is a file; an index page stands for its folder."""
    return "/".join([*folders, "" if stem == "index" else stem + suffix])
