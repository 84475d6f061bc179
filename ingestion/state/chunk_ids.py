"""The ids of chunks, in a file beside the records: a line a lesson, read only where somebody asks for them.

They are nine tenths of what there is to say of a book, and a run with nothing to do needs none of them. The first
line has the hash of the others, by which the state file names the ids that are its own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, overload

from ingestion.atomic_file import write_atomically
from ingestion.book_files import read_book_file
from ingestion.errors import RecordsDamaged
from ingestion.ids import sha256

MAX_BYTES = 4 << 30

Lesson = tuple[str, str]
"""Book and path."""

NONE = ""
"""The seal of no ids."""

_encode = json.JSONEncoder(ensure_ascii=False).encode
_decode = json.JSONDecoder().raw_decode
_BOOK, _PATH, _IDS = '{"book_id": ', ', "source_file": ', ', "chunk_ids": '


class IdSource(Protocol):
    """Where the ids of recorded lessons are kept."""

    def ids_of(self, lesson: Lesson) -> tuple[str, ...]:
        """Return the ids of a lesson; raises RecordsDamaged where they are not there."""


class StoredIds(Sequence[str]):
    """The ids of a recorded lesson: how many there are is known, which they are is read when it is asked."""

    __slots__ = ("_count", "_lesson", "source")

    def __init__(self, source: IdSource, lesson: Lesson, count: int) -> None:
        self.source = source
        self._lesson = lesson
        self._count = count

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[str, ...]: ...
    def __getitem__(self, at: int | slice) -> str | tuple[str, ...]:
        return self._read()[at]

    def __iter__(self) -> Iterator[str]:
        return iter(self._read())

    def __eq__(self, other: object) -> bool:
        if isinstance(other, StoredIds) and (other.source, other._lesson) == (self.source, self._lesson):
            return other._count == self._count
        return isinstance(other, Sequence) and len(other) == self._count and tuple(other) == self._read()

    def __hash__(self) -> int:
        return hash(self._lesson)

    def __repr__(self) -> str:
        return f"{self._count} ids of {self._lesson}"

    def __reduce__(self) -> tuple[Any, ...]:
        return tuple, (list(self),)

    def _read(self) -> tuple[str, ...]:
        ids = self.source.ids_of(self._lesson) if self._count else ()
        if len(ids) != self._count:
            raise RecordsDamaged(
                f"{self._lesson[1]}: {self._count} chunks are recorded and {len(ids)} ids; `bookwise ingest` finds "
                "the others in the index"
            )
        return ids


class ChunkIdFile:
    """The ids of all books of a state file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._known: tuple[str, Mapping[Lesson, str]] = NONE, {}

    def seal(self) -> str:
        """Return the hash of the ids that are there, by the first line; NONE where there are none to read."""
        try:
            with self.path.open(encoding="utf-8") as file:
                seal = json.loads(file.readline())["sha256"]
        except (OSError, ValueError, KeyError, TypeError):
            return NONE
        return seal if isinstance(seal, str) else NONE

    def ids_of(self, lesson: Lesson) -> tuple[str, ...]:
        """See IdSource."""
        seal = self.seal()
        if seal != self._known[0]:
            self._known = seal, self.lines()
        line = self._known[1].get(lesson)
        return tuple(json.loads(line)["chunk_ids"]) if line else ()

    def lines(self) -> dict[Lesson, str]:
        """Return the line of each lesson; none where the file is not what was written."""
        try:
            head, _, body = read_book_file(self.path, MAX_BYTES).decode().partition("\n")
            if json.loads(head)["sha256"] != sha256(body):
                return {}
            return {_lesson_of(line): line for line in body.split("\n") if line}
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return {}

    def write(self, lines: Mapping[Lesson, str]) -> str:
        """Replace all lines and return their seal; raises OSError. What is the same already is not written."""
        body = "".join(f"{lines[lesson]}\n" for lesson in sorted(lines))
        seal = sha256(body) if body else NONE
        if seal != self.seal():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(self.path, f"{_encode({'sha256': seal})}\n{body}")
        return seal


def line_of(lesson: Lesson, ids: Sequence[str]) -> str:
    """Return the line that keeps the ids of a lesson."""
    book, path = lesson
    return f"{_BOOK}{_encode(book)}{_PATH}{_encode(path)}{_IDS}{_encode(list(ids))}}}"


def _lesson_of(line: str) -> Lesson:
    """Return the lesson of a line without a look at its ids."""
    book, end = _decode(line, len(_BOOK))
    path, _ = _decode(line, end + len(_PATH))
    return book, path
