"""Read one lesson file strictly: bytes to normalised text, and the hash that decides whether it changed."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ingestion.book_files import MAX_LESSON_BYTES, read_book_file
from ingestion.errors import LessonError
from ingestion.models import PublishedPage
from ingestion.source.book_order import Entry
from ingestion.source.checkout import stand_in
from ingestion.source.crawler import SourceFile
from ingestion.source.site import Site

_UTF16_MARKS = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
_BYTE_ORDER_MARK = "\ufeff"


@dataclass(frozen=True, slots=True)
class SourceText:
    """A file as read: `data` is its bytes, `sha256` is of its text as UTF-8 with LF and without byte-order marks.

    So a checkout with other line ends, or an editor that adds a mark, changes nothing. `location`, `root`, `site`,
    `entry`, `inherited` and `published` are those of its SourceFile.
    """

    path: str
    sha256: str
    data: bytes
    site: Site | None = None
    entry: Entry | None = None
    location: Path | None = None
    root: Path | None = None
    inherited: Mapping[str, Any] = field(default_factory=dict)
    published: PublishedPage | None = None

    def decode(self) -> str:
        """Return the text; raises LessonError with the file's byte offset where it is not UTF-8 or is binary."""
        encoding, mark = _encoding(self.data)
        try:
            text = self.data[mark:].decode(encoding)
        except UnicodeDecodeError as error:
            offset = mark + error.start
            reason = f"is not {encoding.upper()}: byte 0x{self.data[offset]:02x} at offset {offset}; save it as UTF-8"
            raise LessonError(self.path, reason, _line_at(self.data[mark:offset].decode(encoding))) from error
        nul = text.find("\0")
        if nul >= 0:
            offset = mark + len(text[:nul].encode(encoding))
            raise LessonError(self.path, f"is binary: NUL at offset {offset}", _line_at(text[:nul]))
        return _normalise(text)


def read_source(file: SourceFile) -> SourceText:
    """Read a file; raises LessonError if it cannot be read, or is not the lesson but what stands in its place."""
    try:
        data = read_book_file(file.location, MAX_LESSON_BYTES)
    except OSError as error:
        raise LessonError(file.path, f"cannot be read: {error.strerror}") from error
    if reason := stand_in(data, file.location):
        raise LessonError(file.path, reason)
    return SourceText(
        path=file.path,
        sha256=hash_of_text(data),
        data=data,
        site=file.site,
        entry=file.entry,
        location=file.location,
        root=file.root,
        inherited=file.inherited,
        published=file.published,
    )


def hash_of_text(data: bytes) -> str:
    """Return the SHA-256 of a file's text, the same whatever its line ends and its byte-order mark."""
    return hashlib.sha256(_as_hashed(data)).hexdigest()


def _as_hashed(data: bytes) -> bytes:
    encoding, mark = _encoding(data)
    try:
        return _normalise(data[mark:].decode(encoding)).encode("utf-8")
    except UnicodeDecodeError:
        return data


def _encoding(data: bytes) -> tuple[str, int]:
    """Return the encoding that the mark names, UTF-8 without one, and the length of a UTF-16 mark."""
    encoding = _UTF16_MARKS.get(data[:2])
    return (encoding, 2) if encoding else ("utf-8", 0)


def _normalise(text: str) -> str:
    return text.replace(_BYTE_ORDER_MARK, "").replace("\r\n", "\n").replace("\r", "\n")


def _line_at(before: str) -> int:
    return _normalise(before).count("\n") + 1
