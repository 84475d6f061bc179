"""`bookwise ingest --books`: many books, one collection, one report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ingestion.commands.configuration import read_settings
from ingestion.commands.progress import progress_bar
from ingestion.commands.reporting import check_reports, write_reports
from ingestion.commands.terminal import note, show, stdout_kept_clean
from ingestion.commands.vectors import vectors_checked

if TYPE_CHECKING:
    from ingestion.factory import RayChoice
    from ingestion.models import IngestionMode
    from ingestion.operations.many_books import BookFolder, ManyReport
    from ingestion.output import View
    from ingestion.report import IngestReport


def run_books(
    target: str,
    mode: IngestionMode,
    config: Path | None,
    *,
    flags: Mapping[str, Any],
    reports: list[str] | None,
    as_json: bool,
    verbose: bool,
    ray: RayChoice | None = None,
    strict: bool = False,
    sample: int | None = None,
    **how: Any,
) -> IngestReport:
    """Run `ingest` over every book that `target` names, show one report and return it; raises what ended it early."""
    from ingestion.factory import build_parts
    from ingestion.operations.many_books import find_books, ingest_books, read_books, recorded_books

    check_reports(reports)
    settings = read_settings(config, verbose=verbose, flags=flags)
    opened = build_parts(settings, many_books=True, new_index=mode == "recreate", ray=ray)
    with stdout_kept_clean(ray is not None), closing(opened) as parts, vectors_checked(parts, sample) as parts:
        recorded = recorded_books(parts)
        books, unusable = read_books(find_books(target), settings, recorded)
        done = ingest_books(replace(parts, tell=told_once()), books, shown=progress_bar, mode=mode, **how)
        off_shelf = set() if unusable else set(recorded) - {book.book_id for book in books}
    done = replace(done, failures=[*unusable, *done.failures])
    if strict:
        done = _with_findings(done, books)
    whole = done.whole
    show(books_view(done, verbose=verbose), done.as_json(), as_json=as_json)
    write_reports(reports, whole)
    for book_id in sorted(off_shelf):
        note(f"{book_id} is in the index but in no --books folder; `bookwise delete-book {book_id}` removes it")
    if done.outage:
        note(f"ended early: {', '.join(done.not_reached)} not reached; run the same command again to continue")
        raise done.outage
    return whole


def _with_findings(done: ManyReport, books: Sequence[BookFolder]) -> ManyReport:
    """Return the report with all that `bookwise check` finds in the books that were reached."""
    from ingestion.source.linter import check_book

    by_id = {book.book_id: book for book in books}
    reached = [(report, by_id[report.book_id]) for report in done.reports]
    checked = [replace(report, findings=check_book(book.root, book.settings).findings) for report, book in reached]
    return replace(done, reports=checked)


def told_once() -> Callable[[str], None]:
    """Return a function that prints each line on stderr once: a message about a thousand books is one line."""
    printed: set[str] = set()

    def tell(line: str) -> None:
        if line not in printed:
            printed.add(line)
            note(line)

    return tell


def books_view(done: ManyReport, *, verbose: bool) -> View:
    """Return a row for each book where something happened, or for all with `verbose`; then the sums."""
    from ingestion.commands.views import report_view
    from ingestion.output import Table

    columns = ("book", "lessons", "changed", "embedded", "deleted", "failed", "chunks")
    rows = [
        (
            report.book_id,
            report.total_files,
            len(report.changes),
            report.chunks.embedded,
            report.chunks.deleted,
            len(report.failures),
            report.total_chunks,
        )
        for report in done.reports
        if verbose or report.pending or report.failures
    ]
    return [Table("Books", columns, rows), *report_view(done.whole, verbose=verbose)]
