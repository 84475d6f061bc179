"""The order and titles that a book writes beside its pages: SUMMARY.md, the nav of mkdocs.yml, `_category_` files.

They fill in what paths do not tell; a number in a path always wins.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote

from ingestion.book_files import read_book_text
from ingestion.errors import ConfigurationError
from ingestion.own_files import explain
from ingestion.source.plain_yaml import YamlProblem, read_yaml
from ingestion.source.site import Site

SUMMARY = "SUMMARY.md"
CATEGORY_FILES = ("_category_.json", "_category_.yml", "_category_.yaml")
MAX_LEVELS = 50

_LINK = r"\[(?P<title>(?:\\.|[^\]\\]|\][^(])*)\]\((?P<target><[^>\n]*>|[^)\n]*)\)"
_ITEM = re.compile(rf"(?P<indent>[ \t]*)(?P<bullet>[-*+]|\d+[.)])[ \t]+{_LINK}")
_PAGE = re.compile(rf"[ \t]*{_LINK}[ \t]*$")
_OVERVIEW = re.compile(r"(?:readme|index|_index)\.[a-z]+$", re.I)


@dataclass(frozen=True, slots=True)
class Entry:
    """What the book's own contents say of a page; None where they say nothing.

    `folders` are the positions of the folders that hold the page, the outermost first, and `folder_title` is the
    title of the innermost.
    """

    chapter: int | None = None
    lesson: int | None = None
    title: str | None = None
    folders: tuple[int | None, ...] = ()
    folder_title: str | None = None


@dataclass(frozen=True, slots=True)
class Navigation:
    """The contents of a book: entries by path, and the position and title of folders.

    `files` are those that hold the contents and are no lessons. `complete` tells that a page outside of the contents
    is not on the site.
    """

    entries: Mapping[str, Entry] = field(default_factory=dict)
    folders: Mapping[str, tuple[int | None, str | None]] = field(default_factory=dict)
    files: frozenset[str] = frozenset()
    complete: bool = False

    def entry(self, path: str) -> Entry | None:
        """Return what the contents say of a page, or None."""
        found = self.entries.get(path)
        parts = path.split("/")[:-1]
        positions = [self.folders.get("/".join(parts[: end + 1]), (None, None)) for end in range(len(parts))]
        if found is None and not any(number is not None or title for number, title in positions):
            return None
        numbers = tuple(number for number, _ in positions)
        title = positions[-1][1] if positions else None
        known = found or Entry()
        return Entry(known.chapter, known.lesson, known.title, numbers, title)


def read_navigation(root: Path, site: Site | None, paths: Iterable[str]) -> Navigation:
    """Read the contents of the book at `root`; raises ConfigurationError where they are there and cannot be read.

    `paths` are the pages that the crawl found.
    """
    if site and site.generator == "mkdocs":
        return _from_mkdocs(site, root)
    summary = root / SUMMARY
    if site and site.generator == "mdbook":
        summary = site.docs_folder / SUMMARY
    if summary.is_file() and not summary.is_symlink():
        return _from_summary(summary, root, set(paths), complete=site is not None and site.generator == "mdbook")
    return Navigation(folders=dict(_categories(root, site, _folders_of(paths))))


def _folders_of(paths: Iterable[str]) -> set[str]:
    """Return the folders that hold a page, those that hold them included."""
    folders: set[str] = set()
    for path in paths:
        folder = path.rpartition("/")[0]
        while folder and folder not in folders:
            folders.add(folder)
            folder = folder.rpartition("/")[0]
    return folders


def _from_summary(summary: Path, root: Path, paths: set[str], *, complete: bool) -> Navigation:
    prefix = summary.parent.resolve().relative_to(root.resolve()).as_posix() if summary.parent != root else "."
    entries: dict[str, Entry] = {}
    for target, entry in summary_entries(_read(summary)):
        path = (PurePosixPath(prefix) / unquote(target)).as_posix()
        entries.setdefault(_normalised(path), entry)
    if not complete and not entries.keys() & paths:
        return Navigation()
    own = (PurePosixPath(prefix) / SUMMARY).as_posix()
    return Navigation(entries=entries, files=frozenset([own]), complete=complete)


def summary_entries(text: str) -> Iterator[tuple[str, Entry]]:
    """Yield the pages of a SUMMARY.md in order, numbered as mdBook does: chapter 3, and 2 for its second section.

    Pages before the first chapter are chapter 0. Sections below sections share the number of theirs.
    """
    levels: list[int] = []
    chapter = section = before = 0
    listed = False
    for line in text.split("\n"):
        if item := _ITEM.match(line):
            listed = True
            indent = len(item["indent"].expandtabs(4))
            while levels and levels[-1] > indent:
                levels.pop()
            if not levels or levels[-1] < indent:
                levels = [*levels[: MAX_LEVELS - 1], indent]
            if len(levels) == 1:
                chapter, section = chapter + 1, 0
            elif len(levels) == 2:
                section += 1
            entry = Entry(chapter, section, _words(item["title"]))
        elif page := _PAGE.match(line):
            item, levels = page, []
            entry = Entry(None if listed else 0, None if listed else before, _words(page["title"]))
            before += 1
        else:
            continue
        target = item["target"].strip().strip("<>").split("#")[0]
        if target and ":" not in target:
            yield target, entry


def _from_mkdocs(site: Site, root: Path) -> Navigation:
    try:
        document = read_yaml(_read(site.config)).value
    except YamlProblem as error:
        raise ConfigurationError(f"{site.config}:{error.line}: cannot be read: {error.reason}") from error
    nav = document.get("nav") if isinstance(document, dict) else None
    docs, root = site.docs_folder.resolve(), root.resolve()
    prefix = docs.relative_to(root).as_posix() if docs.is_relative_to(root) else "."
    entries: dict[str, Entry] = {}
    for target, entry in nav_entries(nav if isinstance(nav, list) else []):
        entries.setdefault(_normalised((PurePosixPath(prefix) / target).as_posix()), entry)
    return Navigation(entries=entries)


def nav_entries(nav: list[Any]) -> Iterator[tuple[str, Entry]]:
    """Yield the pages of a MkDocs nav in order: its sections are chapters, and what stands before them is chapter
    0.
    """
    titled = [_titled(item) for item in nav]
    has_sections = any(isinstance(target, list) for _, target in titled)
    chapter = lesson = 0
    for title, target in titled:
        if isinstance(target, list):
            chapter, lesson = chapter + 1, 0
            for number, (inner_title, path) in enumerate(_pages(target), 1):
                is_overview = number == 1 and _OVERVIEW.search(path) is not None
                lesson = 0 if is_overview else lesson + 1
                yield path, Entry(chapter, lesson, inner_title)
        elif isinstance(target, str) and ":" not in target:
            lesson = lesson if _OVERVIEW.search(target) else lesson + 1
            yield target, Entry(chapter if has_sections else None, lesson, title)


def _pages(items: list[Any], depth: int = 0) -> Iterator[tuple[str | None, str]]:
    for title, target in map(_titled, items):
        if isinstance(target, list) and depth < MAX_LEVELS:
            yield from _pages(target, depth + 1)
        elif isinstance(target, str) and ":" not in target:
            yield title, target


def _titled(item: Any) -> tuple[str | None, Any]:
    if isinstance(item, dict) and len(item) == 1:
        title, target = next(iter(item.items()))
        return title, target
    return None, item


def _categories(
    root: Path, site: Site | None, folders: Iterable[str]
) -> Iterator[tuple[str, tuple[int | None, str | None]]]:
    for folder in sorted(folders):
        base = root if site is None or (root / folder).is_dir() else site.folder
        for name in CATEGORY_FILES:
            file = base / folder / name
            if file.is_file() and not file.is_symlink():
                yield folder, _category(file)
                break


def _category(file: Path) -> tuple[int | None, str | None]:
    text = _read(file)
    try:
        value = json.loads(text) if file.suffix == ".json" else read_yaml(text).value
    except YamlProblem as error:
        raise ConfigurationError(f"{file}:{error.line}: cannot be read: {error.reason}") from error
    except (ValueError, RecursionError) as error:
        raise ConfigurationError(f"{file}: cannot be read: {explain(error)}") from error
    if not isinstance(value, dict):
        return None, None
    label = value.get("label")
    return position(value.get("position")), label if isinstance(label, str) else None


def position(value: Any) -> int | None:
    """Return a position as a number, None where it is none or no whole one."""
    match = re.fullmatch(r"(\d{1,9})(?:\.0+)?", str(value).strip())
    return int(match[1]) if match else None


def _read(file: Path) -> str:
    try:
        return read_book_text(file)
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{file}: cannot be read: {explain(error)}") from error


def _words(title: str) -> str | None:
    from ingestion.markdown.inline import plain_words

    return plain_words(title) or None


def _normalised(path: str) -> str:
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            del parts[-1:]
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)
