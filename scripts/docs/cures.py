"""What causes each kind of error, and what to do: written by hand, one entry for each class of `ingestion.errors`."""

from __future__ import annotations

from typing import NamedTuple


class Cure(NamedTuple):
    """The heading of a kind of error, its cause and the way out, as Markdown."""

    title: str
    cause: str
    todo: str


CURES = {
    "BookwiseError": Cure(
        "Unexpected errors",
        "A bug: something happened that the code does not foresee.",
        "Report it with the output of the same command with `-v`. Completed work is saved; the next run resumes there.",
    ),
    "UsageError": Cure(
        "A command, flag or question that cannot be used",
        "A flag, argument, filter or request field has a value that does not exist or cannot be combined. The message "
        "names it and the allowed values; of modules, books and lessons only those that your filters allow.",
        "Correct the value; `bookwise COMMAND --help` shows the choices. Where several books are indexed, choose one with "
        "`--book` or `BOOKWISE_BOOK`. Without a terminal, questions are answered with `--yes`.",
    ),
    "TooShort": Cure(
        "A question that is too short",
        "One or two characters are searched only where the book has them as a word.",
        "Write the question out, or search for a word that the book has.",
    ),
    "UnknownThread": Cure(
        "A conversation that is not there",
        "The thread was deleted, has expired, or belongs to another API key.",
        "Start a new conversation, or use the key that made it.",
    ),
    "UnknownAnswer": Cure(
        "An answer that is not there",
        "The thread exists, and has no answer with that number.",
        "Read the thread's messages to see which answers it has.",
    ),
    "LessonError": Cure(
        "A lesson that fails",
        "One file cannot be indexed: it is no UTF-8 text, its metadata cannot be read, or it changed during the run. The "
        "other lessons are indexed, and the old passages of this one stay.",
        "Open the file at the line of the message and correct it; `bookwise check` lists all such files at once. Then run "
        "`bookwise ingest` again.",
    ),
    "ConfigurationError": Cure(
        "Settings, or an index that does not fit them",
        "A setting cannot be read or used, an extra is not installed, or the index was made with another embedding model. "
        "All mistakes are listed at once, each with its source.",
        "`bookwise doctor` shows where each setting comes from. If nothing is indexed, run `bookwise ingest`. If the model "
        "changed on purpose, run `bookwise ingest --mode recreate`; `bookwise plan --mode recreate` shows the price. A "
        "missing extra is installed as you installed bookwise: see [Install](../start/install.md#extras).",
    ),
    "SourceError": Cure(
        "The folder of the lessons",
        "The folder is missing, is a file, holds no `.md` or `.mdx`, or cannot be read.",
        "Name the folder that holds the lessons, or set `book.docs` in `bookwise.toml`. `bookwise crawl` shows what is "
        "found and what is skipped, with the rule. Nothing was deleted from the index.",
    ),
    "EmbeddingError": Cure(
        "The embedding service or model",
        "The service could not be reached, refused the key, is out of quota, or kept failing after all retries; or a local "
        "model cannot be loaded.",
        "Check `OPENAI_API_KEY`, `OPENAI_BASE_URL` and the name of the model, then run `bookwise ingest` again: what was "
        "embedded is kept and not paid for twice. Without a service, `BOOKWISE_EMBEDDER=local` uses the built-in model.",
    ),
    "InputsRefused": Cure(
        "Texts that the embedding service refuses",
        "One text of a request is refused, for instance because the model takes fewer tokens than the settings say.",
        "Lower `chunk.max_tokens` or set `embedding.limits.input_tokens` to what the model takes. Other texts are embedded.",
    ),
    "ClusterError": Cure(
        "The Ray cluster of `ingest --ray`",
        "The address does not answer, no core is free, or every worker dies; what was written stays.",
        "Ask `ray status` on that machine, and run the same command again; without `--ray` the run needs no cluster.",
    ),
    "WorkerLost": Cure(
        "Work on which workers of the Ray cluster die",
        "Three workers in a row ended while they chunked or embedded one lesson, mostly for lack of memory.",
        "Look into the logs of the workers for the reason; the lesson keeps its old points until a run succeeds.",
    ),
    "VectorStoreError": Cure(
        "The index",
        "The embedded index or the Qdrant server cannot be read or written: the disk is full, files are damaged, the "
        "server is too old, or its collection was made by something else.",
        "The message says what to do. A damaged embedded index is made again by `bookwise ingest --mode recreate`; texts "
        "that are in the embedding cache are not embedded again. A lost or doubtful index is compared and repaired by "
        "`bookwise verify --repair`.",
    ),
    "PointRefused": Cure(
        "A passage that cannot be stored",
        "A passage of one lesson is larger than the server takes, or is not valid. Nothing of that write was stored.",
        "Look at the lesson that the message names, for instance for a very long line or table. Else report it.",
    ),
    "WriteNotApplied": Cure(
        "A write that the server did not apply",
        "Qdrant accepted a write and did not finish it in time: it is overloaded, or replicas are missing.",
        "Look at the server's load and at the replicas (`bookwise doctor`), then run again: a run resumes.",
    ),
    "PointerDamaged": Cure(
        "An embedded index that does not say which generation is active",
        "The file `CURRENT` in the index's folder is damaged, for instance by a full disk or an incomplete copy.",
        "Run `bookwise verify --repair` or the next `bookwise ingest`: the generation is found again, and nothing is embedded.",
    ),
    "RequestFailed": Cure(
        "Requests to Qdrant",
        "The server cannot be reached, refused the key, or kept failing after all retries.",
        "Check `QDRANT_URL` and `QDRANT_API_KEY`; `bookwise doctor` asks the server for its version. Then run again.",
    ),
    "IndexNotWritable": Cure(
        "An index that cannot be written",
        "The folder of the index is on a read-only disk, in a layer of a container, or another user's. Commands that read "
        "it work.",
        "Run the command as the owner of the folder, or set `BOOKWISE_DIRECTORY` to a folder for an index of your own.",
    ),
    "IndexInUse": Cure(
        "An embedded index that another process has open",
        "An embedded index is open in one process at a time: a `serve`, `chat` or another run has it.",
        "Wait for it, let the command wait with `bookwise --wait SECONDS`, or use a Qdrant server where several processes "
        "read ([guide](../guides/qdrant.md)).",
    ),
    "StateError": Cure(
        "The state file or a database",
        "The record of what is indexed, the ledger of runs or the conversations cannot be read or written: damaged, "
        "read-only, of a newer version, or busy.",
        "A newer format needs a newer bookwise. For databases check `DATABASE_URL` and its permissions; a file of ours is named, "
        "and can be moved away (`threads.sqlite` holds conversations and keys, `jobs.sqlite` the ledger of runs).",
    ),
    "RecordsDamaged": Cure(
        "Damaged records",
        "The state file, or the state collection on a server, is cut short, garbled or of other types.",
        "Run `bookwise ingest`, or `bookwise verify --repair`: it sets the file aside as `*.damaged`, rebuilds the records from the "
        "index, and embeds nothing again. Commands that only read tell of it and change nothing.",
    ),
    "IndexLocked": Cure(
        "Another run is writing",
        "One run at a time writes an index; the message names the process that does.",
        "Wait, or let the command wait with `bookwise --wait SECONDS`. A run that died frees its lock by itself; on a "
        "server its lease expires.",
    ),
    "AlreadyRunning": Cure(
        "A run of this book has not ended",
        "The server was asked to index a book while it is being indexed.",
        "Wait for the job that the message names, then ask again.",
    ),
    "ChatModelError": Cure(
        "The language model",
        "The model's service could not be reached, refused the key or the model's name, or stopped in the middle.",
        "Check `OPENAI_API_KEY`, `OPENAI_BASE_URL` and `OPENAI_MODEL`. `--no-llm` quotes the book without a model.",
    ),
    "InvalidToolCall": Cure(
        "Tool calls of the language model",
        "The model called a tool that is not there or with arguments that cannot be used. It is told so and may try again; "
        "readers see this only in logs.",
        "If a model does so often, use one that can call tools, or `--no-llm`.",
    ),
    "AnswerTimeout": Cure(
        "An answer that takes too long",
        "The model did not finish within the time that is set.",
        "Raise `BOOKWISE_API_TIMEOUT`, lower `AGENT_MAX_TURNS`, or use a faster model.",
    ),
    "RerankError": Cure(
        "The reranker",
        "The cross-encoder cannot be loaded, or the rerank endpoint failed or gave something else than scores.",
        "Check the reranker's settings; without them, search works as before.",
    ),
    "RefusedByGuard": Cure(
        "Limits",
        "A run stopped before it changed anything, since it would pass a limit that you set.",
        "See the two kinds below.",
    ),
    "DeletionRefused": Cure(
        "A run that would delete much of the book",
        "More lessons than `index.max_delete` percent are missing: most often the folder or the checkout is wrong.",
        "Look at the folder and at `bookwise plan`. If the lessons are really gone, use `--allow-delete`; if the book is, "
        "`bookwise delete-book`.",
    ),
    "BudgetExceeded": Cure(
        "A run that would cost more than allowed",
        "Embedding would take more tokens or dollars than `--max-tokens` or `--max-cost`.",
        "See `bookwise plan`, then raise the limit or leave it out. Nothing was sent.",
    ),
    "OutputError": Cure(
        "Output that cannot be written",
        "The disk of stdout or of a report is full, or the folder is not there or read-only.",
        "Free space or name another file. What the command did to the index is done.",
    ),
    "Interrupted": Cure(
        "A run that was stopped",
        "Ctrl-C or a signal ended it.",
        "Run it again: completed work is saved, and the next run resumes there.",
    ),
    "ServerStopping": Cure(
        "A server that is stopping",
        "The server was told to stop before the answer was ready.",
        "Ask again in a moment.",
    ),
    "OutputClosed": Cure(
        "A pipe whose reader has gone",
        "The next program of a pipe, such as `head`, ended first.",
        "Nothing: the command ends quietly.",
    ),
}
