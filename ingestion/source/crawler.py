"""Walk the folder of the lessons: every markdown file is either a lesson to index or skipped with a reason."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

from ingestion.book_files import read_book_text
from ingestion.errors import ConfigurationError, SourceError
from ingestion.models import PublishedPage
from ingestion.own_files import explain
from ingestion.source.book_order import Entry
from ingestion.source.ignore_rules import IgnoreRules
from ingestion.source.site import Site

SUFFIXES = (".md", ".mdx", ".markdown")
OTHER_SUFFIXES = (
    *(".ipynb", ".rst", ".adoc", ".asciidoc", ".qmd", ".rmd"),
    *(".org", ".mkd", ".mdown", ".mdoc", ".textile"),
)
"""Texts in other formats, which are listed and not read."""

IGNORE_FILE = ".bookwiseignore"
ROOT = "./"
MAX_DEPTH = 100
"""Folders in each other; no book has more, and each step down costs the whole path again."""

NOT_BOOK = ("node_modules/", "venv/", ".*")
"""What is never a page: dependencies and hidden folders. Everything else may be a chapter's name."""


class Ignored(NamedTuple):
    """A pattern (gitignore syntax) of files that are no pages, and what it is called when it leaves something out."""

    pattern: str
    reason: str = "built-in rule"


_composed = partial(unicodedata.normalize, "NFC")


@dataclass(slots=True)
class SourceFile:
    """A lesson file. `path` is its identity: relative to the root, `/` between parts, NFC.

    `found` is where it lies. `root` is the folder of the lessons, `site` is what its generator says of it, and
    `entry` its place in the table of contents that the book itself writes, where there is one. `inherited` is
    metadata that sections hand down, and `published` what a built site says of its page. `crawl_book` completes what
    the walk makes, and nothing changes one after that.
    """

    path: str
    found: str | Path = field(compare=False)
    site: Site | None = field(default=None, compare=False)
    entry: Entry | None = field(default=None, compare=False)
    root: Path | None = field(default=None, compare=False)
    inherited: Mapping[str, Any] = field(default_factory=dict, compare=False)
    published: PublishedPage | None = field(default=None, compare=False)

    @property
    def location(self) -> Path:
        """Return where the file lies; a run that reads none makes no path of any."""
        return Path(self.found)


@dataclass(frozen=True, slots=True, order=True)
class Skipped:
    """A file or folder that is not indexed; folders end in `/`."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Crawl:
    """What a walk found, each part sorted by path.

    `unreadable` are folders whose pages are not known: nothing below them counts as deleted. `clashes` are
    groups of paths that one name cannot tell apart on other file systems. `fingerprint` changes with whatever decides
    on a lesson's place, address or metadata apart from its own file.
    """

    root: Path
    files: tuple[SourceFile, ...]
    skipped: tuple[Skipped, ...]
    unreadable: tuple[Skipped, ...]
    clashes: tuple[tuple[str, ...], ...]
    fingerprint: str = ""

    @property
    def site(self) -> Site | None:
        """Return the site that the lessons belong to; None without lessons too."""
        return self.files[0].site if self.files else None


def crawl(
    root: Path,
    *,
    exclude: Sequence[str] = (),
    include: Sequence[str] = (),
    site: Site | None = None,
    ignored: Sequence[Ignored] = (),
    outside: Callable[[Path], Sequence[str]] = lambda root: (),
) -> Crawl:
    """Return all lessons below `root`; raises SourceError if it is missing or no folder.

    `exclude` and the root's `.bookwiseignore` are gitignore patterns after the generator's (`ignored`), so that
    `!_drafts/` takes a built-in one back. `outside` gives the folders, relative to the site's, that hold more of its
    pages. Links are never followed, which keeps the walk inside the root and finite.
    """
    if not root.exists():
        raise SourceError(f"{root}: no such folder; name the folder that holds the lessons")
    if not root.is_dir():
        raise SourceError(f"{root}: is a file; name the folder that holds the lessons")
    if not can_list(root):
        raise SourceError(f"{root}: cannot be listed: permission denied; run this as its owner")
    rules = _Rules(root, [*map(Ignored, NOT_BOOK), *ignored], exclude, include)
    walk = _Walk(root.resolve(), rules, site)
    walk.collect(str(walk.root), "")
    for prefix in outside(walk.root):
        assert site is not None
        walk.collect(str(site.folder / prefix), f"{prefix}/")
    if unlisted := next((each for each in walk.unreadable if each.path == ROOT), None):
        raise SourceError(f"{root}: {unlisted.reason}; no lesson is known, so nothing was changed")
    files = walk.one_per_path()
    return Crawl(
        root=walk.root,
        files=tuple(files),
        skipped=tuple(sorted(walk.skipped)),
        unreadable=tuple(sorted(walk.unreadable)),
        clashes=_clashes([file.path for file in files]),
    )


def can_list(folder: Path) -> bool:
    """Return whether this user may see what is in a folder."""
    return os.access(folder, os.R_OK | os.X_OK)


def relative_path(path: str) -> str:
    """Return the one spelling of a relative path: `/` between parts, no `.` or empty parts, NFC, case kept."""
    parts = unicodedata.normalize("NFC", path).replace("\\", "/").split("/")
    return "/".join(part for part in parts if part not in ("", "."))


class _Rules:
    """Which paths are book, by patterns in gitignore syntax; the last match decides."""

    def __init__(
        self, root: Path, built_in: Sequence[Ignored], exclude: Sequence[str], include: Sequence[str]
    ) -> None:
        own = root / IGNORE_FILE
        self._named = [
            *built_in,
            *(Ignored(pattern, "setting crawl.exclude") for pattern in exclude),
            *(Ignored(line, IGNORE_FILE) for line in _lines_of(own)),
        ]
        try:
            self._ignored = IgnoreRules([rule.pattern for rule in self._named])
            self._included = IgnoreRules(include) if include else None
        except ValueError as error:
            message = f"crawl.exclude, crawl.include or {own}: a pattern is not gitignore syntax: {error}"
            raise ConfigurationError(message) from error

    def reason_to_skip(self, path: str) -> str | None:
        """Return why the path is not book, or None; a folder's path ends in `/`."""
        number = self._ignored.match(path)
        if number is not None:
            return f"{self._named[number].reason} `{self._named[number].pattern}`"
        if self._included and not path.endswith("/") and self._included.match(path) is None:
            return "matches no pattern of crawl.include"
        return None


def _lines_of(file: Path) -> list[str]:
    try:
        lines = read_book_text(file).split("\n") if file.is_file() else []
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(f"{file}: cannot be read: {explain(error)}") from error
    return [line for line in lines if line.strip() and not line.startswith("#")]


class _Walk:
    """One walk, which collects what it finds and what it leaves out."""

    def __init__(self, root: Path, rules: _Rules, site: Site | None) -> None:
        self.root = root
        self._site = site
        self._found: list[SourceFile] = []
        self.skipped: list[Skipped] = []
        self.unreadable: list[Skipped] = []
        self._rules = rules

    def collect(self, folder: str, prefix: str) -> None:
        """Look at everything in a folder and below."""
        try:
            entries = sorted(os.scandir(folder), key=attrgetter("name"))
        except OSError as error:
            self.unreadable.append(Skipped(prefix or ROOT, f"cannot be listed: {error.strerror}"))
            return
        for entry in entries:
            path = prefix + _composed(entry.name)
            if not _is_text(path):
                self._skip_bytes(entry, path)
            elif entry.is_symlink():
                self._skip_link(entry, path)
            elif entry.is_dir(follow_symlinks=False):
                self._folder(entry, path + "/")
            else:
                self._file(entry, path)

    def one_per_path(self) -> list[SourceFile]:
        """Return the files by path, without those whose path, composed, is that of the file before."""
        kept: list[SourceFile] = []
        for file in sorted(self._found, key=attrgetter("path")):
            if kept and kept[-1].path == file.path:
                self.skipped.append(Skipped(file.path, "another spelling of the same name (Unicode NFC)"))
            else:
                kept.append(file)
        return kept

    def _folder(self, entry: os.DirEntry[str], path: str) -> None:
        if reason := self._rules.reason_to_skip(path):
            self.skipped.append(Skipped(path, reason))
            return
        if path.count("/") > MAX_DEPTH:
            self.skipped.append(Skipped(path, f"more than {MAX_DEPTH} folders deep"))
            return
        if path.lower().endswith(tuple(f"{suffix}/" for suffix in SUFFIXES)):
            self.skipped.append(Skipped(path, "a folder; the lessons in it are indexed"))
        self.collect(entry.path, path)

    def _file(self, entry: os.DirEntry[str], path: str) -> None:
        name = path.lower()
        if not name.endswith(SUFFIXES):
            if name.endswith(OTHER_SUFFIXES) and not self._rules.reason_to_skip(path):
                self.skipped.append(Skipped(path, "not Markdown"))
            return
        if reason := self._rules.reason_to_skip(path):
            self.skipped.append(Skipped(path, reason))
        elif not entry.is_file(follow_symlinks=False):
            self.skipped.append(Skipped(path, "not a regular file"))
        else:
            self._found.append(SourceFile(path, entry.path, self._site, root=self.root))

    def _skip_bytes(self, entry: os.DirEntry[str], path: str) -> None:
        shown = os.fsencode(path).decode("utf-8", "backslashreplace")
        if entry.is_dir(follow_symlinks=False):
            self.skipped.append(Skipped(shown + "/", "the name is not UTF-8"))
        elif path.lower().endswith(SUFFIXES):
            self.skipped.append(Skipped(shown, "the name is not UTF-8"))

    def _skip_link(self, entry: os.DirEntry[str], path: str) -> None:
        target = Path(os.path.realpath(entry.path))
        if not target.exists():
            reason = "link to nothing"
        elif not target.is_relative_to(self.root):
            reason = "link that leads outside the docs root"
        elif target.is_dir() and Path(entry.path).is_relative_to(target):
            reason = "link that loops"
        else:
            reason = f"link; indexed as {target.relative_to(self.root).as_posix()} if at all"
        if target.is_dir() or path.lower().endswith(SUFFIXES):
            self.skipped.append(Skipped(path, reason))


def _is_text(name: str) -> bool:
    """Return whether the name's bytes are UTF-8; Python keeps others as lone surrogates."""
    return name.isascii() or not any("\ud800" <= char <= "\udfff" for char in name)


def _clashes(paths: list[str]) -> tuple[tuple[str, ...], ...]:
    groups: dict[str, list[str]] = {}
    if len(set(map(str.casefold, paths))) == len(paths):
        return ()
    for path in paths:
        groups.setdefault(path.casefold(), []).append(path)
    return tuple(tuple(group) for group in groups.values() if len(group) > 1)
