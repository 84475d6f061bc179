"""`bookwise watch`: index again whenever a lesson is saved."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from ingestion.commands.ingest import run_ingest
from ingestion.commands.options import Docs
from ingestion.commands.terminal import Book, Config, Verbose, read_book, show
from ingestion.errors import BookwiseError

if TYPE_CHECKING:
    pass


def watch(docs: Docs = None, book: Book = None, config: Config = None, verbose: Verbose = False) -> None:
    """Index again whenever a lesson is saved, until interrupted."""
    from ingestion.commands.views import report_view
    from ingestion.operations.watch import watch as reports

    _, root = read_book(docs, config, verbose=verbose)
    for outcome in reports(root, lambda: run_ingest(docs, "incremental", book, config, verbose=verbose)):
        if isinstance(outcome, BookwiseError):
            typer.echo(f"error: {outcome}", err=True)
        else:
            show(report_view(outcome, verbose=verbose), {}, as_json=False)
