"""`bookwise verify`: compare every lesson with its points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ingestion.commands.ingest import run_ingest, show_report
from ingestion.commands.options import AllowDelete, Docs, State
from ingestion.commands.terminal import Book, Config, Json, Verbose
from ingestion.errors import ExitCode

if TYPE_CHECKING:
    pass


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
    report = run_ingest(
        docs,
        "full",
        book,
        config,
        verbose=verbose,
        flags={"index.state": state},
        dry_run=not repair,
        allow_delete=allow_delete or not repair,
    )
    show_report(report, as_json=as_json, verbose=verbose)
    if report.failures:
        raise typer.Exit(ExitCode.LESSONS_FAILED)
    if report.pending and not repair:
        raise typer.Exit(ExitCode.NOT_IN_STEP)
