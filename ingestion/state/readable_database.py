"""A file of SQLite that may lie where this user cannot write: SQLite opens one in WAL mode only to write."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from ingestion.own_files import is_refused, make_private, open_own


class ReadableDatabase:
    """`path` is the file, which is made private and is there; or `is_copy`, where the file cannot be written.

    A copy is empty where there is no file, and goes with `close`. Raises OSError for a file that cannot be read.
    """

    def __init__(self, file: Path) -> None:
        self._folder: TemporaryDirectory[str] | None = None
        self.path = file
        try:
            make_private(file)
        except OSError as error:
            if not is_refused(error):
                raise
            self._copy(file)

    @property
    def is_copy(self) -> bool:
        """Return whether what is written is lost."""
        return self._folder is not None

    def close(self) -> None:
        """Remove the copy."""
        if self._folder:
            self._folder.cleanup()

    def _copy(self, file: Path) -> None:
        self._folder = TemporaryDirectory(prefix="bookwise-", ignore_cleanup_errors=True)
        self.path = Path(self._folder.name) / file.name
        try:
            make_private(self.path)
            # The log beside it has what was written since its last checkpoint.
            for suffix in ("", "-wal"):
                with suppress(FileNotFoundError):
                    _copy_contents(_beside(file, suffix), _beside(self.path, suffix))
        except BaseException:
            self.close()
            raise


def _beside(file: Path, suffix: str) -> Path:
    return file.with_name(file.name + suffix)


def _copy_contents(source: Path, target: Path) -> None:
    with os.fdopen(open_own(source, os.O_RDONLY), "rb") as old, target.open("wb") as new:
        shutil.copyfileobj(old, new)
