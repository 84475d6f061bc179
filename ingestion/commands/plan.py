"""`bookwise plan`: show what `ingest` would do."""

from __future__ import annotations

from typing import Annotated

import typer

from ingestion.commands.ingest import run_and_show, site_flag
from ingestion.commands.options import Book, Books, BuiltSite, Config, Docs, Json, Mode, State, Verbose
from ingestion.commands.reporting import Reports
from ingestion.errors import ExitCode


def plan(
    docs: Docs = None,
    mode: Mode = "incremental",
    book: Book = None,
    config: Config = None,
    exit_code: Annotated[
        bool, typer.Option("--exit-code", help="Exit with code 12 if `ingest` has anything to do.")
    ] = False,
    state: State = None,
    site: BuiltSite = None,
    reports: Reports = None,
    books: Books = None,
    as_json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Show what `ingest` would do, without changing anything.

    Lists new, modified, moved and deleted lessons, and what embedding them would cost. `status` is an alias.
    """
    report = run_and_show(
        docs,
        mode,
        book,
        config,
        books,
        dry_run=True,
        allow_delete=True,
        as_json=as_json,
        verbose=verbose,
        flags=site_flag(site) | {"index.state": state},
        reports=reports,
    )
    if report.failures:
        raise typer.Exit(ExitCode.LESSONS_FAILED)
    if exit_code and report.pending:
        raise typer.Exit(ExitCode.NOT_IN_STEP)
