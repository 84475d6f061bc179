"""Groups kept on disk between two passes: a budget is checked before anything is embedded, chunks are made once."""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Iterator
from types import TracebackType

from ingestion.sync.file_groups import ComparedGroup

MEMORY_BYTES = 16 << 20
"""What is kept in memory before a file is made: most runs of an index that exists need none."""


class GroupSpool:
    """Groups in the order they were put in, read back once; memory does not grow with the book."""

    def __init__(self) -> None:
        self._file = tempfile.SpooledTemporaryFile(max_size=MEMORY_BYTES)  # noqa: SIM115 - closed by __exit__
        self._groups = 0

    def __enter__(self) -> GroupSpool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def put(self, group: ComparedGroup) -> None:
        """Append a group."""
        pickle.dump(group, self._file, pickle.HIGHEST_PROTOCOL)
        self._groups += 1

    def groups(self) -> Iterator[ComparedGroup]:
        """Yield the groups in order."""
        self._file.seek(0)
        for _ in range(self._groups):
            # What is read was written by this process into a file that has no name.
            yield pickle.load(self._file)
