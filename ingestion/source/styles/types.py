"""What an address style is made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

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


class RouteOptions(NamedTuple):
    """What the site's configuration says of addresses."""

    trailing_slash: bool | None = None
    directory_urls: bool | None = None
    number_prefixes: bool = True
    readme_is_index: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class AddressStyle:
    """How a site generator makes addresses.

    `route` returns the path of a page below the base address, not yet percent-encoded; `ids` names its headings.
    """

    route: Callable[[PageName, RouteOptions], str]
    ids: HeadingIds


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
