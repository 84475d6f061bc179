"""The commands that write or describe the index: read settings, build parts, call one function, show, exit code."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from ingestion.errors import BookwiseError, UsageError
from ingestion.terminal import Book, Config, Json, Verbose, progress_bar, read_book, read_settings, show

if TYPE_CHECKING:
    from ingestion.models import IngestionMode
    from ingestion.report import IngestReport

LESSONS_FAILED, PENDING = 3, 12
CONTRADICTION = (
    "use one of --batch and --resume, --wait only with one of them, --dry-run and --ignore-batches with none"
)
CHECK_FORMATS = ("text", "json", "github")

Docs = Annotated[Path | None, typer.Argument(help="Folder of the lessons, or of the book that holds bookwise.toml.")]
Mode = Annotated[str, typer.Option("--mode", help="incremental, full or recreate.")]
AllowDelete = Annotated[bool, typer.Option("--allow-delete", help="Delete even most of a book.")]
State = Annotated[str | None, typer.Option("--state", help="Where the records are: a file, qdrant or auto.")]
IgnoreBatches = Annotated[
    bool, typer.Option("--ignore-batches", help="Embed now, at the full price, what an open batch embeds too.")
]
Strict = Annotated[bool, typer.Option("--strict", help="Exit 3 on warnings too.")]


def crawl(docs: Docs = None, config: Config = None, as_json: Json = False, verbose: Verbose = False) -> None:
    """Show what would be indexed, by module, and what is skipped and why. Reads nothing but names."""
    from ingestion.table_of_contents import table_of_contents
    from ingestion.views import contents_view

    settings, root = read_book(docs, config, verbose=verbose)
    contents = table_of_contents(root, settings)
    show(contents_view(contents), contents.as_json(), as_json=as_json)


def ingest(
    docs: Docs = None,
    mode: Mode = "incremental",
    book: Book = None,
    config: Config = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the plan, change nothing.")] = False,
    state: State = None,
    allow_delete: AllowDelete = False,
    max_cost: Annotated[float | None, typer.Option("--max-cost", help="Dollars to spend at most.")] = None,
    max_tokens: Annotated[int | None, typer.Option("--max-tokens", help="Tokens to embed at most.")] = None,
    strict: Strict = False,
    batch: Annotated[bool, typer.Option("--batch", help="Send what is to be embedded, at half price.")] = False,
    resume: Annotated[bool, typer.Option("--resume", help="Fetch what was sent, and index it.")] = False,
    wait: Annotated[bool, typer.Option("--wait", help="Wait for the batch to end.")] = False,
    ignore_batches: IgnoreBatches = False,
    as_json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Make the index equal to the lessons: embed what is new, remove what is gone.

    `--batch` has the service embed within a day at half the price; `--resume` then fetches the vectors and indexes,
    or exits 12 while the service is at it. A run that would embed more than --max-cost or --max-tokens allow, or
    what is in an open batch, does nothing and exits 11.
    """
    flags = {"embedding_max_cost": max_cost, "embedding_max_tokens": max_tokens, "state": state}
    if batch or resume or wait:
        from ingestion.batch_commands import BatchOptions, ingest_by_batch

        if batch == resume or dry_run or ignore_batches:
            raise UsageError(CONTRADICTION)
        options = BatchOptions(batch, wait, _mode(mode), allow_delete, strict, as_json, verbose)
        raise typer.Exit(ingest_by_batch(*read_book(docs, config, verbose=verbose, book_id=book, **flags), options))
    how: Any = {"dry_run": dry_run, "allow_delete": allow_delete, "ignore_batches": ignore_batches}
    report = _ingest(docs, mode, book, config, verbose=verbose, flags=flags, **how)
    _show_report(report, as_json=as_json, verbose=verbose)
    if report.failures or (strict and report.findings):
        raise typer.Exit(LESSONS_FAILED)


def plan(
    docs: Docs = None,
    mode: Mode = "incremental",
    book: Book = None,
    config: Config = None,
    exit_code: Annotated[bool, typer.Option("--exit-code", help="Exit 12 when something is pending.")] = False,
    state: State = None,
    as_json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Show what `ingest` would do: new, modified, moved, deleted and unchanged lessons. Changes nothing.

    `status` is another name for it.
    """
    report = _ingest(
        docs, mode, book, config, dry_run=True, allow_delete=True, verbose=verbose, flags={"state": state}
    )
    _show_report(report, as_json=as_json, verbose=verbose)
    if report.failures:
        raise typer.Exit(LESSONS_FAILED)
    if exit_code and report.pending:
        raise typer.Exit(PENDING)


def check(
    docs: Docs = None,
    output: Annotated[str, typer.Option("--format", help="text, json or github (annotations).")] = "text",
    strict: Strict = False,
    config: Config = None,
    as_json: Json = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="List text left out of search too.")] = False,
) -> None:
    """Check the lessons for mistakes: file, line, rule, what to do. Needs no index."""
    from ingestion.check import check_book
    from ingestion.views import annotations_view, check_view

    if output not in CHECK_FORMATS:
        raise UsageError(f"--format {output}: is none of {', '.join(CHECK_FORMATS)}")
    settings, root = read_book(docs, config)
    report = check_book(root, settings, dropped=verbose)
    view = annotations_view(report) if output == "github" else check_view(report)
    show(view, report.as_json(), as_json=as_json or output == "json")
    if report.failures or (strict and report.mistakes):
        raise typer.Exit(LESSONS_FAILED)


def verify(
    docs: Docs = None,
    repair: Annotated[bool, typer.Option("--repair", help="Mend what differs.")] = False,
    book: Book = None,
    config: Config = None,
    allow_delete: AllowDelete = False,
    state: State = None,
    as_json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Compare every lesson with its points in the index, whatever the records say; exit 12 where they differ."""
    report = _ingest(
        docs,
        "full",
        book,
        config,
        verbose=verbose,
        flags={"state": state},
        dry_run=not repair,
        allow_delete=allow_delete or not repair,
    )
    _show_report(report, as_json=as_json, verbose=verbose)
    if report.failures:
        raise typer.Exit(LESSONS_FAILED)
    if report.pending and not repair:
        raise typer.Exit(PENDING)


def watch(docs: Docs = None, book: Book = None, config: Config = None, verbose: Verbose = False) -> None:
    """Index again whenever a lesson is saved, until interrupted."""
    from ingestion.views import report_view
    from ingestion.watch import watch as reports

    _, root = read_book(docs, config, verbose=verbose)
    for outcome in reports(root, lambda: _ingest(docs, "incremental", book, config, verbose=verbose)):
        if isinstance(outcome, BookwiseError):
            typer.echo(f"error: {outcome}", err=True)
        else:
            show(report_view(outcome, verbose=verbose), {}, as_json=False)


def jobs(
    words: Annotated[list[str] | None, typer.Argument(metavar="[show ID]", help="Show one run, whole.")] = None,
    book: Book = None,
    limit: Annotated[int, typer.Option("--limit", min=1, help="Number of runs.")] = 20,
    config: Config = None,
    as_json: Json = False,
) -> None:
    """List the runs that had something to do, or show one with its failures."""
    from ingestion.build import ledger_of
    from ingestion.views import job_view, jobs_view

    with closing(ledger_of(read_settings(config))) as ledger:
        if words:
            entry = ledger.entry(_job_id(words))
            show(job_view(entry), entry.as_json(), as_json=as_json)
        else:
            entries = ledger.entries(limit=limit, book_id=book)
            show(jobs_view(entries), {"jobs": [each.as_json() for each in entries]}, as_json=as_json)


def info(config: Config = None, as_json: Json = False) -> None:
    """Show what the index holds: books, files, chunks, modules and the embedding."""
    from ingestion.build import open_index
    from ingestion.index_info import index_info
    from ingestion.views import info_view

    settings = read_settings(config)
    with closing(open_index(settings)) as store:
        held = index_info(store, settings)
    show(info_view(held), held.as_json(), as_json=as_json)


def delete_book(
    book: Annotated[str, typer.Argument(help="Id of the book to remove from the index.")],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    config: Config = None,
    as_json: Json = False,
) -> None:
    """Remove one book from the index and the state. The lessons themselves are not touched."""
    from ingestion.books import delete_book as delete
    from ingestion.build import build_parts

    if not yes and not typer.confirm(f"Remove {book} from the index?", err=True):
        raise UsageError(f"{book} was not removed; say yes, or use --yes")
    with closing(build_parts(read_settings(config, book_id=book))) as parts:
        chunks = delete(parts, book)
    show([f"{book}: {chunks} chunks removed."], {"book_id": book, "chunks_deleted": chunks}, as_json=as_json)


def _job_id(words: list[str]) -> int:
    """`show 3`, or just `3`."""
    *verb, number = words
    if verb not in ([], ["show"]) or not number.isdecimal():
        raise UsageError(f"jobs {' '.join(words)}: write `bookwise jobs` or `bookwise jobs show ID`")
    return int(number)


def _mode(mode: str) -> IngestionMode:
    from ingestion.models import MODES

    if mode not in MODES:
        raise UsageError(f"--mode {mode}: is none of {', '.join(MODES)}")
    return cast("IngestionMode", mode)


def _ingest(
    docs: Path | None,
    mode: str,
    book: str | None,
    config: Path | None,
    *,
    verbose: bool,
    flags: Mapping[str, Any] | None = None,
    **options: Any,
) -> IngestReport:
    from ingestion.build import book_to_write, build_parts
    from ingestion.pipeline import ingest as run

    wanted = _mode(mode)
    settings, root = read_book(docs, config, verbose=verbose, book_id=book, **(flags or {}))
    with closing(build_parts(settings)) as parts, progress_bar() as progress:
        return run(
            parts,
            root,
            book_id=book_to_write(settings, parts.states),
            mode=wanted,
            progress=progress,
            **options,
        )


def _show_report(report: IngestReport, *, as_json: bool, verbose: bool) -> None:
    from ingestion.views import report_view

    show(report_view(report, verbose=verbose), report.as_json(), as_json=as_json)
