"""The command that copies books to another index."""

from __future__ import annotations

from contextlib import closing, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ingestion.commands.configuration import read_settings
from ingestion.commands.options import Book, Config, Json, Verbose
from ingestion.commands.terminal import show
from ingestion.errors import UsageError
from ingestion.output import counted
from ingestion.settings import override

if TYPE_CHECKING:
    from ingestion.operations.copy_book import CopiedBook
    from ingestion.settings import Settings


def copy(
    to: Annotated[
        str, typer.Option("--to", metavar="TARGET", help="URL of a Qdrant server, or a folder for an embedded index.")
    ],
    to_collection: Annotated[
        str | None, typer.Option("--to-collection", metavar="NAME", help="Name of the target collection.")
    ] = None,
    book: Book = None,
    config: Config = None,
    as_json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Copy all books, or one, to another index.

    Makes the target identical to the source, without embedding anything. An interrupted copy resumes. At the end,
    point counts per file and a sample of vectors are compared. The target server's key is read from
    BOOKWISE_COPY_API_KEY.
    """
    copied = _copy(read_settings(config, verbose=verbose), to, to_collection, book)
    lines = [
        f"{done.book_id}: {counted(done.points, 'point')}, {done.copied} copied, {done.already_there} already there, "
        f"{done.removed} removed, {counted(done.records, 'record')}; point counts per file and "
        f"{counted(done.vectors_checked, 'vector')} verified."
        for done in copied
    ]
    show(lines, {"to": to, "books": [done.as_json() for done in copied]}, as_json=as_json)


def _copy(settings: Settings, to: str, to_collection: str | None, book_id: str | None) -> list[CopiedBook]:
    from ingestion.factory import generations_of, location_of, open_index, states_of
    from ingestion.operations.copy_book import books_to_copy, copy_books
    from ingestion.state.writer_lock import writer_lock

    there = override(
        settings,
        {
            "qdrant.url": to.rstrip("/") if "://" in to else None,
            "qdrant.api_key": settings.qdrant.copy_api_key,
            "qdrant.collection": to_collection or settings.qdrant.collection,
            "index.directory": to,
        },
    )
    if (location_of(there), there.qdrant.collection) == (location_of(settings), settings.qdrant.collection):
        raise UsageError(f"{to} is the source index; choose another target with --to or --to-collection")
    target = generations_of(there)
    with closing(open_index(settings)) as source:
        books = books_to_copy(source, book_id)
        local = nullcontext() if there.qdrant.url else writer_lock(Path(to) / "writer.lock")
        with local, target.writer(settings.index.wait) as lease:
            return copy_books(
                source,
                target,
                books,
                states=states_of(settings, generations_of(settings)),
                collections=(settings.qdrant.collection, there.qdrant.collection),
                lease=lease,
            )
