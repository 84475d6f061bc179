"""What an include of a page is, and what finds those of a generator."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from ingestion.source.includes.template_tags import is_name, template_tags
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
    is what a directive stands for that reads no file, and `warning` what is wrong with it, by the `rule` of `check`.
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
    warning: str = ""
    rule: str = "unresolved-include"


Finder = Callable[[str, Path, PageFolders], Iterator[Directive]]
"""From a text, the file it stands in, and the folders of the page to the includes, in order."""

MAX_TARGET = 1000
"""Characters of a path with its selection; what is longer is no path."""


def whole(text: str, selection: str) -> str:
    """Return all of a file, without the line end after its last line."""
    return text.removesuffix("\n")


class Variables(NamedTuple):
    """Texts of a site that stand for others: `name_of` reads the name in a tag that begins with one of `marks`."""

    name_of: Callable[[str], str]
    values: Mapping[str, str]
    marks: tuple[str, ...] = ("{{",)


def find_variables(text: str, variables: Variables) -> Iterator[Directive]:
    """Yield what stands for a text of the configuration or of the page's own metadata."""
    for tag in template_tags(text, *variables.marks):
        if is_name(name := variables.name_of(tag.inside)):
            source, value = text[tag.start : tag.end], variables.values.get(name)
            warning = "" if value is not None else f"`{source}` has no value in the configuration or the metadata"
            shown = source if value is None else value
            yield Directive(
                tag.start, tag.end, "", (), whole, text=shown, warning=warning, rule="unresolved-variable"
            )


def blanks_before(text: str, start: int) -> str:
    """Return the blanks that a line begins with, if nothing else stands before `start` in it."""
    before = text[text.rfind("\n", 0, start) + 1 : start]
    return before if not before.strip() else ""
