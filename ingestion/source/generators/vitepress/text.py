"""The syntax that VitePress reads pages by, and the includes of a page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

from ingestion.markdown.syntax import COLONS, NONE, Syntax
from ingestion.source.generators.protocol import PageFacts
from ingestion.source.includes.directives import MAX_TARGET, Directive, PageFolders, Variables
from ingestion.source.includes.selection import lines_of, region
from ingestion.source.site import Site
from ingestion.source.site_reading.documents import texts_below, values_of

SYNTAX = Syntax(
    name="vitepress",
    comments=NONE,
    containers=COLONS,
    inline=frozenset(("attributes", "icons")),
    shows_templates=True,
)

_VITEPRESS = re.compile(r"<!--\s{0,9}@include:[ \t]*+(?P<target>[^\n<>]*?[^\s<>])[ \t]*-->")
_VITEPRESS_CODE = re.compile(
    r"^(?P<indent>[ \t]*)<<<[ \t]*+(?P<target>[^\s{\[][^\n{\[]*+)(?:\{(?P<meta>[^\n{}]*+)\})?[^\n]*$", re.M
)
_VITEPRESS_PARTS = re.compile(r"(?P<path>[^#{]+)(?P<region>#[^\s{]+)?(?P<lines>\{\d*,\d*\})?")
_REGION_MARK = re.compile(
    r"^[ \t]*(?:#|//|/\*|<!--|::)[ \t]*#?(?:pragma[ \t]+)?(?P<end>end ?)?region[ \t]+(?P<name>[\w*-]+)", re.I
)


def variables_of(page: PageFacts, site: Site | None) -> Variables:
    """Return the texts that a page shows of its own metadata."""
    return Variables(_name_of, dict(texts_below(values_of(page.values))))


def _name_of(inside: str) -> str:
    before, _, name = inside.partition("$frontmatter.")
    return "" if before else name


def find_vitepress(text: str, file: Path, folders: PageFolders) -> Iterator[Directive]:
    """Yield `<!--@include: file.md{2,9}-->` and `<<< file.js#region`; `@/` is the folder of the pages."""
    for found in _VITEPRESS.finditer(text):
        path, selection = split_vitepress(found["target"][:MAX_TARGET])
        yield Directive(
            *found.span(),
            found["target"],
            (_vitepress_place(path, file, folders),),
            select_vitepress,
            selection,
        )
    for found in _VITEPRESS_CODE.finditer(text) if "<<<" in text else ():
        path, _, part = found["target"].strip()[:MAX_TARGET].partition("#")
        named = re.search(r"[A-Za-z][\w+-]*", found["meta"] or "")
        yield Directive(
            *found.span(),
            found["target"].strip(),
            (_vitepress_place(path, file, folders),),
            select_vitepress,
            part and f"#{part}",
            indent=found["indent"],
            fence=named[0] if named else path.rpartition(".")[2],
        )


def _vitepress_place(path: str, file: Path, folders: PageFolders) -> Path:
    return folders.docs / path[1:].lstrip("/") if path.startswith("@") else file.parent / path


def split_vitepress(target: str) -> tuple[str, str]:
    """Return the path and the selection of `file.md#region{2,9}`."""
    found = _VITEPRESS_PARTS.fullmatch(target)
    return (found["path"], target[found.end("path") :]) if found else (target, "")


def select_vitepress(text: str, selection: str) -> str:
    """Return the lines that VitePress shows: of a region, then by number; raises CannotInclude without the region."""
    named, brace, numbers = selection.partition("{")
    lines = lines_of(text)
    if named:
        inside = region(lines, _REGION_MARK, named[1:], "region", ends=True)
        lines = dedent("\n".join(inside)).split("\n")
    if brace:
        first, _, last = numbers.rstrip("}").partition(",")
        lines = lines[max(int(first or 1) - 1, 0) : int(last) if last else None]
    return "\n".join(lines)


FINDERS = (find_vitepress,)
