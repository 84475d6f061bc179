"""Add what must not be committed to a `.gitignore`, whose own lines stay byte for byte."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from ingestion.atomic_file import write_atomically
from ingestion.book_files import read_book_file
from ingestion.errors import ConfigurationError
from ingestion.own_files import explain
from ingestion.settings import Settings
from ingestion.settings.index import STATE_AUTO, STATE_FILE, STATE_QDRANT

GIT_IGNORE = ".gitignore"


def missing_lines(folder: Path, settings: Settings) -> Iterator[str]:
    """Yield the lines that the `.gitignore` of a book lacks, so that neither index nor records are committed."""
    there = {line.strip().strip("/") for line in _read(folder / GIT_IGNORE).splitlines()}
    is_file = settings.index.state not in (STATE_AUTO, STATE_QDRANT)
    state = Path(settings.index.state) if is_file else settings.folder / STATE_FILE
    book = folder.resolve()
    for path, ending in ((Path(settings.index.directory), "/"), (state, "")):
        inside = path.resolve()
        if inside.is_relative_to(book) and inside != book:
            name = inside.relative_to(book).as_posix()
            if name not in there:
                yield name + ending


def add_lines(path: Path, lines: Sequence[str]) -> Path:
    """Add the lines at the end and return the path; raises ConfigurationError where that cannot be done safely."""
    if path.is_symlink():
        raise ConfigurationError(f"{path}: is a link, so it is not changed; add {' and '.join(lines)} yourself")
    before = _read(path)
    end = "\r\n" if "\r\n" in before else "\n"
    gap = "" if not before or before.endswith("\n") else end
    try:
        write_atomically(path, before + gap + "".join(f"{line}{end}" for line in lines))
    except OSError as error:
        raise ConfigurationError(f"{path}: cannot be written: {error.strerror}") from error
    return path


def _read(path: Path) -> str:
    try:
        return read_book_file(path).decode("utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path}: cannot be read: {explain(error)}") from error
