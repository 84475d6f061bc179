"""Find the includes of a page, in the syntax of each site generator."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

from ingestion.source.generators.mkdocs.config import facts_of
from ingestion.source.includes import selection as parts
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
    `indent` stands before each line after the first. `fence` is the language of a code fence to put around it.
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


Finder = Callable[[str, Path, PageFolders], Iterator[Directive]]
"""From a text, the file it stands in, and the folders of the page to the includes, in order."""

_MDBOOK = re.compile(
    r"\{\{(?<!\\\{\{)\s{0,9}#(?P<kind>include|rustdoc_include|playground|playpen)[ \t]++(?P<target>[^{}\n]++)\}\}"
)
_SNIPPET = re.compile(
    r"^(?P<indent>[ \t]*)-+8<-+(?:[ \t]+(?P<quote>[\"'])(?P<target>[^\n]+)(?P=quote)[ \t]*+|[ \t]*+)$", re.M
)
_SHORTCODE = re.compile(
    r"\{\{(?P<mark>[<%])\s*(?P<name>include|readfile)\s(?P<arguments>[^\n{}]{1,1000}?)/?[>%]\}\}", re.I
)
_VITEPRESS = re.compile(r"<!--\s{0,9}@include:[ \t]*+(?P<target>[^\n<>]*?[^\s<>])[ \t]*-->")
_VITEPRESS_CODE = re.compile(
    r"^(?P<indent>[ \t]*)<<<[ \t]*+(?P<target>[^\s{\[][^\n{\[]*+)(?:\{(?P<meta>[^\n{}]*+)\})?[^\n]*$", re.M
)
_LIQUID = re.compile(
    r"\{%-?[ \t]*include(?P<relative>_relative)?[ \t]+(?P<target>[^\s%{}]+)(?P<parameters>[^%]{0,2000})%\}"
)
_LIQUID_PARAMETER = re.compile(r"(?P<key>[\w-]+)\s*=\s*(?:\"(?P<double>[^\"]*)\"|'(?P<single>[^']*)')")
_LIQUID_VALUE = re.compile(r"\{\{-?\s*include\.(?P<key>[\w-]+)[^{}\n]*\}\}")
_ARGUMENT = re.compile(r"(?:(?P<key>[\w-]+)=)?(?:\"(?P<double>[^\"]*)\"|`(?P<raw>[^`]*)`|(?P<bare>[^\s\"`=]+))")


def whole(text: str, selection: str) -> str:
    """Return all of a file, without the line end after its last line."""
    return text.removesuffix("\n")


def find_mdbook(text: str, file: Path, folders: PageFolders) -> Iterator[Directive]:
    """Yield `{{#include file:anchor}}` and its like; paths begin at the file that includes."""
    for found in _MDBOOK.finditer(text):
        target = found["target"].strip()[: parts.MAX_TARGET]
        is_listing = found["kind"].startswith("play")
        path, selection = (target.split()[0], "") if is_listing else parts.split_mdbook(target)
        yield Directive(
            found.start(),
            found.end(),
            target,
            (file.parent / path,),
            parts.select_mdbook,
            selection,
            fence="rust" if is_listing else None,
        )


def find_snippets(text: str, file: Path, folders: PageFolders) -> Iterator[Directive]:
    """Yield `--8<-- "file"`, and each file named between two lines of `--8<--`."""
    bases = (
        [folders.base / base for base in facts_of(folders.site).snippets]
        if folders.site
        else [folders.docs, folders.docs.parent]
    )
    if "8<-" not in text:
        return
    opened: re.Match[str] | None = None
    for found in _SNIPPET.finditer(text):
        if found["target"]:
            if opened is None:
                yield _snippet(found["target"], (found.start(), found.end()), found["indent"], bases)
        elif opened is None:
            opened = found
        else:
            yield from _snippet_block(text, opened, found, bases)
            opened = None


def _snippet_block(text: str, opened: re.Match[str], closed: re.Match[str], bases: list[Path]) -> Iterator[Directive]:
    """Yield the files between two marks; the marks' own lines go with the first and the last."""
    names: list[tuple[int, int, str]] = []
    at = opened.end() + 1
    for line in text[at : max(closed.start() - 1, at)].split("\n"):
        if (name := line.strip()) and not name.startswith(";"):
            names.append((at, at + len(line), name))
        at += len(line) + 1
    for number, (start, end, name) in enumerate(names):
        start = opened.start() if number == 0 else start
        end = closed.end() if number + 1 == len(names) else end
        yield _snippet(name.strip("\"'"), (start, end), opened["indent"], bases)


def _snippet(target: str, span: tuple[int, int], indent: str, bases: list[Path]) -> Directive:
    path, selection = parts.split_snippet(target[: parts.MAX_TARGET])
    places = () if "://" in path else tuple(base / path for base in bases)
    return Directive(*span, target, places, parts.select_snippet, selection, indent=indent)


def find_shortcodes(text: str, file: Path, folders: PageFolders) -> Iterator[Directive]:
    """Yield Hugo's `readfile` and `include`, which themes define: a path from the page, its folders or the site."""
    for found in _SHORTCODE.finditer(text):
        values: dict[str, str] = {}
        for number, argument in enumerate(_ARGUMENT.finditer(found["arguments"])):
            value = argument["double"] or argument["raw"] or argument["bare"] or ""
            values.setdefault(argument["key"] or str(number), value)
        path = values.get("file") or values.get("path") or values.get("0")
        if path:
            fence = values.get("lang", "") if values.get("code") == "true" else None
            places = _hugo_places(path, folders)
            yield Directive(found.start(), found.end(), path, places, whole, fence=fence)


def _hugo_places(path: str, folders: PageFolders) -> tuple[Path, ...]:
    if path.startswith("/"):
        return (folders.docs / path[1:], folders.base / path[1:])
    page = folders.page.parent
    inside = [folder for folder in (page, *page.parents) if folder.is_relative_to(folders.docs)]
    shared = [folder / name / path for folder in inside for name in ("_includes", "includes")]
    return (page / path, *shared, folders.docs / path, folders.base / path)


def find_vitepress(text: str, file: Path, folders: PageFolders) -> Iterator[Directive]:
    """Yield `<!--@include: file.md{2,9}-->` and `<<< file.js#region`; `@/` is the folder of the pages."""
    for found in _VITEPRESS.finditer(text):
        path, selection = parts.split_vitepress(found["target"][: parts.MAX_TARGET])
        yield Directive(
            *found.span(),
            found["target"],
            (_vitepress_place(path, file, folders),),
            parts.select_vitepress,
            selection,
        )
    for found in _VITEPRESS_CODE.finditer(text) if "<<<" in text else ():
        path, _, region = found["target"].strip()[: parts.MAX_TARGET].partition("#")
        named = re.search(r"[A-Za-z][\w+-]*", found["meta"] or "")
        yield Directive(
            *found.span(),
            found["target"].strip(),
            (_vitepress_place(path, file, folders),),
            parts.select_vitepress,
            region and f"#{region}",
            indent=found["indent"],
            fence=named[0] if named else path.rpartition(".")[2],
        )


def _vitepress_place(path: str, file: Path, folders: PageFolders) -> Path:
    return folders.docs / path[1:].lstrip("/") if path.startswith("@") else file.parent / path


def find_liquid(text: str, file: Path, folders: PageFolders) -> Iterator[Directive]:
    """Yield Jekyll's `{% include file %}`, of the folder `_includes`, and `{% include_relative file %}`."""
    for found in _LIQUID.finditer(text):
        target = found["target"][: parts.MAX_TARGET]
        folder = folders.page.parent if found["relative"] else folders.base / "_includes"
        given = _LIQUID_PARAMETER.finditer(found["parameters"])
        parameters = {each["key"]: each["double"] or each["single"] or "" for each in given}
        yield Directive(*found.span(), target, (folder / target,), partial(_with_parameters, parameters=parameters))


def _with_parameters(text: str, selection: str, *, parameters: Mapping[str, str]) -> str:
    """Return a file with the texts that its include passes where it shows them (`{{ include.title }}`)."""
    shown = _LIQUID_VALUE.sub(lambda found: parameters.get(found["key"], ""), text)
    return whole(shown, selection)
