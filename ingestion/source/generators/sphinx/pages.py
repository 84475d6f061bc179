"""What Sphinx makes of its files: the order of toctrees and `_toc.yml`, and files without a page."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from posixpath import join, normpath
from typing import Any

from ingestion.book_files import read_book_text
from ingestion.settings.path_patterns import PathPattern, compile_glob
from ingestion.source.book_order import MAX_LEVELS, BookOrder, Entry, chapter_of
from ingestion.source.generators.sphinx.config import facts_of
from ingestion.source.site import Site
from ingestion.source.site_reading.documents import is_own_file, read_mapping
from ingestion.source.site_reading.values import items, mapping

_TOCTREE = re.compile(
    r"^(?P<indent>[ \t]*)(?:(?P<fence>`{3,}|:{3,})\{(?:toctree|tableofcontents)\}|\.\.[ \t]+toctree::)[^\n]*\n"
    r"(?P<inside>(?:(?!(?P=indent)(?(fence)(?P=fence)|\S))[^\n]*\n)*)",
    re.M,
)
"""A list of pages, in Markdown or in reStructuredText: up to the fence, or to the first line that is not deeper."""

_ENDINGS = (".md", ".rst", ".ipynb", ".txt")


def order(site: Site, root: Path, paths: Collection[str]) -> BookOrder:
    """Return the place of each page: chapters are the entries of the first list, lessons those of lists below."""
    facts = facts_of(site)
    known = {_without_ending(own): path for path in paths if (own := site.in_docs(path))}
    document = read_mapping(site.config) if facts.contents else {}
    listed = _of_contents(document) if document else _of_toctrees(site, facts.root_doc, known)
    entries: dict[str, Entry] = {}
    titles: list[str | None] = []
    chapter = lesson = 0
    for depth, title, name in listed:
        chapter, lesson = (chapter + 1, 0) if depth == 1 else (chapter, lesson + 1) if depth else (0, 0)
        titles = [*titles[: max(depth - 1, 0)], title]
        if (path := known.get(name)) is not None:
            entries.setdefault(path, Entry(chapter, lesson, title, chapter_title=chapter_of(titles[:-1])))
    return BookOrder(entries=entries)


Listed = Iterator[tuple[int, str | None, str]]
"""The depth of a page in the contents (0 for the first page, 1 for chapters), its title there, and its name."""


def _of_contents(document: Mapping[str, Any]) -> Listed:
    """The pages of a `_toc.yml`, in both of its forms: with parts, or with chapters alone."""
    yield 0, None, _without_ending(str(document.get("root") or "index"))
    parts = document.get("parts") or document.get("subtrees") or [document]
    for part in items(parts):
        yield from _below(part, 1)


def _below(item: Any, depth: int) -> Listed:
    for key in ("chapters", "sections", "entries"):
        for each in items(mapping(item).get(key)):
            if isinstance(each, Mapping) and "file" in each:
                title = each.get("title")
                yield depth, str(title) if title else None, normpath(_without_ending(str(each["file"])))
            if depth < MAX_LEVELS:
                yield from _below(each, depth + 1)


def _of_toctrees(site: Site, first: str, known: Mapping[str, str]) -> Listed:
    """The pages that toctrees name, each once, beginning at the site's first page."""
    seen = {first}
    yield 0, None, first
    waiting = [(1, entry) for entry in _entries(site, first, known)][::-1]
    while waiting:
        depth, (title, name) = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        yield depth, title, name
        if depth < MAX_LEVELS:
            waiting += [(depth + 1, entry) for entry in _entries(site, name, known)][::-1]


def _entries(site: Site, name: str, known: Mapping[str, str]) -> Iterator[tuple[str | None, str]]:
    """The titles and names of the pages that the toctrees of a page list."""
    text = _text_of(site, name)
    folder = name.rpartition("/")[0]
    for block in _TOCTREE.finditer(text) if "toctree" in text else ():
        for line in block["inside"].split("\n"):
            written = line.strip()
            if not written or written.startswith((":", "---", "#")) or "://" in written:
                continue
            title, target = _titled(written)
            path = normpath(_without_ending(join(f"/{folder}", target)).lstrip("/"))
            if "*" in path:
                yield from ((None, each) for each in sorted(known) if fnmatchcase(each, path))
            else:
                yield title, path


def _titled(written: str) -> tuple[str | None, str]:
    """Return the title and the target of an entry, which is a name or `Title <name>`."""
    title, _, target = written.rpartition("<")
    is_titled = title.rstrip() not in ("", title) and target.endswith(">")
    return (title.rstrip(), target[:-1]) if is_titled else (None, written)


def _text_of(site: Site, name: str) -> str:
    """The text of a page of the site; "" where it cannot be read."""
    for ending in (".md", ".rst"):
        file = site.docs_folder / f"{name}{ending}"
        if is_own_file(file) and file.resolve().is_relative_to(site.folder.resolve()):
            try:
                return read_book_text(file)
            except (OSError, ValueError):
                return ""
    return ""


def _without_ending(name: str) -> str:
    return next((name.removesuffix(ending) for ending in _ENDINGS if name.endswith(ending)), name)


def without_page(site: Site, paths: Sequence[str]) -> Mapping[str, str]:
    """Return the files that `exclude_patterns` names, or whose folder it names, and those outside of `_toc.yml`."""
    facts = facts_of(site)
    inside: set[str] | None = None
    if facts.only_contents:
        inside = {name for _, _, name in _of_contents(read_mapping(site.config))}
    found = {}
    for path in paths:
        placed = site.in_docs(path)
        if placed and _is_excluded(placed, facts.excluded):
            found[path] = f"excluded in {site.config.name}"
        elif placed and inside is not None and _without_ending(placed) not in inside:
            found[path] = f"not in {site.config.name}, so the site has no page for it"
    return found


def _is_excluded(placed: str, patterns: Sequence[str]) -> bool:
    parts = placed.split("/")
    names = ["/".join(parts[:end]) for end in range(1, len(parts) + 1)]
    return any(_pattern(pattern).match(name) is not None for pattern in patterns for name in names)


@cache
def _pattern(pattern: str) -> PathPattern:
    return compile_glob(pattern.strip("/"))
