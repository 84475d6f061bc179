"""`bookwise jobs`: list past runs."""

from __future__ import annotations

from contextlib import closing
from typing import Annotated

import typer

from ingestion.commands.configuration import read_settings
from ingestion.commands.options import Book, Config, Json
from ingestion.commands.parsing.program import Command, ListByDefault
from ingestion.commands.terminal import show

jobs = typer.Typer(cls=ListByDefault, help="List past runs, or show one in full.")


@jobs.command("list", cls=Command)
def list_jobs(
    book: Book = None,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, help="Maximum number of runs.")] = 20,
    config: Config = None,
    as_json: Json = False,
) -> None:
    """List the runs that had something to do, newest first."""
    from ingestion.commands.views import jobs_view
    from ingestion.factory import ledger_of

    with closing(ledger_of(read_settings(config))) as ledger:
        entries = ledger.entries(limit=limit, book_id=book)
    show(jobs_view(entries), {"jobs": [entry.as_json() for entry in entries]}, as_json=as_json)


@jobs.command("show", cls=Command)
def show_job(
    job_id: Annotated[int, typer.Argument(metavar="ID", min=1, help="Number of the run, from `jobs list`.")],
    config: Config = None,
    as_json: Json = False,
) -> None:
    """Show one run in full, with its failures."""
    from ingestion.commands.views import job_view
    from ingestion.factory import ledger_of

    with closing(ledger_of(read_settings(config))) as ledger:
        entry = ledger.entry(job_id)
    show(job_view(entry), entry.as_json(), as_json=as_json)
