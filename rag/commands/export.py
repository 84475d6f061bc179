"""`bookwise export`: write the book as text files that agents and other tools read."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ingestion.commands.configuration import read_settings
from ingestion.commands.options import Book, Config, Json
from ingestion.commands.terminal import show
from ingestion.errors import OutputError, UsageError
from rag.commands.filter_options import with_filters
from rag.filters import NO_FILTERS, Filters

if TYPE_CHECKING:
    from ingestion.settings import Settings
    from ingestion.vector_stores.protocol import PointReader

INDEX_NAME = "llms.txt"
FULL_NAME = "llms-full.txt"


@with_filters()
def export(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="Folder for both files; created if missing.")
    ] = Path(),
    book: Book = None,
    filters: Filters = NO_FILTERS,
    config: Config = None,
    chunks: Annotated[
        Path | None,
        typer.Option("--chunks", metavar="FILE.jsonl", help="Write the chunks to this file instead, one per line."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Write the book as llms.txt, or its chunks as JSON lines.

    llms.txt lists the lessons with their URLs, and llms-full.txt contains their Markdown. --chunks writes the chunks
    in the index. All contain only what the filters allow: without `--tier`, lessons for hardware tier 1. Existing
    files are replaced.
    """
    from ingestion.books import book_to_read
    from ingestion.factory import open_index

    settings = read_settings(config, flags={"book.id": book})
    with closing(open_index(settings)) as store:
        book_id = book_to_read(settings, store)
        if chunks:
            _write_chunks(store, settings, book_id, filters, chunks, as_json=as_json)
            return
        texts, lessons = _texts(store, settings, book_id, filters)
    written = {str(folder / name): _write(folder / name, text) for name, text in texts.items()}
    document = {"book_id": book_id, "lessons": lessons, "filters": filters.given(), "files": list(written)}
    sizes = ", ".join(f"{path} ({size:,} bytes)" for path, size in written.items())
    show([f"{book_id}: {lessons} lessons ({filters.describe()}).", f"Written: {sizes}."], document, as_json=as_json)


def _texts(store: PointReader, settings: Settings, book_id: str, filters: Filters) -> tuple[dict[str, str], int]:
    from rag.retrieval.catalogue import list_lessons
    from rag.retrieval.filters import check_values, where_of
    from rag.retrieval.llms_txt import full_text, index_text

    modules = settings.modules
    where = where_of(book_id, filters, modules)
    entries = list_lessons(store, where, modules)
    if not entries:
        check_values(book_id, filters, store, modules)
        raise UsageError(
            f"{book_id} has no lesson that matches these filters ({filters.describe()}); nothing was written"
        )
    title = settings.book.title or book_id
    full = "".join(full_text(title, entries, store, book_id, where))
    return {INDEX_NAME: index_text(title, entries, modules), FULL_NAME: full}, len(entries)


def _write_chunks(
    store: PointReader, settings: Settings, book_id: str, filters: Filters, path: Path, *, as_json: bool
) -> None:
    from rag.commands.exported_chunks import chunk_lines
    from rag.retrieval.filters import check_values, where_of

    points = store.scroll(where_of(book_id, filters, settings.modules))
    lines = list(chunk_lines(points, store.schema, settings.chunk.visible_props))
    if not lines:
        check_values(book_id, filters, store, settings.modules)
        raise UsageError(
            f"{book_id} has no chunk that matches these filters ({filters.describe()}); nothing was written"
        )
    size = _write(path, "".join(lines))
    document = {"book_id": book_id, "chunks": len(lines), "filters": filters.given(), "files": [str(path)]}
    summary = [f"{book_id}: {len(lines)} chunks ({filters.describe()}).", f"Written: {path} ({size:,} bytes)."]
    show(summary, document, as_json=as_json)


def _write(path: Path, text: str) -> int:
    from ingestion.atomic_file import write_atomically

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, text)
    except OSError as error:
        raise OutputError(f"cannot write {path}: {error.strerror or error}") from error
    return len(text.encode())
