"""`bookwise ingest --books`: keep one collection in sync with many folders of lessons."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

from ingestion.books import id_of_folder, lessons_of
from ingestion.errors import (
    BookwiseError,
    ConfigurationError,
    EmbeddingError,
    IndexLocked,
    LessonError,
    RecordsDamaged,
    UsageError,
    VectorStoreError,
)
from ingestion.operations.book_turns import BookTurns
from ingestion.operations.shelf_rebuild import ShelfRebuild
from ingestion.report import ChunkCounts, IngestReport
from ingestion.settings import Settings, override
from ingestion.settings.loader import CONFIG_NAME, load_settings
from ingestion.sync.parts import Parts
from ingestion.sync.pipeline import Progress, ingest

ShownProgress = Callable[[], AbstractContextManager[Progress]]

OUTAGES = (VectorStoreError, EmbeddingError, IndexLocked)
"""Failures that affect every book: the run ends there, instead of waiting for the same service a thousand times."""


@dataclass(frozen=True, slots=True)
class BookFolder:
    """One book of many: its id, the folder of its lessons, and the settings of its runs."""

    book_id: str
    root: Path
    settings: Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class ManyReport:
    """The outcome per book; `failures` are by folder, `not_reached` are ids that an outage left unchanged."""

    reports: Sequence[IngestReport]
    failures: Sequence[LessonError]
    not_reached: Sequence[str] = ()
    outage: BookwiseError | None = None
    seconds: float = 0.0

    @property
    def whole(self) -> IngestReport:
        """Return one report of all books, with paths from the current folder."""
        placed = [_placed(report) for report in self.reports]

        def each(name: str) -> list[Any]:
            return [getattr(report, name) for report in placed]

        return IngestReport(
            book_id=f"{len(placed)} books",
            mode=next(iter(each("mode")), "incremental"),
            root="",
            dry_run=any(each("dry_run")),
            files=sum(each("files"), Counter()),
            changes=_merged(each("changes")),
            moved_from=_merged(each("moved_from")),
            chunks=sum(each("chunks"), ChunkCounts()),
            empty=list(chain.from_iterable(each("empty"))),
            failures=list(chain(self.failures, *each("failures"))),
            findings=list(chain.from_iterable(each("findings"))),
            skipped=list(chain.from_iterable(each("skipped"))),
            price=next((price for price in each("price") if price is not None), None),
            recipient=next(filter(None, each("recipient")), None),
            seconds=self.seconds,
            total_files=sum(each("total_files")),
            total_chunks=sum(each("total_chunks")),
        )

    def as_json(self) -> dict[str, Any]:
        """Return the report of all books, with each book's own and those that were not reached."""
        books = [report.as_json() for report in self.reports]
        return self.whole.as_json() | {"books": books, "not_reached": list(self.not_reached)}


def _merged(parts: Iterable[Mapping[str, str]]) -> dict[str, str]:
    return {key: value for part in parts for key, value in part.items()}


def _placed(report: IngestReport) -> IngestReport:
    """Return a book's report with paths from the current folder."""

    def at(path: str) -> str:
        return (Path(report.root) / path).as_posix()

    return replace(
        report,
        changes={at(path): change for path, change in report.changes.items()},
        moved_from={at(to): at(was) for to, was in report.moved_from.items()},
        empty=[at(path) for path in report.empty],
        failures=[LessonError(at(each.path), each.reason, each.line) for each in report.failures],
        findings=[replace(each, path=at(each.path)) for each in report.findings],
        skipped=[replace(each, path=at(each.path)) for each in report.skipped],
    )


def find_books(target: str) -> list[Path]:
    """Return the folders of the books: those in a folder, those that a pattern names, or the lines of a list.

    In a list, paths are relative to it, and `#` starts a comment. Raises UsageError where there is none.
    """
    path = Path(target)
    if path.is_dir():
        found = [folder for folder in path.iterdir() if folder.is_dir() and not folder.name.startswith((".", "_"))]
    elif path.is_file():
        found = _listed_in(path)
    else:
        base = Path(path.anchor) if path.anchor else Path()
        found = [folder for folder in base.glob(str(path.relative_to(path.anchor))) if folder.is_dir()]
    if not found:
        raise UsageError(
            f"--books {target}: no folders found; give a folder of books, a pattern or a file with a list of folders"
        )
    return sorted(found)


def _listed_in(path: Path) -> list[Path]:
    lines = (line.partition("#")[0].strip() for line in path.read_text(encoding="utf-8").splitlines())
    found = [path.parent / line for line in lines if line]
    if missing := [folder for folder in found if not folder.is_dir()]:
        raise UsageError(f"{path}: no such folder: {', '.join(map(str, missing))}")
    return found


def recorded_books(parts: Parts) -> list[str]:
    """Return the books of the records; none where these are damaged, of which each book's run tells."""
    try:
        return parts.states.books()
    except RecordsDamaged:
        return []


def read_books(
    folders: Iterable[Path], shared: Settings, recorded: Collection[str] = ()
) -> tuple[list[BookFolder], list[LessonError]]:
    """Return the books, and the folders whose configuration cannot be used.

    A book's `bookwise.toml` says what the book is: its id, modules, crawl, check and chunks; where the index is and
    which embedder makes it are `shared`. The id is that of the file, else the folder's name; `recorded` are those of
    the index. Raises UsageError where two folders claim one id.
    """
    books: dict[str, BookFolder] = {}
    failures = []
    for folder in folders:
        try:
            book = _read_book(folder, shared, recorded)
        except ConfigurationError as error:
            reason = "; ".join(line.strip() for line in str(error).splitlines())
            failures.append(LessonError(folder.as_posix(), reason))
            continue
        if other := books.get(book.book_id):
            raise UsageError(
                f"{other.root} and {book.root} are both the book {book.book_id!r}; give each an id: [book] id = … in "
                f"its {CONFIG_NAME}"
            )
        books[book.book_id] = book
    return list(books.values()), failures


def _read_book(folder: Path, shared: Settings, recorded: Collection[str]) -> BookFolder:
    config = folder / CONFIG_NAME
    if not config.is_file():
        book_id = id_of_folder(folder, recorded)
        settings = replace(shared, book=replace(shared.book, id=book_id))
        return BookFolder(book_id, lessons_of(folder), settings)
    own = load_settings({}, config=config, environ={})
    book_id = own.book.id or id_of_folder(folder, recorded)
    settings = replace(
        shared,
        book=replace(own.book, id=book_id),
        modules=own.modules,
        crawl=own.crawl,
        check=own.check,
        chunk=own.chunk,
    )
    return BookFolder(book_id, lessons_of(folder, own.book.docs), settings)


def ingest_books(parts: Parts, books: Sequence[BookFolder], *, shown: ShownProgress, **how: Any) -> ManyReport:
    """Make the index equal to every book, the one that waited longest first; a book that fails stops no other.

    So a run that was cut off goes on where it ended. `shown` is entered for each book, `how` is as for `ingest`.
    The limits of cost and tokens are for all books together. An outage of a service ends the run, with what was
    done until then in the report. `recreate` makes one new index of all, which replaces the old one at the end.
    """
    began = time.monotonic()
    reports: list[IngestReport] = []
    failures: list[LessonError] = []
    waiting = sorted(books, key=lambda book: _last_run(parts, book))
    rest: list[str] = []
    outage: BookwiseError | None = None
    is_dry = how.get("dry_run", False)
    with _turns_of(parts, books, rebuild=how.get("mode") == "recreate" and not is_dry) as turns:
        for number, book in enumerate(waiting):
            try:
                base = replace(parts, takes_others=False) if is_dry else turns.parts()
                limited = replace(base, settings=_left(book.settings, reports))
                with shown() as progress:
                    reports.append(ingest(limited, book.root, book_id=book.book_id, progress=progress, **how))
            except OUTAGES as error:
                rest, outage = [later.book_id for later in waiting[number:]], error
                break
            except BookwiseError as error:
                failures.append(LessonError(book.root.as_posix(), str(error)))
        if outage is None:
            turns.finish([report.book_id for report in reports])
    return ManyReport(
        reports=reports, failures=failures, not_reached=rest, outage=outage, seconds=time.monotonic() - began
    )


def _turns_of(parts: Parts, books: Sequence[BookFolder], *, rebuild: bool) -> ShelfRebuild | BookTurns:
    return ShelfRebuild(parts, {book.book_id for book in books}) if rebuild else BookTurns(parts)


def _last_run(parts: Parts, book: BookFolder) -> tuple[str, str]:
    try:
        return parts.states.last_run(book.book_id) or "", book.book_id
    except BookwiseError:
        return "", book.book_id


def _left(settings: Settings, done: Sequence[IngestReport]) -> Settings:
    """Return the settings with what is left of the limits."""
    limits: dict[str, Any] = {}
    if settings.embedding.max_tokens is not None:
        limits["embedding.max_tokens"] = max(
            0, settings.embedding.max_tokens - sum(report.chunks.tokens for report in done)
        )
    if settings.embedding.max_cost is not None:
        limits["embedding.max_cost"] = max(
            0.0, settings.embedding.max_cost - sum(report.cost or 0.0 for report in done)
        )
    return override(settings, limits) if limits else settings
