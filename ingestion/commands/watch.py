"""`bookwise watch`: index again whenever a lesson is saved."""

from __future__ import annotations

from ingestion.commands.configuration import read_book
from ingestion.commands.ingest import run_ingest
from ingestion.commands.options import Book, Config, Docs, Verbose
from ingestion.commands.terminal import print_error, show
from ingestion.errors import BookwiseError


def watch(docs: Docs = None, book: Book = None, config: Config = None, verbose: Verbose = False) -> None:
    """Index again whenever a lesson is saved.

    Runs until interrupted, with the same deletion and cost limits as `ingest`.
    """
    from ingestion.commands.views import report_view
    from ingestion.operations.watch import watch as reports

    _, root = read_book(docs, config, verbose=verbose)
    for outcome in reports(root, lambda: run_ingest(docs, "incremental", book, config, verbose=verbose)):
        if isinstance(outcome, BookwiseError):
            print_error(f"error: {outcome}", outcome.hint)
        else:
            show(report_view(outcome, verbose=verbose), {}, as_json=False)
