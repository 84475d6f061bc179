"""What causes each kind of error, and what to do: written by hand, one entry for each class of `ingestion.errors`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ingestion.errors import ExitCode


class Cure(NamedTuple):
    """The heading of a kind of error, its cause and the way out, as Markdown."""

    title: str
    cause: str
    todo: str


EXITS: Mapping[ExitCode, tuple[str, str]] = {
    ExitCode.DONE: ("The command succeeded.", ""),
    ExitCode.BUG: ("A bug.", "Report it, with the output of the same command with `-v`."),
    ExitCode.USAGE: (
        "A flag, argument, filter or question is invalid.",
        "Correct it; `bookwise COMMAND --help` shows the choices.",
    ),
    ExitCode.LESSONS_FAILED: (
        "The command finished, but some lessons cannot be indexed, or `--strict` found warnings.",
        "Run `bookwise check` and fix the lessons it lists. Failed lessons keep their old chunks.",
    ),
    ExitCode.CONFIGURATION: (
        "A setting is invalid, a package is missing, or the index was made with other settings.",
        "Run `bookwise doctor`, which shows each setting and its source.",
    ),
    ExitCode.SOURCE: (
        "The lessons folder is missing, empty or unreadable.",
        "Pass the right folder, or set `book.docs`. Nothing was deleted.",
    ),
    ExitCode.EMBEDDING: (
        "The embedding service, the embedding model or the Ray cluster failed.",
        "Fix what the message names and run the command again; completed work is saved.",
    ),
    ExitCode.VECTOR_STORE: (
        "The embedded index or the Qdrant server cannot be read or written.",
        "Follow the message; `bookwise verify --repair` repairs a damaged index.",
    ),
    ExitCode.STATE: (
        "Another process is using the index, or the state file or a database cannot be used.",
        "Wait for the other process (`bookwise --wait SECONDS`), or follow the message.",
    ),
    ExitCode.CHAT_MODEL: (
        "The language model or the reranker failed.",
        "Check its settings, or use `--no-llm` to quote the book instead.",
    ),
    ExitCode.NO_ANSWER: ("`ask` found no answer in the book.", "Rephrase the question or widen the filters."),
    ExitCode.REFUSED: (
        "The run would delete more, or cost more, than you allow. Nothing was changed.",
        "Check with `bookwise plan`, then fix the folder or raise the limit.",
    ),
    ExitCode.NOT_IN_STEP: (
        "A check failed: `plan --exit-code` or `verify` found differences, `doctor` found a problem, or `eval` is below "
        "`--min-recall`.",
        "Run `bookwise ingest` or `bookwise verify --repair`, or follow the findings.",
    ),
    ExitCode.OUTPUT: (
        "The result or a report cannot be written.",
        "Free disk space or choose another file. Changes to the index are complete.",
    ),
    ExitCode.INTERRUPTED: ("The command was interrupted.", "Run it again; completed work is saved."),
    ExitCode.OUTPUT_CLOSED: ("The reader of a pipe, such as `head`, closed it early.", ""),
}
"""When a command ends with each exit code, and what to do next."""

CURES = {
    "BookwiseError": Cure(
        "Unexpected errors",
        "A bug in bookwise.",
        "Report it, with the output of the same command with `-v`. Completed work is saved; the next run resumes there.",
    ),
    "UsageError": Cure(
        "Invalid commands, flags and questions",
        "A flag, argument, filter or request field has an invalid value, or cannot be combined with another. The message "
        "names it and the allowed values. Modules, books and lessons are listed only if your filters allow them.",
        "Correct the value; `bookwise COMMAND --help` shows the choices. If there are several books, choose one with "
        "`--book` or `BOOKWISE_BOOK`. Without a terminal, answer questions with `--yes`.",
    ),
    "TooShort": Cure(
        "Questions that are too short",
        "A query of one or two characters is searched only if it is a word in the book.",
        "Ask a longer question, or search for a word that is in the book.",
    ),
    "UnknownThread": Cure(
        "Unknown conversation",
        "The thread was deleted, has expired, or belongs to another API key.",
        "Start a new conversation, or use the key that created this one.",
    ),
    "UnknownAnswer": Cure(
        "Unknown answer",
        "The thread has no answer with that number.",
        "Read the thread's messages to see its answers.",
    ),
    "LessonError": Cure(
        "Lessons that fail",
        "A file cannot be indexed: it is not UTF-8, its metadata is invalid, or it changed during the run. The other "
        "lessons are indexed, and this one keeps its old passages.",
        "Fix the file at the line in the message; `bookwise check` lists all such files. Then run `bookwise ingest` again.",
    ),
    "ConfigurationError": Cure(
        "Settings, and indexes that do not match them",
        "A setting is invalid, an extra is not installed, or the index was made with another embedding model. All "
        "problems are listed at once, each with its source.",
        "`bookwise doctor` shows where each setting comes from. If nothing is indexed, run `bookwise ingest`. If you "
        "changed the model, run `bookwise ingest --mode recreate`; `bookwise plan --mode recreate` shows the price. To "
        "install an extra, see [Install](../start/install.md#extras).",
    ),
    "SourceError": Cure(
        "The lessons folder",
        "The folder is missing, is a file, has no lessons (`.md` or `.mdx`), or cannot be read.",
        "Pass the folder with the lessons, or set `book.docs` in `bookwise.toml`. `bookwise crawl` shows what is found and "
        "what is skipped, with the reason. Nothing was deleted from the index.",
    ),
    "EmbeddingError": Cure(
        "The embedding service or model",
        "The service could not be reached, rejected the key, has no quota left, or kept failing after all retries; or a "
        "local model cannot be loaded.",
        "Check `OPENAI_API_KEY`, `OPENAI_BASE_URL` and the model name, then run `bookwise ingest` again; you do not pay "
        "twice for text that was already embedded. `BOOKWISE_EMBEDDER=local` uses the built-in model instead.",
    ),
    "InputsRefused": Cure(
        "Texts that the embedding service refuses",
        "The service refused a text, for example because it has more tokens than the model accepts.",
        "Lower `chunk.max_tokens`, or set `embedding.limits.input_tokens` to the model's limit. Other texts are embedded.",
    ),
    "ClusterError": Cure(
        "The Ray cluster of `ingest --ray`",
        "The cluster does not respond, has no free core, or all workers died. Completed work is saved.",
        "Run `ray status` on that machine, then run the same command again, or run it without `--ray`.",
    ),
    "WorkerLost": Cure(
        "Work that kills Ray workers",
        "Three workers in a row died while they chunked or embedded a lesson, usually because they ran out of memory.",
        "Check the workers' logs. The lesson keeps its old points until a run succeeds.",
    ),
    "VectorStoreError": Cure(
        "The index",
        "The embedded index or the Qdrant server cannot be read or written: the disk is full, files are damaged, the "
        "server is too old, or another program created its collection.",
        "Follow the message. `bookwise verify --repair` repairs an index, and `bookwise ingest --mode recreate` rebuilds a "
        "damaged embedded one; text in the embedding cache is not embedded again.",
    ),
    "PointRefused": Cure(
        "Passages that cannot be stored",
        "A passage is invalid or larger than the server accepts. Nothing of that write was stored.",
        "Look for a very long line or table in the lesson that the message names. If there is none, report it.",
    ),
    "WriteNotApplied": Cure(
        "Writes that the server did not apply",
        "Qdrant accepted a write but did not finish it in time: it is overloaded, or replicas are missing.",
        "Check the server's load and replicas (`bookwise doctor`), then run the command again; it resumes.",
    ),
    "PointerDamaged": Cure(
        "No active generation in an embedded index",
        "The file `CURRENT` in the index folder is damaged, for example by a full disk or an incomplete copy.",
        "Run `bookwise verify --repair` or `bookwise ingest`, which finds the generation without embedding anything.",
    ),
    "RequestFailed": Cure(
        "Requests to Qdrant",
        "The server could not be reached, rejected the key, or kept failing after all retries.",
        "Check `QDRANT_URL` and `QDRANT_API_KEY` with `bookwise doctor`, then run the command again.",
    ),
    "IndexNotWritable": Cure(
        "Read-only indexes",
        "The index is on a read-only disk, in a container layer, or owned by another user. Commands that only read it work.",
        "Run the command as the owner of the folder, or set `BOOKWISE_DIRECTORY` to a folder for your own index.",
    ),
    "IndexInUse": Cure(
        "An embedded index in use by another process",
        "Only one process at a time can open an embedded index. A `serve`, a `chat` or another run has it open.",
        "Wait for it, use `bookwise --wait SECONDS`, or use a Qdrant server, which several processes can use "
        "([guide](../guides/qdrant.md)).",
    ),
    "StateError": Cure(
        "The state file or a database",
        "The state file, the run history or the conversations cannot be read or written: damaged, read-only, busy, or "
        "written by a newer version.",
        "If the format is newer, update bookwise. For databases, check `DATABASE_URL` and its permissions. You can move a "
        "damaged file away (`threads.sqlite` has the conversations and keys, `jobs.sqlite` the run history).",
    ),
    "RecordsDamaged": Cure(
        "Damaged state",
        "The state file, or the state collection on a server, is truncated or corrupt.",
        "Run `bookwise ingest` or `bookwise verify --repair`. It renames the file to `*.damaged` and rebuilds the state "
        "from the index without embedding anything. Commands that only read report it and change nothing.",
    ),
    "IndexLocked": Cure(
        "Another run is writing",
        "Only one run at a time can write to an index; the message names the process.",
        "Wait, or use `bookwise --wait SECONDS`. The lock of a dead run is released automatically; on a server, its lease "
        "expires.",
    ),
    "AlreadyRunning": Cure(
        "This book is already being indexed",
        "The server was asked to index a book while it is being indexed.",
        "Wait for the job in the message, then try again.",
    ),
    "ChatModelError": Cure(
        "The language model",
        "The service could not be reached, rejected the key or the model name, or stopped in the middle of an answer.",
        "Check `OPENAI_API_KEY`, `OPENAI_BASE_URL` and `OPENAI_MODEL`. `--no-llm` quotes the book without a model.",
    ),
    "InvalidToolCall": Cure(
        "Invalid tool calls by the language model",
        "The model called an unknown tool or passed invalid arguments. It gets this message and can try again; you see it "
        "only in logs.",
        "If this happens often, use a model that supports tool calls, or `--no-llm`.",
    ),
    "AnswerTimeout": Cure(
        "Answers that take too long",
        "The model did not finish within the configured time.",
        "Raise `BOOKWISE_API_TIMEOUT`, lower `AGENT_MAX_TURNS`, or use a faster model.",
    ),
    "RerankError": Cure(
        "The reranker",
        "The cross-encoder cannot be loaded, or the rerank endpoint failed or returned something other than scores.",
        "Check the `rerank` settings, or remove them to search without a reranker.",
    ),
    "RefusedByGuard": Cure(
        "Limits",
        "The run would exceed a limit that you set, so it stopped before it changed anything.",
        "See the two kinds above.",
    ),
    "DeletionRefused": Cure(
        "Runs that would delete much of the book",
        "More than `index.max_delete` percent of the lessons are missing, usually because of a wrong folder or an "
        "incomplete checkout.",
        "Check the folder and `bookwise plan`. If the lessons are really gone, use `--allow-delete`; if the whole book is "
        "gone, use `bookwise delete-book`.",
    ),
    "BudgetExceeded": Cure(
        "Runs that would cost more than allowed",
        "Embedding would exceed `--max-tokens` or `--max-cost`.",
        "Check `bookwise plan`, then raise or remove the limit. Nothing was sent.",
    ),
    "OutputError": Cure(
        "Output that cannot be written",
        "The disk is full, or the folder of the report is missing or read-only.",
        "Free space or choose another file. Changes to the index are complete.",
    ),
    "Interrupted": Cure(
        "Interrupted runs",
        "Ctrl-C or a signal stopped the run.",
        "Run it again: completed work is saved, and the next run resumes there.",
    ),
    "ServerStopping": Cure(
        "The server is stopping",
        "The server was stopped before the answer was ready.",
        "Ask again in a moment.",
    ),
    "OutputClosed": Cure(
        "Closed pipes",
        "The next program in a pipe, such as `head`, stopped reading.",
        "Nothing: the command exits silently.",
    ),
}
