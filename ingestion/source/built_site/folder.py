"""The folder of a built site: its pages by the addresses at which a server shows them.

The folder is a stranger's like the book: links are not followed, and numbers, sizes and depths are bounded.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol
from unicodedata import normalize
from urllib.parse import unquote

from ingestion.book_files import read_book_file
from ingestion.errors import ConfigurationError
from ingestion.own_files import explain
from ingestion.source.built_site.page import BuiltHeading, BuiltPage, read_page

MAX_PAGES = 100_000
MAX_PAGE_BYTES = 16 << 20
"""More than any page has that people read; a book on a single page has a few million."""

MAX_DEPTH = 50
_SUFFIXES = (".html", ".htm")


class PageCache(Protocol):
    """Keeps a text for each file of the build as long as the file is the same."""

    def hash_of(self, path: str, location: Path) -> str | None:
        """Return what was noted for a file that is as it was."""

    def note(self, path: str, digest: str) -> None:
        """Keep a text for the file that `hash_of` was asked for last."""


class BuiltSite:
    """A built site whose pages are read when they are asked for; a page's key is its file's path in the folder."""

    def __init__(self, folder: Path, cache: PageCache | None = None) -> None:
        """Find the pages; raises ConfigurationError for a folder that cannot be listed or holds too many."""
        self.folder = folder
        self._cache = cache
        self._files: dict[str, Path] = {}
        for file in self._walk():
            self._files[normalize("NFC", file.relative_to(folder).as_posix())] = file
            if len(self._files) > MAX_PAGES:
                raise ConfigurationError(
                    f"book.built: {folder} holds more than {MAX_PAGES} pages; name one built site"
                )
        self._outlines: dict[str, BuiltPage] = {}

    @property
    def keys(self) -> tuple[str, ...]:
        """Return the key of each page, sorted."""
        return tuple(sorted(self._files))

    def __contains__(self, key: str) -> bool:
        return key in self._files

    def key_at(self, path: str) -> str | None:
        """Return the page that a server shows at a path below the site's root, or None."""
        plain = normalize("NFC", unquote(path)).strip("/")
        if not plain:
            names = ["index.html", "index.htm"]
        else:
            names = [f"{plain}{suffix}" for suffix in _SUFFIXES] + [f"{plain}/index{suffix}" for suffix in _SUFFIXES]
            names = names[::-1] if path.endswith("/") else [plain, *names]
        return next((name for name in names if name in self._files), None)

    def page(self, key: str) -> BuiltPage:
        """Return a page with its words; one that cannot be read has none."""
        try:
            data = read_book_file(self._files[key], MAX_PAGE_BYTES)
        except OSError:
            return BuiltPage()
        return read_page(data.decode("utf-8", "replace"))

    def outline(self, key: str) -> BuiltPage:
        """Return a page without its words, which a run that has the same build before it does not read again."""
        if key not in self._outlines:
            known = self._cache.hash_of(key, self._files[key]) if self._cache else None
            if (page := _outline_from(known)) is None:
                page = self.page(key)
                if self._cache:
                    self._cache.note(key, _outline_text(page))
            self._outlines[key] = page
        return self._outlines[key]

    def _walk(self) -> Iterator[Path]:
        waiting = [(self.folder, 0)]
        while waiting:
            folder, depth = waiting.pop()
            try:
                entries = list(os.scandir(folder))
            except OSError as error:
                raise ConfigurationError(f"book.built: {folder} cannot be listed: {explain(error)}") from error
            for entry in entries:
                if entry.name.startswith(".") or entry.name == "node_modules":
                    continue
                if entry.is_dir(follow_symlinks=False):
                    if depth < MAX_DEPTH:
                        waiting.append((Path(entry.path), depth + 1))
                elif _is_page(entry):
                    yield Path(entry.path)


def _is_page(entry: os.DirEntry[str]) -> bool:
    has_name = entry.name.lower().endswith(_SUFFIXES) and entry.name.isprintable()
    return has_name and entry.is_file(follow_symlinks=False)


def _outline_text(page: BuiltPage) -> str:
    facts = (page.title, page.h1, page.headings, page.canonical, page.redirect, page.listed)
    return json.dumps(facts, ensure_ascii=False, separators=(",", ":"))


def _outline_from(text: str | None) -> BuiltPage | None:
    """Return the page that was noted; None where there is none, or another version wrote it."""
    if text is None:
        return None
    try:
        facts: list[Any] = json.loads(text)
        title, h1, headings, canonical, redirect, listed = facts
        found = tuple(BuiltHeading(level, tuple(ids), words) for level, ids, words in headings)
    except (ValueError, TypeError):
        return None
    return BuiltPage(title, h1, found, canonical=canonical, redirect=redirect, listed=listed)
