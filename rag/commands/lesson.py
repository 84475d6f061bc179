"""`bookwise lesson`: show a lesson as it is indexed."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from ingestion.commands.configuration import read_settings
from ingestion.commands.options import Book, Config, Json
from ingestion.commands.terminal import show
from ingestion.output import Markdown


def lesson(
    reference: Annotated[str, typer.Argument(metavar="LESSON", help="Path or parent id of the lesson.")],
    book: Book = None,
    config: Config = None,
    as_json: Json = False,
) -> None:
    """Show a whole lesson as it was indexed."""
    from ingestion.books import book_to_read
    from ingestion.factory import open_index
    from rag.retrieval.lessons import read_lesson

    settings = read_settings(config, flags={"book.id": book})
    with closing(open_index(settings)) as store:
        read = read_lesson(store, book_to_read(settings, store), _path_in_book(reference, Path(settings.book.docs)))
    show([Markdown(read.text())], {"title": read.title, "chunks": read.chunks}, as_json=as_json)


def _path_in_book(reference: str, docs: Path) -> str:
    """Return the path below the lessons folder; accepts one from the current folder, as tab completion gives."""
    file, root = Path(reference).absolute(), docs.resolve()
    # Links of the folder are resolved, not of the file: a lesson may itself be a link.
    inside = file.parent.resolve() / file.name
    return inside.relative_to(root).as_posix() if file.is_file() and inside.is_relative_to(root) else reference
