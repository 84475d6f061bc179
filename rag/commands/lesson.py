"""`bookwise lesson`: show a lesson as it is indexed."""

from __future__ import annotations

from contextlib import closing
from typing import Annotated

import typer

from ingestion.commands.configuration import read_settings
from ingestion.commands.options import Book, Config, Json
from ingestion.commands.terminal import show
from ingestion.output import Markdown


def lesson(
    reference: Annotated[str, typer.Argument(metavar="LESSON", help="Path of the lesson, or its parent id.")],
    book: Book = None,
    config: Config = None,
    as_json: Json = False,
) -> None:
    """Show a whole lesson as it is indexed."""
    from ingestion.books import book_to_read
    from ingestion.factory import open_index
    from rag.retrieval.lessons import read_lesson

    settings = read_settings(config, flags={"book.id": book})
    with closing(open_index(settings)) as store:
        read = read_lesson(store, book_to_read(settings, store), reference)
    show([Markdown(read.text())], {"title": read.title, "chunks": read.chunks}, as_json=as_json)
