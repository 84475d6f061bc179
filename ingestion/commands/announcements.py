"""What a run says before it works: which book it takes where none is named."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ingestion.book_files import MAX_LESSON_BYTES, read_book_file
from ingestion.books import DEFAULT_BOOK
from ingestion.commands.terminal import note
from ingestion.errors import RecordsDamaged, UsageError

if TYPE_CHECKING:
    from ingestion.models import IngestionRecord
    from ingestion.sync.parts import Parts

HOW_TO_NAME = "`bookwise init` writes an id into bookwise.toml, --book and BOOKWISE_BOOK set one too"


def announce_book(parts: Parts, root: Path, book_id: str) -> None:
    """Say on stderr which id is taken for a book without one; raises UsageError where it cannot be right.

    Two folders under the default id would be one book.
    """
    if not root.is_dir() or parts.settings.book.id:
        return
    try:
        state = parts.states.load(book_id, parts.settings.qdrant.collection)
    except RecordsDamaged:
        return  # the run that follows tells of it
    here = Path(os.path.relpath(root.resolve(), parts.states.folder.resolve())).as_posix()
    is_elsewhere = state.docs_root not in (None, here)
    if book_id == DEFAULT_BOOK and is_elsewhere and not _holds_most(root, state.records):
        raise UsageError(
            f"{book_id} is the id of a book without one, and was indexed from {state.docs_root}; {here} would "
            f"take its place. Give each book an id: {HOW_TO_NAME}"
        )
    note(f"the book has no id, so that {book_id} is taken; {HOW_TO_NAME}")


def _holds_most(root: Path, records: Mapping[str, IngestionRecord]) -> bool:
    """Return whether most recorded lessons are below `root` as they are recorded: the same book, in another
    checkout.
    """
    files = ((root / path, record.file_hash) for path, record in records.items())
    return 2 * sum(_has_hash(path, known) for path, known in files) >= len(records)


def _has_hash(path: Path, known: str) -> bool:
    from ingestion.source.reader import hash_of_text

    try:
        return hash_of_text(read_book_file(path, MAX_LESSON_BYTES)) == known
    except OSError:
        return False
