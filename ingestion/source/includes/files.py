"""The files that lessons may include: regular files of the book's folder, unless the user trusts the book."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from ingestion.book_files import read_book_file
from ingestion.errors import LessonError
from ingestion.settings import Settings
from ingestion.settings.places import CONFIG_NAME
from ingestion.settings.trust import trusts_book
from ingestion.source.reader import SourceText, hash_of_text
from ingestion.source.site import Site

MAX_BYTES = 2_000_000
"""More than any listing has; a larger file is refused, so that reading it is bounded."""

MISSING = ""
"""The hash of an included file that is not there or may not be read."""

NOT_THERE = "does not exist"


GITBOOK = ".gitbook"
"""The folder in which GitBook keeps what pages include, the one hidden folder that is part of a book."""


class CannotInclude(Exception):
    """A file that is not there, may not be read, or lacks the part that is asked for; `reason` says which."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


class BookFiles:
    """Reads files of one book.

    The book is the folder of the site's configuration file or of `bookwise.toml`, else that of the lessons. Links
    that leave it, and hidden files such as `.env`, are refused, since a book may come from a stranger.
    """

    def __init__(self, root: Path, site: Site | None, settings: Settings) -> None:
        self._given_root = root
        self._site = site
        self._settings = settings
        self._hashes: dict[str, str] = {}

    @cached_property
    def _root(self) -> Path:
        return self._given_root.resolve()

    @cached_property
    def _folders(self) -> frozenset[Path]:
        """Return the folders of the book; found at the first use, for few pages include anything."""
        folders = {self._root}
        if self._site:
            folders.add(self._site.folder.resolve())
        configured = self._settings.folder.resolve()
        if (configured / CONFIG_NAME).is_file() and self._root.is_relative_to(configured):
            folders.add(configured)
        return frozenset(folders)

    @cached_property
    def _trusted(self) -> bool:
        trust = self._settings.trust
        return trusts_book({"trust.config": trust.config, "trust.folders": trust.folders}, self._root)

    def name(self, location: Path) -> str:
        """Return how records name a file: its path relative to the docs root."""
        return Path(os.path.relpath(location, self._root)).as_posix()

    def read(self, location: Path) -> SourceText:
        """Return a file; raises CannotInclude with the reason where it is not there or may not be read."""
        real = self._allowed(location)
        name = self.name(location)
        try:
            data = read_book_file(real, MAX_BYTES)
        except OSError as error:
            raise CannotInclude(f"cannot be read: {error.strerror}") from error
        return SourceText(path=name, sha256=hash_of_text(data), data=data)

    def differ(self, recorded: Mapping[str, str]) -> bool:
        """Return whether an included file is not the recorded one; each file is read once."""
        return any(self._hash(name) != expected for name, expected in recorded.items())

    def _hash(self, name: str) -> str:
        if name not in self._hashes:
            try:
                self._hashes[name] = self.read(self._root / name).sha256
            except CannotInclude:
                self._hashes[name] = MISSING
        return self._hashes[name]

    def _allowed(self, location: Path) -> Path:
        try:
            real = Path(os.path.realpath(location))
            exists = real.exists()
        except (OSError, ValueError) as error:
            raise CannotInclude("is no path") from error
        if not self._trusted:
            self._require_inside(real)
        if not exists:
            raise CannotInclude(NOT_THERE)
        return real

    def _require_inside(self, real: Path) -> None:
        """Raise CannotInclude for a file out of the book's folders, or a hidden one."""
        inside = [real.relative_to(folder) for folder in self._folders if real.is_relative_to(folder)]
        if not inside:
            raise CannotInclude(
                "is outside the book's folder; if this is correct, add the book to `trust.folders` in your own "
                "configuration, or pass --trust-config"
            )
        if all(any(part.startswith(".") and part != GITBOOK for part in path.parts) for path in inside):
            raise CannotInclude("is a hidden file, which is never included unless you trust the book")


def decoded(source: SourceText) -> str:
    """Return the text of an included file; raises CannotInclude where it is none."""
    try:
        return source.decode()
    except LessonError as error:
        raise CannotInclude(error.reason) from error
