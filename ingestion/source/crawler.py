"""Walk the folder of the lessons: every markdown file is either a lesson to index or skipped with a reason."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ingestion.book_files import read_book_text
from ingestion.errors import ConfigurationError, SourceError
from ingestion.own_files import explain
from ingestion.source.book_order import Entry
from ingestion.source.ignore_rules import IgnoreRules
from ingestion.source.site import Site

SUFFIXES = (".md", ".mdx", ".markdown")
IGNORE_FILE = ".bookwiseignore"
ROOT = "./"
MAX_DEPTH = 100
"""Folders in each other; no book has more, and each step down costs the whole path again."""

NOT_BOOK = ("node_modules/", "venv/", ".*")
"""What is never a page: dependencies and hidden folders. Everything else may be a chapter's name."""

PARTIALS = ("_*", "!_index.md", "!_index.mdx", "!_index.markdown")
"""Pieces of pages, by their underscore, for all generators but those that build a page of each file."""

BUILD_EVERY_FILE = ("mkdocs", "mdbook", "hugo", "vitepress")
NO_PAGES = {
    "docusaurus": ("*.markdown",),
    "hugo": ("*.mdx",),
    "jekyll": ("*.mdx",),
    "mkdocs": ("*.mdx",),
    "vitepress": ("*.markdown", "*.mdx"),
}
"""Files that a generator makes no page of, by their suffix."""

TRANSLATIONS = ("**/i18n/*/docusaurus-*/", "**/i18n/[a-z][a-z]/", "**/i18n/[a-z][a-z][-_]*/")
VERSIONS = (
    *("**/versioned_docs/version-*/", "**/*_versioned_docs/version-*/"),
    "**/i18n/*/docusaurus-plugin-content-docs*/version-*/",
)


@dataclass(frozen=True, slots=True, order=True)
class SourceFile:
    """A lesson file. `path` is its identity: relative to the root, `/` between parts, NFC.

    `root` is the folder of the lessons, `site` is what its generator says of it, and `entry` its place in the table
    of contents that the book itself writes, where there is one. `inherited` is metadata that sections hand down.
    """

    path: str
    location: Path = field(compare=False)
    site: Site | None = field(default=None, compare=False)
    entry: Entry | None = field(default=None, compare=False)
    root: Path | None = field(default=None, compare=False)
    inherited: Mapping[str, Any] = field(default_factory=dict, compare=False)


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
    translations: bool = False,
    versions: bool = False,
    site: Site | None = None,
) -> Crawl:
    """Return all lessons below `root`; raises SourceError if it is missing or no folder.

    `exclude` and the root's `.bookwiseignore` are gitignore patterns after the built-in ones, so that `!_drafts/`
    takes a built-in one back. `translations` and `versions` also index those, which Docusaurus keeps beside its docs
    folder. Links are never followed, which keeps the walk inside the root and finite.
    """
    if not root.exists():
        raise SourceError(f"{root}: no such folder; name the folder that holds the lessons")
    if not root.is_dir():
        raise SourceError(f"{root}: is a file; name the folder that holds the lessons")
    if not can_list(root):
        raise SourceError(f"{root}: cannot be listed: this user has no right to; run this as its owner")
    rules = _Rules(root, _built_in(site, translations=translations, versions=versions), exclude, include)
    walk = _Walk(root.resolve(), rules, site)
    found = list(walk.files_below(walk.root, ""))
    for prefix in _editions(walk.root, site, translations=translations, versions=versions):
        assert site is not None
        found += walk.files_below(site.folder / prefix, f"{prefix}/")
    if unlisted := next((each for each in walk.unreadable if each.path == ROOT), None):
        raise SourceError(f"{root}: {unlisted.reason}; no lesson is known, so nothing was changed")
    files = walk.one_per_path(sorted(found))
    return Crawl(
        root=walk.root,
        files=tuple(files),
        skipped=tuple(sorted(walk.skipped)),
        unreadable=tuple(sorted(walk.unreadable)),
        clashes=_clashes([file.path for file in files]),
    )


def _built_in(site: Site | None, *, translations: bool, versions: bool) -> list[tuple[str, str]]:
    """Return the built-in patterns, each with what it is called when it leaves something out."""
    rules = [*NOT_BOOK]
    if site is None or site.generator not in BUILD_EVERY_FILE:
        rules += PARTIALS
    rules += [] if translations else TRANSLATIONS
    rules += [] if versions else VERSIONS
    if not site:
        return [("built-in rule", rule) for rule in rules]
    rules += NO_PAGES.get(site.generator, ())
    if site.generator == "jekyll":
        rules += (f"!/{site.before_docs}{folder}/" for folder, _ in site.rules)
        rules.append("!_posts/")
    own = [(f"excluded in {site.config.name}:", pattern) for pattern in site.excluded]
    drafts = [(f"a draft by {site.config.name}:", pattern) for pattern in site.drafts]
    return [*(("built-in rule", rule) for rule in rules), *own, *drafts]


def _editions(root: Path, site: Site | None, *, translations: bool, versions: bool) -> list[str]:
    """Return the folders of Docusaurus' translations and versions that do not lie below the root, relative to the
    site's.
    """
    if site is None or site.generator != "docusaurus":
        return []
    patterns = []
    for docs in (site, *site.instances):
        before, behind = (f"{docs.instance}_", f"-{docs.instance}") if docs.instance else ("", "")
        translated = f"i18n/*/docusaurus-plugin-content-docs{behind}"
        patterns += [f"{before}versioned_docs/version-*"] if versions else []
        patterns += [f"{translated}/current"] if translations else []
        patterns += [f"{translated}/version-*"] if translations and versions else []
    folders = (folder for pattern in patterns for folder in site.folder.glob(pattern))
    outside = (folder for folder in folders if folder.is_dir() and not folder.is_relative_to(root))
    inside = (folder for folder in outside if folder.resolve() == folder)
    return sorted(folder.relative_to(site.folder).as_posix() for folder in inside)


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
        self, root: Path, built_in: Sequence[tuple[str, str]], exclude: Sequence[str], include: Sequence[str]
    ) -> None:
        own = root / IGNORE_FILE
        try:
            lines = read_book_text(own).split("\n") if own.is_file() else []
        except (OSError, UnicodeDecodeError) as error:
            raise SourceError(f"{own}: cannot be read: {explain(error)}") from error
        lines = [line for line in lines if line.strip() and not line.startswith("#")]
        named = [*built_in, *(("setting crawl.exclude", excluded) for excluded in exclude)]
        named += [(IGNORE_FILE, line) for line in lines]
        self._sources = [source for source, _ in named]
        self._patterns = [pattern for _, pattern in named]
        try:
            self._ignored = IgnoreRules(self._patterns)
            self._included = IgnoreRules(include) if include else None
        except ValueError as error:
            message = f"crawl.exclude, crawl.include or {own}: a pattern is not gitignore syntax: {error}"
            raise ConfigurationError(message) from error

    def reason_to_skip(self, path: str) -> str | None:
        """Why the path is not book, or None; a folder's path ends in `/`."""
        number = self._ignored.match(path)
        if number is not None:
            return f"{self._sources[number]} `{self._patterns[number]}`"
        if self._included and not path.endswith("/") and self._included.match(path) is None:
            return "matches no pattern of crawl.include"
        return None


class _Walk:
    """One walk, which collects what it leaves out."""

    def __init__(self, root: Path, rules: _Rules, site: Site | None) -> None:
        self.root = root
        self._site = site
        self.skipped: list[Skipped] = []
        self.unreadable: list[Skipped] = []
        self._rules = rules

    def files_below(self, folder: Path, prefix: str) -> Iterator[SourceFile]:
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError as error:
            self.unreadable.append(Skipped(prefix or ROOT, f"cannot be listed: {error.strerror}"))
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

    def one_per_path(self, files: list[SourceFile]) -> list[SourceFile]:
        """Return the files without those whose path, composed, is that of the file before."""
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
        if path.count("/") > MAX_DEPTH:
            self.skipped.append(Skipped(path, f"more than {MAX_DEPTH} folders deep"))
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
            yield SourceFile(path, Path(entry.path), self._site, root=self.root)

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
    """Return whether the name's bytes are UTF-8; Python keeps others as lone surrogates."""
    return name.isascii() or not any("\ud800" <= char <= "\udfff" for char in name)


def _clashes(paths: list[str]) -> tuple[tuple[str, ...], ...]:
    groups: dict[str, list[str]] = {}
    for path in paths:
        groups.setdefault(path.casefold(), []).append(path)
    return tuple(tuple(group) for group in groups.values() if len(group) > 1)
