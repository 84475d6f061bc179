"""`bookwise ingest`: make the index equal to the lessons."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ingestion.commands.configuration import read_book
from ingestion.commands.options import (
    AllowDelete,
    Book,
    Books,
    BuiltSite,
    Config,
    Docs,
    Json,
    MaxCost,
    MaxTokens,
    Mode,
    Ray,
    RayWorkers,
    State,
    Strict,
    Verbose,
)
from ingestion.commands.progress import progress_bar
from ingestion.commands.ray_address import ray_choice
from ingestion.commands.reporting import Reports, check_reports, write_reports
from ingestion.commands.terminal import note, show, stdout_kept_clean
from ingestion.commands.vectors import vectors_checked
from ingestion.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from ingestion.factory import RayChoice
    from ingestion.models import IngestionMode
    from ingestion.report import IngestReport
    from ingestion.sync.parts import Parts


def ingest(
    docs: Docs = None,
    mode: Mode = "incremental",
    book: Book = None,
    config: Config = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be done; change nothing.")] = False,
    state: State = None,
    allow_delete: AllowDelete = False,
    max_cost: MaxCost = None,
    max_tokens: MaxTokens = None,
    strict: Strict = False,
    reports: Reports = None,
    site: BuiltSite = None,
    books: Books = None,
    ray: Ray = None,
    ray_workers: RayWorkers = None,
    as_json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Update the index to match the lessons.

    Embeds new text, deletes removed text, and leaves the rest as it is.

    A run that would exceed --max-cost or --max-tokens changes nothing and exits with code 11.
    """
    flags = site_flag(site) | {
        "embedding.max_cost": max_cost,
        "embedding.max_tokens": max_tokens,
        "index.state": state,
    }
    how: Any = {"dry_run": dry_run, "allow_delete": allow_delete, "ray": ray_choice(ray, ray_workers)}
    how |= {"flags": flags, "reports": reports, "strict": strict, "verbose": verbose}
    report = run_and_show(docs, mode, book, config, books, as_json=as_json, **how)
    if report.failures or (strict and report.findings):
        raise typer.Exit(ExitCode.LESSONS_FAILED)


def run_and_show(
    docs: Path | None,
    mode: IngestionMode,
    book: str | None,
    config: Path | None,
    books: str | None,
    *,
    reports: list[str] | None,
    as_json: bool,
    verbose: bool,
    **how: Any,
) -> IngestReport:
    """Run `ingest` over one book, or with `books` over many, show the report and write it to each of `reports`."""
    if books:
        from ingestion.commands.ingest_books import run_books

        if docs or book:
            raise UsageError("--books names the folders, and each book has its own id: leave out DOCS and --book")
        if "book.built" in how["flags"]:
            raise UsageError("--books selects many books: set `built` in the bookwise.toml of each instead of --site")
        return run_books(books, mode, config, reports=reports, as_json=as_json, verbose=verbose, **how)
    report = run_ingest(docs, mode, book, config, reports=reports, verbose=verbose, **how)
    from ingestion.commands.views import report_view

    show(report_view(report, verbose=verbose), report.as_json(), as_json=as_json)
    write_reports(reports, report)
    return report


def site_flag(site: Path | None) -> dict[str, Any]:
    """Return the setting that `--site` stands for; raises UsageError for a folder that is not there."""
    if site and not site.is_dir():
        raise UsageError(f"--site {site}: no such folder; build the site first, or give the build folder")
    return {"book.built": str(site)} if site else {}


def run_ingest(
    docs: Path | None,
    mode: IngestionMode,
    book: str | None,
    config: Path | None,
    *,
    verbose: bool,
    flags: Mapping[str, Any] | None = None,
    reports: list[str] | None = None,
    ray: RayChoice | None = None,
    strict: bool = False,
    sample: int | None = None,
    **options: Any,
) -> IngestReport:
    """Run `ingest` with the settings of this call; for `reports` also count what the index then holds.

    `strict` reports what `bookwise check` finds, also in lessons that did not change; with `sample` vectors are
    compared too, and so many embedded again.
    """
    from ingestion.books import HOW_TO_NAME, book_to_write
    from ingestion.factory import build_parts
    from ingestion.sync.pipeline import ingest as run

    check_reports(reports)
    settings, root = read_book(docs, config, verbose=verbose, flags={"book.id": book, **(flags or {})})
    with (
        stdout_kept_clean(ray is not None),
        closing(build_parts(settings, new_index=mode == "recreate", ray=ray)) as opened,
        vectors_checked(opened, sample) as parts,
        progress_bar() as progress,
    ):
        book_id = book_to_write(settings, root, parts.states, parts.generations)
        if not settings.book.id and root.is_dir():
            note(f"no book id set; using {book_id!r} for {root} (set one with {HOW_TO_NAME})")
        report = run(replace(parts, tell=note), root, book_id=book_id, mode=mode, progress=progress, **options)
        if strict:
            from ingestion.source.linter import check_book

            report = replace(report, findings=check_book(root, settings).findings)
        return _with_coverage(report, parts, book_id) if reports else report


def _with_coverage(report: IngestReport, parts: Parts, book_id: str) -> IngestReport:
    store = parts.generations.open_active()
    if store is None:
        return report
    from ingestion.operations.info import coverage_of

    with closing(store):
        return replace(report, coverage=coverage_of(store, book_id))
