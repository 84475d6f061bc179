"""The syntax that MkDocs reads pages by, and the includes of a page."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

from ingestion.markdown.attributes import attributes
from ingestion.markdown.fences import are_code
from ingestion.markdown.syntax import INLINE, NONE, Syntax
from ingestion.source.generators.mkdocs.config import facts_of
from ingestion.source.generators.protocol import PageFacts
from ingestion.source.includes.directives import MAX_TARGET, Directive, PageFolders, Variables, blanks_before, whole
from ingestion.source.includes.files import CannotInclude
from ingestion.source.includes.selection import lines_of, region
from ingestion.source.includes.template_tags import template_tags
from ingestion.source.site import Site
from ingestion.source.site_reading.documents import texts_below, values_of

SYNTAX = Syntax(
    name="mkdocs",
    comments=NONE,
    containers=frozenset(("indented", "slashes")),
    inline=INLINE - {"wiki"},
    raw_html=True,
)

_SNIPPET = re.compile(
    r"^(?P<indent>[ \t]*)-+8<-+(?:[ \t]+(?P<quote>[\"'])(?P<target>[^\n]+)(?P=quote)[ \t]*+|[ \t]*+)$", re.M
)
_SNIPPET_MARK = re.compile(
    r"(?<![;-])-+8<-+[ \t]+\[[ \t]*(?:start|(?P<end>end))[ \t]*:[ \t]*(?P<name>[\w-]+)[ \t]*\]", re.I
)
_RANGES = re.compile(r":(?P<ranges>-?\d*(?::-?\d*)?(?:,-?\d*(?::-?\d*)?)*)$")
_SECTION = re.compile(r":(?P<name>[A-Za-z][\w-]*)$")
_NOT_IN_TARGET = frozenset("{}\n")


def variables_of(page: PageFacts, site: Site | None) -> Variables | None:
    """Return what the plug-in `macros` shows as `{{ name }}`: texts of the page, else of `extra`; None without it."""
    texts = facts_of(site).texts
    own = texts_below(values_of(page.values))
    of_page = (*own, *((f"page.meta.{name}", text) for name, text in own))
    return None if texts is None else Variables(_name_of, dict((*texts, *of_page)))


def _name_of(inside: str) -> str:
    return inside if inside.replace(".", "").isidentifier() else ""


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
    path, selection = split_snippet(target[:MAX_TARGET])
    places = () if "://" in path else tuple(base / path for base in bases)
    return Directive(*span, target, places, select_snippet, selection, indent=indent)


def split_snippet(target: str) -> tuple[str, str]:
    """Return the path and the selection of `file.md:section`, `file.md:1:3,7:9`."""
    found = _RANGES.search(target) or _SECTION.search(target)
    return (target[: found.start()], target[found.start() + 1 :]) if found and found.start() else (target, "")


def select_snippet(text: str, selection: str) -> str:
    """Return the lines that pymdownx.snippets shows, without its marks; raises CannotInclude where there are none."""
    lines = lines_of(text)
    if selection[:1].isalpha():
        lines = region(lines, _SNIPPET_MARK, selection, "section")
    elif selection:
        chosen = [line for part in selection.split(",") for line in lines[_range(part, len(lines))]]
        if not chosen:
            raise CannotInclude(f"has no lines {selection}")
        lines = chosen
    return "\n".join(line for line in lines if not _SNIPPET_MARK.search(line))


def _range(written: str, count: int) -> slice:
    first, _, last = written.partition(":")
    start, stop = (int(end) if end.strip("-") else None for end in (first, last))
    begin = 0 if start is None else start - 1 if start > 0 else count + start if start < 0 else 0
    end = count if stop is None else stop if stop >= 0 else count + stop + 1
    return slice(max(begin, 0), max(end, 0))


def find_included(text: str, file: Path, folders: PageFolders) -> Iterator[Directive]:
    """Yield `{% include-markdown "file" %}` and `{% include "file" %}` of a plug-in."""
    for tag in template_tags(text, "{%"):
        kind, rest = tag.words
        target, options = _file_and_options(rest) if kind in ("include", "include-markdown") else ("", {})
        if not target:
            continue
        bases = (file.parent,) if target.startswith(".") else (folders.docs, file.parent)
        places = () if "://" in target else tuple(base / target for base in bases)
        indent = blanks_before(text, tag.start)
        select = partial(_cut, options=options)
        yield Directive(tag.start - len(indent), tag.end, target, places, select, indent=indent)


def _file_and_options(written: str) -> tuple[str, Mapping[str, str]]:
    """Return the path that an include names first ("" for none), and its options."""
    (named, path, *_), *others = (*attributes(written),) or (("", ""),)
    target = path[:MAX_TARGET] if path and not named else ""
    return target, {name: value or "" for name, value, *_ in others}


def find_braced(text: str, file: Path, folders: PageFolders) -> Iterator[Directive]:
    """Yield `{! file !}` of an extension; what stands behind a second `!` chooses lines."""
    for tag in template_tags(text, "{!"):
        target = tag.inside.partition("!")[0].strip()
        if target and _NOT_IN_TARGET.isdisjoint(target):
            yield Directive(tag.start, tag.end, target, (folders.base / target, folders.docs / target), whole)


def _cut(text: str, selection: str, *, options: Mapping[str, str]) -> str:
    """Return the part of a file between the marks `start` and `end`, its headings deeper by `heading-offset`."""
    if (start := options.get("start")) and start in text:
        text = text.split(start, 1)[1]
    if (end := options.get("end")) and end in text:
        text = text.split(end, 1)[0]
    offset = options.get("heading-offset", "")
    return whole(_deeper(text, int(offset)) if offset.removeprefix("-").isdecimal() else text, selection)


def _deeper(text: str, offset: int) -> str:
    lines = text.split("\n")
    return "\n".join(
        line if code or not line.startswith("#") else _heading(line, offset)
        for line, code in zip(lines, are_code(lines), strict=True)
    )


def _heading(line: str, offset: int) -> str:
    words = line.lstrip("#")
    level = len(line) - len(words)
    return "#" * min(max(level + offset, 1), 6) + words if level <= 6 and words[:1] in (" ", "\t") else line


FINDERS = (find_snippets, find_included, find_braced)
