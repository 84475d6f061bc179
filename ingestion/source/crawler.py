"""Walk a docs root: every markdown file is either a lesson to index or skipped with a reason."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ingestion.errors import ConfigurationError, SourceError

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

SUFFIXES = (".md", ".mdx")
IGNORE_FILE = ".bookwiseignore"
NOT_BOOK = (
    "node_modules/",
    "venv/",
    ".*",
    "specs/",
    "history/",
    "backup*/",
    "versioned_docs/",
    "tutorial-basics/",
    "tutorial-extras/",
    "_*",
    "!_index.md",
    "!_index.mdx",
)
"""What lies beside the pages in real books: dependencies, tool folders, old versions, templates, partials."""
TRANSLATIONS = "i18n/"


@dataclass(frozen=True, slots=True, order=True)
class SourceFile:
    """A lesson file. `path` is its identity: relative to the root, `/` between parts, NFC."""

    path: str
    location: Path = field(compare=False)


@dataclass(frozen=True, slots=True, order=True)
class Skipped:
    """A file or folder that is not indexed; folders end in `/`."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Crawl:
    """What a walk found, each part sorted by path.

    `unreadable` are folders that could not be listed: nothing below them counts as deleted. `clashes` are
    groups of paths that one name cannot tell apart on other file systems.
    """

    root: Path
    files: tuple[SourceFile, ...]
    skipped: tuple[Skipped, ...]
    unreadable: tuple[Skipped, ...]
    clashes: tuple[tuple[str, ...], ...]


def crawl(
    root: Path, *, exclude: Sequence[str] = (), include: Sequence[str] = (), translations: bool = False
) -> Crawl:
    """All lessons below `root`; raises SourceError if it is missing or no folder.

    `exclude` and the root's `.bookwiseignore` are gitignore patterns after the built-in ones, so that `!specs/`
    takes a built-in one back. Links are never followed, which keeps the walk inside the root and finite.
    """
    if not root.exists():
        raise SourceError(f"{root}: no such folder; name the folder that holds the lessons")
    if not root.is_dir():
        raise SourceError(f"{root}: is a file; name the folder that holds the lessons")
    walk = _Walk(root.resolve(), _Rules(root, exclude, include, translations))
    files = walk.one_a_path(sorted(walk.files_below(walk.root, "")))
    return Crawl(
        root=walk.root,
        files=tuple(files),
        skipped=tuple(sorted(walk.skipped)),
        unreadable=tuple(sorted(walk.unreadable)),
        clashes=_clashes([file.path for file in files]),
    )


def relative_path(path: str) -> str:
    """The one spelling of a relative path: `/` between parts, no `.` or empty parts, NFC, case kept."""
    parts = unicodedata.normalize("NFC", path).replace("\\", "/").split("/")
    return "/".join(part for part in parts if part not in ("", "."))


class _Rules:
    """Which paths are book, by patterns in gitignore syntax; the last match decides."""

    def __init__(self, root: Path, exclude: Sequence[str], include: Sequence[str], translations: bool) -> None:
        from pathspec import GitIgnoreSpec

        own = root / IGNORE_FILE
        try:
            lines = own.read_text(encoding="utf-8-sig").split("\n") if own.is_file() else []
        except (OSError, UnicodeDecodeError) as error:
            raise SourceError(f"{own}: cannot be read: {error}") from error
        built_in = [*NOT_BOOK, *([] if translations else [TRANSLATIONS])]
        self._sources = ["built-in rule"] * len(built_in) + ["setting crawl.exclude"] * len(exclude)
        lines = [line for line in lines if line.strip() and not line.startswith("#")]
        self._sources += [IGNORE_FILE] * len(lines)
        self._patterns = [*built_in, *exclude, *lines]
        try:
            self._ignored: GitIgnoreSpec = GitIgnoreSpec.from_lines(self._patterns)
            self._included = GitIgnoreSpec.from_lines(include) if include else None
        except (ValueError, re.error) as error:
            message = f"crawl.exclude, crawl.include or {own}: a pattern is not gitignore syntax: {error}"
            raise ConfigurationError(message) from error

    def reason_to_skip(self, path: str) -> str | None:
        """Why the path is not book, or None; a folder's path ends in `/`."""
        verdict = self._ignored.check_file(path)
        if verdict.include and verdict.index is not None:
            return f"{self._sources[verdict.index]} `{self._patterns[verdict.index]}`"
        if self._included and not path.endswith("/") and not self._included.match_file(path):
            return "matches no pattern of crawl.include"
        return None


class _Walk:
    """One walk, which collects what it leaves out."""

    def __init__(self, root: Path, rules: _Rules) -> None:
        self.root = root
        self.skipped: list[Skipped] = []
        self.unreadable: list[Skipped] = []
        self._rules = rules

    def files_below(self, folder: Path, prefix: str) -> Iterator[SourceFile]:
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError as error:
            self.unreadable.append(Skipped(prefix or "./", f"cannot be listed: {error.strerror}"))
            return
        for entry in entries:
            path = prefix + unicodedata.normalize("NFC", entry.name)
            if not _is_text(path):
                self._skip_bytes(entry, path)
            elif entry.is_symlink():
                self._skip_link(entry, path)
            elif entry.is_dir(follow_symlinks=False):
                yield from self._folder(entry, path + "/")
            elif path.lower().endswith(SUFFIXES):
                yield from self._lesson(entry, path)

    def one_a_path(self, files: list[SourceFile]) -> list[SourceFile]:
        """The files without those whose path, composed, is that of the file before."""
        kept: list[SourceFile] = []
        for file in files:
            if kept and kept[-1].path == file.path:
                self.skipped.append(Skipped(file.path, "another spelling of the same name (Unicode NFC)"))
            else:
                kept.append(file)
        return kept

    def _folder(self, entry: os.DirEntry[str], path: str) -> Iterator[SourceFile]:
        if reason := self._rules.reason_to_skip(path):
            self.skipped.append(Skipped(path, reason))
            return
        if path.lower().endswith(tuple(f"{suffix}/" for suffix in SUFFIXES)):
            self.skipped.append(Skipped(path, "a folder, not a lesson; the lessons in it are indexed"))
        yield from self.files_below(Path(entry.path), path)

    def _lesson(self, entry: os.DirEntry[str], path: str) -> Iterator[SourceFile]:
        if reason := self._rules.reason_to_skip(path):
            self.skipped.append(Skipped(path, reason))
        elif not entry.is_file(follow_symlinks=False):
            self.skipped.append(Skipped(path, "not a regular file"))
        else:
            yield SourceFile(path, Path(entry.path))

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
            reason = "link that leaves the docs root"
        elif target.is_dir() and Path(entry.path).is_relative_to(target):
            reason = "link that loops"
        else:
            reason = f"link; indexed as {target.relative_to(self.root).as_posix()} if at all"
        if target.is_dir() or path.lower().endswith(SUFFIXES):
            self.skipped.append(Skipped(path, reason))


def _is_text(name: str) -> bool:
    """Whether the name's bytes are UTF-8; Python keeps others as lone surrogates."""
    return name.isascii() or not any("\ud800" <= char <= "\udfff" for char in name)


def _clashes(paths: list[str]) -> tuple[tuple[str, ...], ...]:
    groups: dict[str, list[str]] = {}
    for path in paths:
        groups.setdefault(path.casefold(), []).append(path)
    return tuple(tuple(group) for group in groups.values() if len(group) > 1)
