"""What an incomplete checkout leaves in place of lessons: stand-ins for their text, or nothing."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from ingestion.book_files import read_book_file, read_book_text

MAX_INDEX_BYTES = 256 << 20
"""More than the index of any real repository takes."""

MAX_POINTER_BYTES = 1024
"""Git LFS writes no larger pointer."""

_POINTER = re.compile(rb"version https?://\S+/spec/v\d+\n(?=(?:.*\n)*?oid \w+:[0-9a-f]+)")
_HTML = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:!doctype\s+html|html)\b", re.IGNORECASE)
_LESSON_NAMES = (".md", ".mdx", ".markdown")


def stand_in(data: bytes, location: Path) -> str | None:
    """Return what a file holds in place of a lesson, and what to do about it; None for a lesson."""
    if _HTML.match(data):
        return (
            "is a page of HTML, not Markdown: what a download of a page that needs a sign-in gives; fetch the "
            "lesson's own file, or leave this one out with `crawl.exclude`"
        )
    if len(data) > MAX_POINTER_BYTES:
        return None
    if _POINTER.match(data):
        return "is a pointer of Git LFS in place of the lesson; run `git lfs pull` (actions/checkout: `lfs: true`)"
    if target := _target(data, location):
        return (
            f"is a link to {target} that was stored as text; check the book out with links (`git config "
            "core.symlinks true`, then `git checkout -- .`)"
        )
    return None


def _target(data: bytes, location: Path) -> str | None:
    """Return the path that is all there is in a file, as git writes a link where there are none."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return None
    if not text.strip() or "\n" in text or "\0" in text:
        return None
    with suppress(OSError, ValueError):
        is_name = text.endswith(_LESSON_NAMES) and len(text.split()) == 1 and not text[0].isspace()
        if is_name or ("/" in text and (location.parent / text).exists()):
            return text
    return None


class LeftOut(NamedTuple):
    """What the checkout lacks, relative to the root of the lessons (a folder ends in `/`), and why."""

    path: str
    reason: str


def left_out(root: Path, gone: Iterable[str]) -> dict[str, LeftOut]:
    """Return which of the paths that are gone below `root` a checkout left out, by submodule or as sparse."""
    top = next((folder for folder in (root, *root.parents) if (folder / ".git").exists()), root)
    entries = {entry.path: entry for entry in _index(top)}
    empty = _empty_submodules(root, top, entries.values())
    sparse = {_below(root, top / path) for path, entry in entries.items() if entry.is_skipped}
    reasons = ((path, _reason(root, path, empty, sparse)) for path in set(gone))
    return {path: reason for path, reason in reasons if reason}


def _empty_submodules(root: Path, top: Path, entries: Iterable[_Entry]) -> set[str]:
    folders = {entry.path for entry in entries if entry.is_submodule}.union(_named_submodules(top))
    return {_below(root, top / folder) for folder in folders if not _has_files(top / folder)}


def _reason(root: Path, path: str, empty: Collection[str], sparse: Collection[str]) -> LeftOut | None:
    above = [str(folder) for folder in PurePosixPath(path).parents]
    if module := next((folder for folder in above if folder in empty), None):
        return LeftOut(
            f"{module}/",
            "is an empty submodule; run `git submodule update --init` (actions/checkout: `submodules: true`)",
        )
    if any(each in sparse for each in (path, *above)):
        missing = _highest_missing(root, path)
        return LeftOut(missing, "is left out by a sparse checkout; run `git sparse-checkout disable`")
    return None


def _highest_missing(root: Path, path: str) -> str:
    """Return the first folder on the way to a path that is not there, else the path itself."""
    above = list(PurePosixPath(path).parents)[-2::-1]
    return next((f"{folder}/" for folder in above if not (root / folder).exists()), path)


class _Entry(NamedTuple):
    path: str
    is_submodule: bool
    is_skipped: bool


def _below(root: Path, location: Path) -> str:
    """Return the path relative to the root as lessons have it; of what lies elsewhere, its own."""
    return location.relative_to(root).as_posix() if location.is_relative_to(root) else location.as_posix()


def _has_files(folder: Path) -> bool:
    try:
        return any(folder.iterdir())
    except OSError:
        return False


def _named_submodules(top: Path) -> list[str]:
    try:
        lines = [line.partition("=") for line in read_book_text(top / ".gitmodules").split("\n")]
    except (OSError, UnicodeDecodeError):
        return []
    return [value.strip().strip('"') for key, _, value in lines if key.strip() == "path" and value.strip()]


def _index(top: Path) -> Iterator[_Entry]:
    """Yield what git's index of a checkout tracks; nothing where there is none, or one of an unknown form.

    The file is read, and git not run: its own configuration, which a stranger may have written, can start programs.
    """
    try:
        folder = top / ".git"
        if folder.is_file():
            folder = top / read_book_text(folder).partition("gitdir:")[2].strip()
        data = read_book_file(folder / "index", MAX_INDEX_BYTES)
        yield from _entries(data, hash_bytes=32 if "sha256" in _config(folder) else 20)
    except (OSError, ValueError, IndexError):
        return


def _config(folder: Path) -> str:
    try:
        return read_book_text(folder / "config")
    except (OSError, UnicodeDecodeError):
        return ""


def _entries(data: bytes, hash_bytes: int) -> Iterator[_Entry]:
    """Read the entries of an index of version 2, 3 or 4 (git's documentation, "gitformat-index")."""
    version, count = int.from_bytes(data[4:8], "big"), int.from_bytes(data[8:12], "big")
    if data[:4] != b"DIRC" or version not in (2, 3, 4):
        return
    at, name = 12, b""
    for _ in range(count):
        start, flags_at = at, at + 40 + hash_bytes
        kind = int.from_bytes(data[at + 24 : at + 28], "big") >> 12
        flags = int.from_bytes(data[flags_at : flags_at + 2], "big")
        at = flags_at + 2
        is_skipped = False
        if flags & 0x4000:
            is_skipped = bool(data[at] & 0x40)
            at += 2
        kept = 0
        if version == 4:
            kept, at = _offset(data, at)
        end = data.index(b"\0", at)
        name = (name[: len(name) - kept] if version == 4 else b"") + data[at:end]
        at = end + 1 if version == 4 else start + (end - start + 8) // 8 * 8
        yield _Entry(name.decode("utf-8", "surrogateescape"), kind == 0o16, is_skipped)


def _offset(data: bytes, at: int) -> tuple[int, int]:
    """Return a number of variable width, as git packs offsets, and where it ends."""
    value = data[at] & 0x7F
    while data[at] & 0x80:
        at += 1
        value = ((value + 1) << 7) | (data[at] & 0x7F)
    return value, at + 1
