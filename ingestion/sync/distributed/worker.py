"""What runs in a process of the cluster: chunks files and embeds texts that are sent to it, and touches no file.

Nothing here knows of Ray, which makes an actor of `LessonWorker`.
"""

from __future__ import annotations

import logging
import logging.handlers
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from queue import SimpleQueue
from threading import Lock
from typing import TYPE_CHECKING, Any

from ingestion import versions
from ingestion.embedding.factory import build_embedder
from ingestion.embedding.workers import Call, CallResult, embed_call, portable_error
from ingestion.errors import ConfigurationError, EmbeddingError, LessonError
from ingestion.settings import Settings
from ingestion.source.includes.pages import includes_files
from ingestion.source.metadata.page import UnpublishedPage, read_metadata
from ingestion.source.reader import SourceText
from ingestion.source.site import Site
from ingestion.sync.chunked_files import ChunkedFile, chunk_text
from ingestion.sync.plan import FilePlan

if TYPE_CHECKING:
    from ingestion.embedding.protocol import Embedder


@dataclass(frozen=True, slots=True)
class ChunkSetup:
    """What all files of a run are chunked with; `settings` hold no secret."""

    settings: Settings
    embedding: str
    site: Site | None


@dataclass(frozen=True, slots=True)
class EmbedSetup:
    """The arguments of `build_embedder`, including a key, and the model that it must be."""

    embedder: Mapping[str, Any] = field(repr=False)
    model: str


@dataclass(frozen=True, slots=True)
class Reply:
    """What a call came to, and what was logged on the way."""

    value: Any
    records: tuple[logging.LogRecord, ...] = ()


def code_versions() -> dict[str, str]:
    """Return what must be equal on all machines for their chunks and vectors to be equal."""
    stages = {name: str(value) for name, value in vars(versions).items() if name.isupper()}
    return {"bookwise": version("bookwise")} | stages


class LessonWorker:
    """Chunks and embeds; it keeps the model between calls."""

    def __init__(self, log_level: int) -> None:
        self._records: SimpleQueue[logging.LogRecord] = SimpleQueue()
        self._lock = Lock()
        self._embedder: Embedder | None = None
        log = logging.getLogger("ingestion")
        log.setLevel(log_level)
        log.addHandler(logging.handlers.QueueHandler(self._records))

    def versions(self) -> dict[str, str]:
        """Return the versions of the code that runs here."""
        return code_versions()

    def chunk(self, setup: ChunkSetup, batch: Sequence[tuple[FilePlan, SourceText]]) -> Reply:
        """Chunk files; in the place of a page that includes others stands None, as they are not at hand here."""
        return self._reply([_chunk_alone(plan, replace(text, site=setup.site), setup) for plan, text in batch])

    def embed(self, setup: EmbedSetup, call: Call) -> Reply:
        """Make a call to the embedder and return its CallResult."""
        try:
            done = embed_call(call, self._build(setup))
        except (ConfigurationError, EmbeddingError) as error:
            done = CallResult(call.number, error=error)
        if done.error:
            done.error = portable_error(done.error)
        return self._reply(done)

    def _build(self, setup: EmbedSetup) -> Embedder:
        with self._lock:
            if self._embedder is None:
                embedder = build_embedder(**setup.embedder)
                if embedder.model != setup.model:
                    raise ConfigurationError(
                        f"a worker would embed with {embedder.model}, this machine with {setup.model}; install the "
                        "same versions on all machines of the Ray cluster"
                    )
                self._embedder = embedder
            return self._embedder

    def _reply(self, value: Any) -> Reply:
        return Reply(value, tuple(self._records.get() for _ in range(self._records.qsize())))


def _chunk_alone(plan: FilePlan, text: SourceText, setup: ChunkSetup) -> ChunkedFile | LessonError | None:
    front = None
    # What cannot be read here is told by the chunking itself.
    with suppress(LessonError, UnpublishedPage):
        front = read_metadata(text, setup.settings)
        if includes_files(text, front.body, setup.settings):
            return None
    return chunk_text(plan, text, setup.settings, setup.embedding, front)
