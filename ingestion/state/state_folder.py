"""The records of many books, a file each, so that saving one costs that book only (docs/design.md, decision 20)."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote, unquote

from ingestion.errors import StateError
from ingestion.models import IngestionState
from ingestion.own_files import explain
from ingestion.state.state_file import StateFile

STATE_FOLDER = "state"
"""Its name in the folder of the index."""


class StateFolder:
    """`.bookwise/state/<book>.json`; a book without a file is looked for in the state file that one book has."""

    @staticmethod
    def below(directory: Path, *, many: bool) -> Path | None:
        """Return the folder in an index's own where it is in use, or with `many` books will be; else None."""
        folder = directory / STATE_FOLDER
        try:
            return folder if many or next(folder.glob("*.json"), None) else None
        except OSError as error:  # Python 3.13 finds nothing instead
            raise StateError(f"{folder}: cannot be listed: {explain(error)}") from error

    def __init__(self, path: Path, single: StateFile) -> None:
        self.path = path
        self._single = single

    @property
    def folder(self) -> Path:
        """See StateStore: that of the state file, since its entries move here as they are."""
        return self._single.folder

    def load(self, book_id: str, collection: str) -> IngestionState:
        """See StateStore."""
        own = self._file(book_id)
        return (own if own.path.exists() else self._single).load(book_id, collection)

    def last_run(self, book_id: str) -> str | None:
        """See StateStore."""
        own = self._file(book_id)
        return (own if own.path.exists() else self._single).last_run(book_id)

    def set_aside(self, book_id: str) -> str:
        """See StateStore."""
        own = self._file(book_id)
        return (own if own.path.exists() else self._single).set_aside(book_id)

    def books(self) -> list[str]:
        """See StateStore."""
        own = {unquote(path.stem) for path in self.path.glob("*.json")}
        return sorted(own.union(self._single.books()))

    def save(self, state: IngestionState) -> None:
        """See StateStore."""
        self._file(state.book_id).save(state)

    def forget(self, book_id: str) -> None:
        """See StateStore."""
        self._file(book_id).path.unlink(missing_ok=True)
        if book_id in self._single.books():
            self._single.forget(book_id)

    def _file(self, book_id: str) -> StateFile:
        # A name may hold slashes and dots; its file stays in the folder.
        return StateFile(self.path / f"{quote(book_id, safe='').replace('.', '%2E')}.json")
