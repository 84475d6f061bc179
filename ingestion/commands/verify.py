"""`bookwise verify`: compare every lesson with its points."""

from __future__ import annotations

from typing import Annotated

import typer

from ingestion.commands.ingest import run_ingest, show_report
from ingestion.commands.options import AllowDelete, Book, Config, Docs, Json, State, Verbose
from ingestion.commands.reporting import Reports
from ingestion.errors import ExitCode


def verify(
    docs: Docs = None,
    repair: Annotated[bool, typer.Option("--repair", help="Repair the differences.")] = False,
    book: Book = None,
    config: Config = None,
    allow_delete: AllowDelete = False,
    state: State = None,
    reports: Reports = None,
    as_json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Compare every lesson with its points in the index.

    Ignores the state file; exits 12 if anything differs.
    """
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
