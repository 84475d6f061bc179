"""Exception hierarchy and exit codes.

BookwiseError                   1   unexpected; every other class has a code of its own
├── UsageError                  2   a flag or an argument that cannot be used
│   ├── TooShort                2   a text that is too short to be searched
│   ├── UnknownThread           2   no such conversation
│   └── UnknownAnswer           2   no such answer in a conversation
├── LessonError                 3   one lesson failed; the run continues
├── ConfigurationError          4   settings, or an index that does not fit them
├── SourceError                 5   the docs root is missing, empty or not a folder
├── EmbeddingError              6   the embedding service
│   ├── InputsRefused           6   the service refused some texts of one request
│   └── ClusterError            6   the Ray cluster cannot be used
│       └── WorkerLost          6   workers of the cluster died on the same work again and again
├── VectorStoreError            7   the vector store
│   ├── PointRefused            7   a point that no engine accepts
│   ├── WriteNotApplied         7   the server accepted a write and did not apply it in time
│   ├── PointerDamaged          7   the embedded index does not say which generation is active
│   ├── RequestFailed           7   a request to the server failed for good
│   ├── IndexNotWritable        7   the index lies where this user cannot write
│   └── IndexInUse              8   another process has the embedded index open
├── StateError                  8   the state file or a database cannot be used
│   ├── RecordsDamaged          8   records of what is indexed that the index can replace
│   ├── IndexLocked             8   another run is writing to the index
│   └── AlreadyRunning          8   a run of this book has not ended
├── ChatModelError              9   the language model
│   ├── InvalidToolCall         9   a tool call of the model that cannot be run
│   └── AnswerTimeout           9   the answer took longer than allowed
├── RerankError                 9   the reranker
├── RefusedByGuard             11   a limit that the user set
│   ├── DeletionRefused        11   the run would delete more than allowed
│   └── BudgetExceeded         11   the run would spend more than allowed
├── OutputError                13   the result cannot be written to stdout
├── Interrupted               130   the run was stopped
│   └── ServerStopping        130   the server was told to stop
└── OutputClosed              141   the reader of a pipe has gone; says nothing
"""

from collections.abc import Mapping
from enum import IntEnum
from typing import Any

from ingestion.masking import masked


class ExitCode(IntEnum):
    """What a process of `bookwise` exits with; no other module holds such a number."""

    DONE = 0
    BUG = 1
    USAGE = 2
    LESSONS_FAILED = 3
    CONFIGURATION = 4
    SOURCE = 5
    EMBEDDING = 6
    VECTOR_STORE = 7
    STATE = 8
    CHAT_MODEL = 9
    NO_ANSWER = 10
    REFUSED = 11
    NOT_IN_STEP = 12
    OUTPUT = 13
    INTERRUPTED = 130
    OUTPUT_CLOSED = 141


class BookwiseError(Exception):
    """An expected failure: the message says what failed, where, and what to do.

    `kind` names the class for programs; `hint` is a next step that does not belong in the message. As text it
    shows no password and no key, wherever its parts come from.
    """

    exit_code = ExitCode.BUG
    kind = "error"
    hint: str | None = None

    def __str__(self) -> str:
        return masked(super().__str__())


class UsageError(BookwiseError):
    """The caller asked for something that does not exist or cannot be combined."""

    exit_code = ExitCode.USAGE
    kind = "usage"


class TooShort(UsageError):
    """A text of one or two characters that is no word of the index finds nothing."""

    kind = "too_short"


class UnknownThread(UsageError):
    """The owner has no such thread."""

    kind = "unknown_thread"

    def __init__(self, thread_id: object) -> None:
        super().__init__(f"no thread {thread_id}")


class UnknownAnswer(UsageError):
    """The owner's thread has no answer with that number."""

    kind = "unknown_answer"

    def __init__(self, thread_id: object, number: int) -> None:
        super().__init__(f"no answer {number} in thread {thread_id}")


class LessonError(BookwiseError):
    """One lesson cannot be indexed; the others can.

    `path` is relative to the docs root, `line` counts from 1 and is None where no line is to blame.
    """

    exit_code = ExitCode.LESSONS_FAILED
    kind = "lesson"

    def __init__(self, path: str, reason: str, line: int | None = None) -> None:
        self.path = path
        self.reason = masked(reason)
        self.line = line
        super().__init__(f"{path}{f':{line}' if line else ''}: {reason}")

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by the arguments: exceptions are otherwise rebuilt from their message alone."""
        return type(self), (self.path, self.reason, self.line)


class ConfigurationError(BookwiseError):
    """The settings are wrong, or do not fit the index."""

    exit_code = ExitCode.CONFIGURATION
    kind = "configuration"


class SourceError(BookwiseError):
    """The docs root cannot be indexed."""

    exit_code = ExitCode.SOURCE
    kind = "source"


class EmbeddingError(BookwiseError):
    """The embedding service failed for good."""

    exit_code = ExitCode.EMBEDDING
    kind = "embedding"


class InputsRefused(EmbeddingError):
    """The service refused a request because of its texts: sent in parts, some may pass."""

    kind = "inputs_refused"


class ClusterError(EmbeddingError):
    """The Ray cluster does not answer, has no room, or runs another version of bookwise."""

    kind = "cluster"


class WorkerLost(ClusterError):
    """Workers of the cluster died on the same work again and again; other work may pass."""

    kind = "worker_lost"


class VectorStoreError(BookwiseError):
    """The vector store failed for good."""

    exit_code = ExitCode.VECTOR_STORE
    kind = "vector_store"


class PointRefused(VectorStoreError):
    """A point that no engine accepts; nothing was written. `source_file` is its lesson, where it names one."""

    kind = "point_refused"

    def __init__(self, point_id: str, payload: Mapping[str, Any], reason: str) -> None:
        self.source_file: str | None = payload.get("source_file")
        self.reason = masked(reason)
        super().__init__(f"{self.source_file or 'point'}, chunk {payload.get('chunk_index')} ({point_id}): {reason}")


class WriteNotApplied(VectorStoreError):
    """The server accepted a write and did not apply it in time."""

    kind = "write_not_applied"


class PointerDamaged(VectorStoreError):
    """CURRENT does not say which generation is active; a run that writes finds it again."""

    kind = "pointer_damaged"

    def __init__(self, message: str) -> None:
        super().__init__(f"{message}; `bookwise verify --repair` or the next `bookwise ingest` repairs it")


class RequestFailed(VectorStoreError):
    """A request to the server failed for good; `status` is its HTTP status, None where there was no answer."""

    kind = "request_failed"

    def __init__(self, message: str, status: int | None = None) -> None:
        self.status = status
        super().__init__(message)


class IndexNotWritable(VectorStoreError):
    """The index lies where this user cannot write: it can be read, and a command that writes it fails."""

    kind = "index_not_writable"

    def __init__(self, folder: object, reason: object) -> None:
        super().__init__(
            f"the index in {folder} cannot be written ({reason}); run this as its owner, or keep an index of your "
            "own elsewhere (BOOKWISE_DIRECTORY)"
        )


class IndexInUse(VectorStoreError):
    """Another process has the embedded index open."""

    exit_code = ExitCode.STATE
    kind = "index_in_use"


class StateError(BookwiseError):
    """The record of what is indexed cannot be read or written."""

    exit_code = ExitCode.STATE
    kind = "state"


class RecordsDamaged(StateError):
    """The records of what is indexed are damaged; a run sets them aside and rebuilds them from the index."""

    kind = "records_damaged"


class IndexLocked(StateError):
    """Another run is writing to the same index."""

    kind = "index_locked"


class AlreadyRunning(StateError):
    """A run of the book has not ended; `job_id` is that run."""

    kind = "already_running"

    def __init__(self, job_id: int) -> None:
        self.job_id = job_id
        super().__init__(f"run {job_id} of this book has not ended")


class ChatModelError(BookwiseError):
    """The language model failed for good."""

    exit_code = ExitCode.CHAT_MODEL
    kind = "chat_model"


class InvalidToolCall(ChatModelError):
    """A tool call that cannot be run; the message tells the model what to write instead.

    `query` is what the model wanted to search for.
    """

    kind = "invalid_tool_call"

    def __init__(self, message: str, query: str = "") -> None:
        super().__init__(message)
        self.query = query


class AnswerTimeout(ChatModelError):
    """The answer took longer than allowed."""

    kind = "answer_timeout"


class RerankError(BookwiseError):
    """The reranker failed for good."""

    exit_code = ExitCode.CHAT_MODEL
    kind = "rerank"


class RefusedByGuard(BookwiseError):
    """A limit that the user set stopped the run; nothing was changed."""

    exit_code = ExitCode.REFUSED
    kind = "refused"


class DeletionRefused(RefusedByGuard):
    """The run would delete more of the index than allowed."""

    kind = "deletion_refused"


class BudgetExceeded(RefusedByGuard):
    """Embedding would take more tokens or money than the run may spend."""

    kind = "budget_exceeded"


class OutputError(BookwiseError):
    """The result cannot be written to stdout, for instance because the disk is full."""

    exit_code = ExitCode.OUTPUT
    kind = "output"


class Interrupted(BookwiseError):
    """The run was stopped; completed work is saved."""

    exit_code = ExitCode.INTERRUPTED
    kind = "interrupted"


class ServerStopping(Interrupted):
    """The server was told to stop before the answer was ready."""

    kind = "server_stopping"


class OutputClosed(BookwiseError):
    """The reader of a pipe has gone, as with `| head`; there is nobody left to tell."""

    exit_code = ExitCode.OUTPUT_CLOSED
    kind = "output_closed"
