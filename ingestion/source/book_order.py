"""The order and titles that a book writes beside its pages: SUMMARY.md, `_category_` files.

They fill in what paths do not tell; a number in a path always wins.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote

from ingestion.source.site_reading.documents import read_mapping, read_text

SUMMARY = "SUMMARY.md"
CATEGORY_FILES = ("_category_.json", "_category_.yml", "_category_.yaml")
MAX_LEVELS = 50

_LINK = r"\[(?P<title>(?:\\.|[^\]\\]|\](?!\())*)\]\((?P<target><[^>\n]*>|[^)\n]*)\)"
_ITEM = re.compile(rf"(?P<indent>[ \t]*)(?P<bullet>[-*+]|\d+[.)])[ \t]+{_LINK}")
_PAGE = re.compile(rf"[ \t]*{_LINK}[ \t]*$")


@dataclass(frozen=True, slots=True)
class Entry:
    """What the book's own contents say of a page; None where they say nothing.

    `folders` are the positions of the folders that hold the page, the outermost first, and `folder_titles` their
    titles. `chapter_title` is what stands above the page in the contents, the outermost first.
    """

    chapter: int | None = None
    lesson: int | None = None
    title: str | None = None
    folders: tuple[int | None, ...] = ()
    folder_titles: tuple[str | None, ...] = ()
    chapter_title: str | None = None


def chapter_of(titles: Iterable[str | None]) -> str | None:
    """Return the titles above a page as one, None where there is none."""
    return " › ".join(filter(None, titles)) or None


@dataclass(frozen=True, slots=True)
class BookOrder:
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
        if not self.entries and not self.folders:
            return None
        found = self.entries.get(path)
        parts = path.split("/")[:-1]
        positions = [self.folders.get("/".join(parts[: end + 1]), (None, None)) for end in range(len(parts))]
        if found is None and not any(number is not None or title for number, title in positions):
            return None
        numbers, titles = zip(*positions, strict=True) if positions else ((), ())
        return replace(found or Entry(), folders=numbers, folder_titles=titles)

    def with_titles(self, titles: Mapping[str, str]) -> BookOrder:
        """Return the order with titles of folders where it has none itself."""
        return replace(self, folders={**{folder: (None, title) for folder, title in titles.items()}, **self.folders})


def folders_of(paths: Iterable[str]) -> set[str]:
    """Return the folders that hold a page, those that hold them included."""
    folders: set[str] = set()
    for path in paths:
        folder = path.rpartition("/")[0]
        while folder and folder not in folders:
            folders.add(folder)
            folder = folder.rpartition("/")[0]
    return folders


def read_summary(summary: Path, root: Path, paths: Collection[str], *, complete: bool = False) -> BookOrder:
    """Return the order of a SUMMARY.md, none where it is about other files than `paths`.

    Where it is `complete`, a page outside of it is not on the site. Raises ConfigurationError for an unreadable one.
    """
    prefix = summary.parent.resolve().relative_to(root.resolve()).as_posix() if summary.parent != root else "."
    entries: dict[str, Entry] = {}
    for target, entry in summary_entries(read_text(summary)):
        path = (PurePosixPath(prefix) / unquote(target)).as_posix()
        entries.setdefault(normalised(path), entry)
    if not complete and not entries.keys() & set(paths):
        return BookOrder()
    own = (PurePosixPath(prefix) / SUMMARY).as_posix()
    return BookOrder(entries=entries, files=frozenset([own]), complete=complete)


def summary_entries(text: str) -> Iterator[tuple[str, Entry]]:
    """Yield the pages of a SUMMARY.md in order, numbered as mdBook does: chapter 3, and 2 for its second section.

    Pages before the first chapter are chapter 0. Sections below sections share the number of theirs.
    """
    levels: list[int] = []
    titles: list[str | None] = []
    chapter = section = before = 0
    listed = False
    for line in text.split("\n"):
        if item := _ITEM.match(line):
            listed = True
            levels = _entered(levels, len(item["indent"].expandtabs(4)))
            if len(levels) == 1:
                chapter, section = chapter + 1, 0
            elif len(levels) == 2:
                section += 1
            title = _words(item["title"])
            titles = [*titles[: len(levels) - 1], title]
            entry = Entry(chapter, section, title, chapter_title=chapter_of(titles[:-1]))
        elif page := _PAGE.match(line):
            item, levels = page, []
            entry = Entry(None if listed else 0, None if listed else before, _words(page["title"]))
            before += 1
        else:
            continue
        target = item["target"].strip().strip("<>").split("#")[0]
        if target and ":" not in target:
            yield target, entry


def _entered(levels: list[int], indent: int) -> list[int]:
    """Return the indents of the lists that are open at an item with this one."""
    outer = [level for level in levels if level < indent]
    return [*(outer[: MAX_LEVELS - 1] if indent not in levels else outer), indent]


def read_categories(root: Path, outside: Path, paths: Iterable[str]) -> BookOrder:
    """Return the positions and titles of folders that `_category_` files in them give.

    Folders that do not lie below the root lie below `outside`. Raises ConfigurationError as `read_summary` does.
    """
    return BookOrder(folders=dict(_categories(root, outside, folders_of(paths))))


def _categories(
    root: Path, outside: Path, folders: Iterable[str]
) -> Iterator[tuple[str, tuple[int | None, str | None]]]:
    for folder in sorted(folders):
        base = os.path.join(root, folder)
        if not os.path.isdir(base):
            base = os.path.join(outside, folder)
        for name in CATEGORY_FILES:
            file = os.path.join(base, name)
            if os.path.isfile(file) and not os.path.islink(file):
                yield folder, _category(read_mapping(Path(file)))
                break


def _category(value: Mapping[str, Any]) -> tuple[int | None, str | None]:
    label = value.get("label")
    return position(value.get("position")), label if isinstance(label, str) else None


def position(value: Any) -> int | None:
    """Return a position as a number, None where it is none or no whole one."""
    match = re.fullmatch(r"(\d{1,9})(?:\.0+)?", str(value).strip())
    return int(match[1]) if match else None


def _words(title: str) -> str | None:
    from ingestion.markdown.inline import plain_words

    return plain_words(title) or None


def normalised(path: str) -> str:
    """Return a path without `.`, `..` and empty parts."""
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            del parts[-1:]
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)
