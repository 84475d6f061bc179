"""`bookwise delete-book`: remove one book."""

from __future__ import annotations

from contextlib import closing
from typing import Annotated

import typer

from ingestion.commands.configuration import read_settings
from ingestion.commands.options import Config, Json, Yes
from ingestion.commands.terminal import confirm, show


def delete_book(
    book: Annotated[str, typer.Argument(metavar="BOOK", help="Id of the book to remove from the index.")],
    yes: Yes = False,
    config: Config = None,
    as_json: Json = False,
) -> None:
    """Remove one book from the index and the state.

    The lessons themselves are not touched.
    """
    from ingestion.factory import build_parts
    from ingestion.operations.delete_book import delete_book as delete

    confirm(f"Remove {book} from the index?", yes=yes)
    with closing(build_parts(read_settings(config, flags={"book.id": book}))) as parts:
        chunks = delete(parts, book)
    show([f"{book}: {chunks} chunks removed."], {"book_id": book, "chunks_deleted": chunks}, as_json=as_json)
