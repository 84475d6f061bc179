"""`bookwise verify`: compare every lesson with its points."""

from __future__ import annotations

from typing import Annotated

import typer

from ingestion.commands.ingest import run_and_show
from ingestion.commands.options import AllowDelete, Book, Books, Config, Docs, Json, State, Verbose
from ingestion.commands.reporting import Reports
from ingestion.errors import ExitCode

SAMPLE = 20
"""Chunks that `--vectors` embeds again: a few cents' worth, spread over the book."""


def verify(
    docs: Docs = None,
    repair: Annotated[bool, typer.Option("--repair", help="Repair the differences.")] = False,
    vectors: Annotated[bool, typer.Option("--vectors", help="Compare vectors too.")] = False,
    sample: Annotated[
        int, typer.Option("--sample", metavar="N", min=0, help="With --vectors: chunks per book to embed again.")
    ] = SAMPLE,
    book: Book = None,
    config: Config = None,
    allow_delete: AllowDelete = False,
    state: State = None,
    reports: Reports = None,
    books: Books = None,
    as_json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Compare every lesson with its points in the index.

    Ignores the state file. Exits with code 12 if anything differs. Without --vectors, it trusts the text hash stored
    with each vector. With --vectors, it also compares all sparse vectors, and the dense ones that are cached or in
    the sample.
    """
    report = run_and_show(
        docs,
        "full",
        book,
        config,
        books,
        as_json=as_json,
        verbose=verbose,
        flags={"index.state": state},
        reports=reports,
        sample=sample if vectors else None,
        dry_run=not repair,
        allow_delete=allow_delete or not repair,
    )
    if report.failures:
        raise typer.Exit(ExitCode.LESSONS_FAILED)
    if report.pending and not repair:
        raise typer.Exit(ExitCode.NOT_IN_STEP)
