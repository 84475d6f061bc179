"""`bookwise verify`: compare every lesson with its points."""

from __future__ import annotations

from typing import Annotated

import typer

from ingestion.commands.ingest import run_ingest, show_report
from ingestion.commands.options import AllowDelete, Docs, State
from ingestion.commands.reporting import Reports
from ingestion.commands.terminal import Book, Config, Json, Verbose
from ingestion.errors import ExitCode


def verify(
    docs: Docs = None,
    repair: Annotated[bool, typer.Option("--repair", help="Mend what differs.")] = False,
    book: Book = None,
    config: Config = None,
    allow_delete: AllowDelete = False,
    state: State = None,
    reports: Reports = None,
    as_json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Compare every lesson with its points in the index, whatever the records say; exit 12 where they differ."""
    report = run_ingest(
        docs,
        "full",
        book,
        config,
        verbose=verbose,
        flags={"index.state": state},
        reports=reports,
        dry_run=not repair,
        allow_delete=allow_delete or not repair,
    )
    show_report(report, reports, as_json=as_json, verbose=verbose)
    if report.failures:
        raise typer.Exit(ExitCode.LESSONS_FAILED)
    if report.pending and not repair:
        raise typer.Exit(ExitCode.NOT_IN_STEP)
