"""Results as plain tables, ready to be printed; the command line decides how."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ingestion.output import Cell, Table, View, counted

if TYPE_CHECKING:
    from ingestion.operations.info import BookInfo, IndexInfo
    from ingestion.report import IngestReport
    from ingestion.source.contents import Contents
    from ingestion.source.crawler import Skipped
    from ingestion.source.linter import CheckReport
    from ingestion.state.job_ledger import LedgerEntry
    from ingestion.vector_stores.health import Health
    from ingestion.vector_stores.types import KeptGeneration

_MEANINGS = {
    "outdated": "indexed by another version, with other settings or another book outline",
    "unrecorded": "in the index but not in the state file; the next run adds them",
}


def contents_view(contents: Contents) -> View:
    """Return what would be indexed, by module, and what is skipped and why."""
    pages = [
        (page.path, page.place.module, page.place.chapter, page.place.lesson, page.place.doc_type)
        for page in contents.pages
    ]
    return [
        Table("Lessons", ("path", "module", "chapter", "lesson", "kind"), pages),
        Table("Modules", ("module", "files"), sorted(contents.modules.items())),
        Table("Skipped", ("path", "reason"), [(entry.path, entry.reason) for entry in contents.skipped]),
        *(f"These paths differ only in case: {', '.join(group)}" for group in contents.clashes),
        *(f"note: {note}" for note in contents.notes),
        f"{len(contents.pages)} files to index below {contents.root}, {len(contents.skipped)} skipped",
    ]


def report_view(report: IngestReport, *, verbose: bool) -> View:
    """Return what a run did, or would do; files only where there are few or all are asked for."""
    by_change = sorted((change, path) for path, change in report.changes.items())
    changes = [_change_row(change, path, report.moved_from.get(path)) for change, path in by_change]
    shown = changes if verbose or len(changes) <= 20 else []
    findings = report.findings if verbose else report.findings[:10]
    skipped = [(entry.path, entry.reason) for entry in report.skipped] if verbose else []
    more = len(report.findings) - len(findings)
    return [
        Table("Files", ("change", "path", ""), shown),
        Table("Skipped", ("path", "reason"), skipped),
        *(f"warning: {finding}" for finding in findings),
        *([f"… and {more} more warnings; --verbose shows all"] if more else []),
        *(f"failed: {failure}" for failure in report.failures),
        *([] if verbose else skipped_line(report.skipped)),
        _summary(report),
    ]


def _change_row(change: str, path: str, moved_from: str | None) -> tuple[str, str, str]:
    return change, path, f"from {moved_from}" if moved_from else ""


def _summary(report: IngestReport) -> str:
    files = ", ".join(f"{count} {change}" for change, count in sorted(report.files.items()) if count) or "no files"
    if report.failures:
        files += f", {len(report.failures)} failed"
    if report.empty:
        files += f"; {len(report.empty)} of them without text"
    counts = report.chunks
    indexed = f"{counted(report.total_chunks, 'chunk')} {'is' if report.total_chunks == 1 else 'are'} indexed"
    if not report.pending:
        return f"{report.book_id}: {files}. Nothing to do; {indexed}."
    price = f", ${report.cost:.4f}" if report.cost else ""
    verb = "would be " if report.dry_run else ""
    work = (
        f"{counts.embedded} {verb}embedded ({counts.tokens} tokens{price}), {counts.reused} reused, "
        f"{counts.patched} patched, {counts.kept} kept, {counts.deleted} deleted"
    )
    total = "" if report.dry_run else f" {indexed}."
    return f"{report.book_id}: {files}. Chunks: {work}.{total}{_meanings(report)}"


def _meanings(report: IngestReport) -> str:
    """Return what the less plain of the counted words mean."""
    return "".join(f" {word.capitalize()}: {meaning}." for word, meaning in _MEANINGS.items() if report.files[word])


def _problem_lines(report: CheckReport) -> Iterator[str]:
    from ingestion.operations.reports.problems import problems_of

    before = None
    for problem in sorted(problems_of(report), key=lambda each: (each.path, each.line or 0)):
        if before not in (None, problem.path):
            yield ""
        before = problem.path
        level = "error: " if problem.level == "error" else ""
        yield f"{_clickable(problem.path, problem.line)}: {level}{problem.message} [{problem.rule}]"


def check_view(report: CheckReport) -> View:
    """Return one line for each problem, as compilers print them, with a blank line between files, and a sum.

    Paths are those from the current folder, so that terminals and editors open them.
    """
    from ingestion.operations.reports.problems import place_of

    lines = list(_problem_lines(report))
    by_rule = sorted(Counter(finding.rule for finding in report.findings).items())
    rules = ", ".join(f"{count} {rule}" for rule, count in by_rule) or (
        "no other problems found" if report.failures else "no problems found"
    )
    failed = f"{len(report.failures)} cannot be indexed; " if report.failures else ""
    return [
        *lines,
        *([""] if lines else []),
        *(f"{_clickable(place_of(report.root, fix.path), fix.line)}: fixed: {fix.what}" for fix in report.fixed),
        *(f"note: {note}" for note in report.notes),
        *skipped_line(report.skipped),
        f"{report.files} pages checked: {failed}{rules}",
    ]


def _clickable(path: str, line: int | None) -> str:
    return f"{path}:{line}" if line else path


def skipped_line(skipped: Sequence[Skipped]) -> list[str]:
    """Return one line on what a rule leaves out of the book, with the most frequent reasons; none if nothing is."""
    if not skipped:
        return []
    reasons = Counter(entry.reason for entry in skipped).most_common()
    named = ", ".join(f"{count} {reason}" for reason, count in reasons[:3])
    more = f" and {len(reasons) - 3} more reasons" if len(reasons) > 3 else ""
    return [f"skipped {len(skipped)}: {named}{more}; `bookwise crawl` lists them"]


def jobs_view(entries: Sequence[LedgerEntry]) -> View:
    """Return the runs, newest first, in 80 columns; `jobs show` has the rest."""
    if not entries:
        return ["No runs yet."]
    books = {entry.job.book_id for entry in entries}
    columns: tuple[str, ...] = ("job", "started", "mode", "status", "time", "files", "embedded", "cost")
    rows = [_job_row(entry) for entry in entries]
    if len(books) > 1:
        columns = (*columns, "book")
        rows = [(*row, entry.job.book_id) for row, entry in zip(rows, entries, strict=True)]
    return [Table(f"Jobs of {books.pop()}" if len(books) == 1 else "Jobs", columns, rows)]


def job_view(entry: LedgerEntry) -> View:
    """Return one run in full."""
    shown = {name: value for name, value in entry.as_json().items() if name not in ("failures", "changes")}
    failed = [f"failed: {failure['path']}: {failure['reason']}" for failure in entry.failures]
    pages = [_change_row(each["change"], each["path"], each["moved_from"]) for each in entry.changes]
    more = (entry.changed or 0) - len(pages)
    return [
        *(f"{name}: {value}" for name, value in shown.items() if value is not None),
        *failed,
        Table("Pages", ("change", "path", ""), pages),
        *([f"… and {more} more pages"] if more else []),
    ]


def _job_row(entry: LedgerEntry) -> tuple[Cell, ...]:
    job = entry.job
    cost = None if entry.cost is None else f"${entry.cost:.4f}" if entry.cost else "$0"
    took = None if job.duration_seconds is None else f"{job.duration_seconds} s"
    started = job.started_at[:16].replace("T", " ")
    return job.job_id, started, job.mode, job.status, took, job.files_processed, entry.embedded, cost


def generations_view(kept: Sequence[KeptGeneration]) -> View:
    """Return the physical indexes, the active one first."""
    rows = [
        (
            generation.name,
            generation.role or "unused",
            generation.points,
            generation.schema.embedding if generation.schema else None,
        )
        for generation in kept
    ]
    return [
        Table("Generations", ("name", "role", "points", "embedding"), rows),
        *(["nothing is indexed yet"] if not kept else []),
    ]


def info_view(info: IndexInfo) -> View:
    """Return what the index holds."""
    return [
        f"{info.collection}: {counted(info.points, 'chunk')}, embedded by {info.embedding} "
        f"({info.dimensions} dimensions)",
        f"stored in {info.location}",
        Table("Books", ("book", "files", "chunks", "last run"), [_book_row(book) for book in info.books]),
        *(
            Table(f"Modules of {book.book_id}", ("module", "chunks"), sorted(book.modules.items()))
            for book in info.books
        ),
        *(_health_view(info.health) if info.health else ()),
    ]


def _health_view(health: Health) -> View:
    """Return the server's facts, then what is wrong with it."""
    facts = [("version", health.version), *health.facts]
    return [Table("Qdrant", ("fact", "value"), facts), *(f"warning: {warning}" for warning in health.warnings)]


def _book_row(book: BookInfo) -> tuple[Cell, ...]:
    return book.book_id, book.files, book.chunks, book.last_run or "not from here"
