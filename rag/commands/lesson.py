"""`bookwise lesson`: show a lesson as it is indexed."""

from __future__ import annotations

from contextlib import closing

from ingestion.commands.terminal import Book, Config, Json, read_settings, show


def lesson(reference: str, book: Book = None, config: Config = None, as_json: Json = False) -> None:
    """Show a whole lesson as indexed, by its path or parent id."""
    from ingestion.books import book_to_read
    from ingestion.factory import open_index
    from rag.retrieval.lessons import read_lesson

    settings = read_settings(config, flags={"book.id": book})
    with closing(open_index(settings)) as store:
        read = read_lesson(store, book_to_read(settings, store), reference)
    show([read.text()], {"title": read.title, "chunks": read.chunks}, as_json=as_json)
