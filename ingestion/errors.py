"""Everything that can go wrong, by name; each class carries the exit code of DESIGN "Exit codes".

BookwiseError                1
├── UsageError               2   a flag or an argument that cannot be used
├── ConfigurationError       4   settings, or an index that does not fit them
├── SourceError              5   the docs root is missing, empty or not a folder
├── EmbeddingError           6   the embedding service
│   └── InputsRefused        6   some of the texts of one request are to blame
├── VectorStoreError         7   the vector store
│   └── IndexInUse           8   another process has the embedded index open
├── StateError               8   the state file cannot be read
│   └── Locked               8   another run is writing
├── ChatModelError           9   the language model
├── RerankError              9   the reranker
├── DeletionGuard           11   the run would delete more than it may
├── BudgetGuard             11   the run would spend more than it may
└── LessonError              3   one lesson; the run goes on
"""

from collections.abc import Mapping
from typing import Any


class BookwiseError(Exception):
    """An expected failure: the message says what failed, where, and what to do."""

    exit_code = 1


class UsageError(BookwiseError):
    """The caller asked for something that does not exist or cannot be combined."""

    exit_code = 2


class ConfigurationError(BookwiseError):
    """The settings are wrong, or do not fit the index."""

    exit_code = 4


class SourceError(BookwiseError):
    """The docs root cannot be indexed."""

    exit_code = 5


class EmbeddingError(BookwiseError):
    """The embedding service failed for good."""

    exit_code = 6


class InputsRefused(EmbeddingError):
    """The service refused a request for what its texts hold: sent in parts, some may pass."""


class VectorStoreError(BookwiseError):
    """The vector store failed for good."""

    exit_code = 7


class IndexInUse(VectorStoreError):
    """Another process holds the embedded index."""

    exit_code = 8


class PointRefused(VectorStoreError):
    """A point that no engine may be given; nothing was written. `source_file` is its lesson, where it names one."""

    def __init__(self, point_id: str, payload: Mapping[str, Any], reason: str) -> None:
        self.source_file: str | None = payload.get("source_file")
        self.reason = reason
        super().__init__(f"{self.source_file or 'point'}, chunk {payload.get('chunk_index')} ({point_id}): {reason}")


class StateError(BookwiseError):
    """The record of what is indexed cannot be read or written."""

    exit_code = 8


class Locked(StateError):
    """Another run is writing to the same index."""


class ChatModelError(BookwiseError):
    """The language model failed for good."""

    exit_code = 9


class RerankError(BookwiseError):
    """The reranker failed for good."""

    exit_code = 9


class DeletionGuard(BookwiseError):
    """The run would delete more of the index than it may without being told to."""

    exit_code = 11


class BudgetGuard(BookwiseError):
    """Embedding would take more tokens or money than the run may spend."""

    exit_code = 11


class Interrupted(BookwiseError):
    """The run was stopped; what was finished is recorded."""

    exit_code = 130


class LessonError(BookwiseError):
    """One lesson cannot be indexed; the others can.

    `path` is relative to the docs root, `line` counts from 1 and is None where no line is to blame.
    """

    exit_code = 3

    def __init__(self, path: str, reason: str, line: int | None = None) -> None:
        self.path = path
        self.reason = reason
        self.line = line
        super().__init__(f"{path}{f':{line}' if line else ''}: {reason}")
