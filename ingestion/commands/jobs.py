"""`bookwise jobs`: list past runs."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Annotated

import typer

from ingestion.commands.terminal import Book, Config, Json, read_settings, show
from ingestion.errors import UsageError

if TYPE_CHECKING:
    pass


def jobs(
    words: Annotated[list[str] | None, typer.Argument(metavar="[show ID]", help="Show one run, whole.")] = None,
    book: Book = None,
    limit: Annotated[int, typer.Option("--limit", min=1, help="Number of runs.")] = 20,
    config: Config = None,
    as_json: Json = False,
) -> None:
    """List the runs that had something to do, or show one with its failures."""
    from ingestion.commands.views import job_view, jobs_view
    from ingestion.factory import ledger_of

    with closing(ledger_of(read_settings(config))) as ledger:
        if words:
            entry = ledger.entry(_job_id(words))
            show(job_view(entry), entry.as_json(), as_json=as_json)
        else:
            entries = ledger.entries(limit=limit, book_id=book)
            show(jobs_view(entries), {"jobs": [each.as_json() for each in entries]}, as_json=as_json)


def _job_id(words: list[str]) -> int:
    """`show 3`, or just `3`."""
    *verb, number = words
    if verb not in ([], ["show"]) or not number.isdecimal():
        raise UsageError(f"jobs {' '.join(words)}: write `bookwise jobs` or `bookwise jobs show ID`")
    return int(number)
