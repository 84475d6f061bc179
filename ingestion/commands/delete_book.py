"""`bookwise delete-book`: remove one book."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Annotated

import typer

from ingestion.commands.terminal import Config, Json, read_settings, show
from ingestion.errors import UsageError

if TYPE_CHECKING:
    pass


def delete_book(
    book: Annotated[str, typer.Argument(help="Id of the book to remove from the index.")],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    config: Config = None,
    as_json: Json = False,
) -> None:
    """Remove one book from the index and the state. The lessons themselves are not touched."""
    from ingestion.factory import build_parts
    from ingestion.operations.delete_book import delete_book as delete

    if not yes and not typer.confirm(f"Remove {book} from the index?", err=True):
        raise UsageError(f"{book} was not removed; say yes, or use --yes")
    with closing(build_parts(read_settings(config, flags={"book.id": book}))) as parts:
        chunks = delete(parts, book)
    show([f"{book}: {chunks} chunks removed."], {"book_id": book, "chunks_deleted": chunks}, as_json=as_json)
