"""Which book a command means, and where its lessons are."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Mapping
from contextlib import closing
from pathlib import Path

from ingestion.book_files import MAX_LESSON_BYTES, read_book_file
from ingestion.errors import ConfigurationError, RecordsDamaged, UsageError
from ingestion.settings import Settings
from ingestion.settings.places import CONFIG_NAME
from ingestion.source.hierarchy import WRAPPERS
from ingestion.state.state_file import StateStore
from ingestion.vector_stores.filters import Where, of_book
from ingestion.vector_stores.protocol import OpenGenerations, PointReader

DOCS = "docs"
"""Where a book without a file that says otherwise has its lessons, if there is such a folder."""

GENERIC_NAMES = (
    *WRAPPERS,
    "doc",
    "documentation",
    "main",
    "master",
    "repo",
    "site",
    "source",
    "web",
    "website",
    "www",
)
"""Names of folders that say nothing of the book in them."""

UNNAMED = "my-book"
MAX_ID_CHARS = 48

HOW_TO_NAME = "`bookwise init`, --book or BOOKWISE_BOOK"


def lessons_of(folder: Path, docs: str | None = None) -> Path:
    """Return the folder of a book's lessons: the one that its file names, else its `docs`, else the book's own."""
    usual = folder / DOCS
    if docs is not None and Path(docs) != usual:
        return Path(docs)
    return usual if usual.is_dir() else folder


def id_of_folder(folder: Path, recorded: Collection[str] = ()) -> str:
    """Return the id of a book whose file names none: its folder's name, or that of one above which says more.

    The name as it is written counts where a book of it is recorded.
    """
    if folder.name in recorded:
        return folder.name
    levels = (folder.resolve(), *folder.resolve().parents[:2])
    named = (slug(level.name) for level in levels if level.name.lower() not in GENERIC_NAMES)
    return next(filter(None, named), UNNAMED)


def slug(name: str) -> str:
    """Return a name in the letters of an id: `My Book (2nd)` is `my-book-2nd`."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode("ascii").lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:MAX_ID_CHARS].strip("-")


def book_to_write(settings: Settings, root: Path, states: StateStore, generations: OpenGenerations) -> str:
    """Return the book that a run over the lessons below `root` writes (docs/design.md, decision 14).

    Without an id these lessons stay the book that they are in the index, whatever their folder is called now.
    Raises UsageError where that name is another folder's.
    """
    if settings.book.id:
        return settings.book.id
    folder = settings.folder if (settings.folder / CONFIG_NAME).is_file() else root
    try:
        recorded = states.books()
    except RecordsDamaged:
        # The run that follows tells of it; the wrong name would make a second book.
        recorded = []
    if not recorded:
        return _stored_book(generations, root, id_of_folder(folder))
    name = id_of_folder(folder, recorded)
    tried = [name] if name in recorded else recorded
    same = [book for book in tried if _is_of(root, book, states, settings.qdrant.collection)]
    if len(same) == 1:
        return same[0]
    if name in recorded:
        raise UsageError(
            f"{name} is in the index with the lessons of another folder, and {root} would take its place. "
            f"Give each book an id with {HOW_TO_NAME}"
        )
    return name


def _is_of(root: Path, book_id: str, states: StateStore, collection: str) -> bool:
    """Return whether a book was made of these lessons: of this folder, of part of it or more, or of another copy."""
    try:
        state = states.load(book_id, collection)
    except RecordsDamaged:
        return True
    hashes = {path: record.file_hash for path, record in state.records.items()}
    if state.docs_root is None:
        return not hashes or _holds_most(root, hashes)
    here, there = root.resolve(), (states.folder / state.docs_root).resolve()
    is_near = here.is_relative_to(there) or there.is_relative_to(here)
    return is_near or _holds_most(root, hashes)


def _stored_book(generations: OpenGenerations, root: Path, name: str) -> str:
    """Return the book whose points are of these lessons where nothing is recorded, else `name`."""
    store = generations.open_active()
    if store is None:
        return name
    from ingestion.sync.known import hashes_of

    with closing(store):
        stored = store.values("book_id", Where())
        if name in stored or len(stored) != 1:
            return name
        [only] = stored
        paths = store.values("source_file", of_book(only))
        return only if _holds_most(root, hashes_of(store, only, paths.keys())) else name


def _holds_most(root: Path, hashes: Mapping[str, str]) -> bool:
    """Return whether most of these files lie below `root`, as they were."""
    return bool(hashes) and 2 * sum(_has_hash(root / path, known) for path, known in hashes.items()) >= len(hashes)


def _has_hash(path: Path, known: str) -> bool:
    from ingestion.source.reader import hash_of_text

    try:
        return hash_of_text(read_book_file(path, MAX_LESSON_BYTES)) == known
    except OSError:
        return False


def book_to_read(settings: Settings, store: PointReader) -> str:
    """Return the configured book, or the only one there is; raises UsageError that lists the choices.

    Raises ConfigurationError where no book has any text.
    """
    books = sorted(store.values("book_id", Where()))
    if not books:
        raise ConfigurationError(
            "the index is empty: no lesson with text was indexed; see `bookwise check`, then run `bookwise ingest`"
        )
    if settings.book.id:
        if settings.book.id not in books:
            raise UsageError(f"no book {settings.book.id!r} in the index; there are {', '.join(books)}")
        return settings.book.id
    if len(books) == 1:
        return books[0]
    raise UsageError(f"choose a book with --book: {', '.join(books)}")
