"""What an include of a page is, and what finds those of a generator."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from ingestion.source.site import Site


@dataclass(frozen=True, slots=True)
class PageFolders:
    """Where the paths of a page's includes may begin: its own file, the docs folder, and its site, if known."""

    page: Path
    docs: Path
    site: Site | None

    @property
    def base(self) -> Path:
        """Return the folder of the site, or of the docs where there is none."""
        return self.site.folder if self.site else self.docs


class Directive(NamedTuple):
    """An include that stands from `start` to `end` of a text.

    `places` are the files that it may mean, the first that exists counts. `select` chooses the part of the file.
    `indent` stands before each line after the first. `fence` is the language of a code fence to put around it. `text`
    is what a directive stands for that reads no file.
    """

    start: int
    end: int
    target: str
    places: tuple[Path, ...]
    select: Callable[[str, str], str]
    selection: str = ""
    indent: str = ""
    fence: str | None = None
    is_page: bool = False
    text: str | None = None


Finder = Callable[[str, Path, PageFolders], Iterator[Directive]]
"""From a text, the file it stands in, and the folders of the page to the includes, in order."""

MAX_TARGET = 1000
"""Characters of a path with its selection; what is longer is no path."""


def whole(text: str, selection: str) -> str:
    """Return all of a file, without the line end after its last line."""
    return text.removesuffix("\n")
