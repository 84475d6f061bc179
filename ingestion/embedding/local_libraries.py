"""Models on this machine through the libraries fastembed and sentence-transformers, each an extra of its own."""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from ingestion.embedding.batching import Limits
from ingestion.embedding.openai import FULL_DIMENSIONS
from ingestion.embedding.protocol import refuse_blank, unit_rows
from ingestion.errors import ConfigurationError, EmbeddingError
from ingestion.extras import install_command

if TYPE_CHECKING:
    from ingestion.models import Vector, Vectors

PREPARATION = 1
"""Version of how a text is prepared here; part of `model`."""


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """A model of either library: both calls take texts and return one row of numbers per text."""

    documents: Callable[[list[str]], Iterable[Any]]
    queries: Callable[[list[str]], Iterable[Any]]


@dataclass(frozen=True, slots=True)
class Library:
    """How to find a library and load a model with it, and which model to name as an example."""

    package: str
    example: str
    load: Callable[[str, int], LoadedModel]


def _load_fastembed(name: str, threads: int) -> LoadedModel:
    from fastembed import TextEmbedding

    model = TextEmbedding(name, threads=threads or None)
    return LoadedModel(model.passage_embed, model.query_embed)


def _load_sentence_transformers(name: str, threads: int) -> LoadedModel:
    import torch
    from sentence_transformers import SentenceTransformer

    if threads:
        torch.set_num_threads(threads)
    model = SentenceTransformer(name)
    return LoadedModel(
        lambda texts: model.encode_document(texts, show_progress_bar=False),
        lambda texts: model.encode_query(texts, show_progress_bar=False),
    )


LIBRARIES = {
    "fastembed": Library("fastembed", "BAAI/bge-small-en-v1.5", _load_fastembed),
    "sentence-transformers": Library(
        "sentence_transformers", "sentence-transformers/all-mpnet-base-v2", _load_sentence_transformers
    ),
}


class LibraryEmbedder:
    """A model by its name in the library, or with sentence-transformers by its folder.

    The library downloads a missing model. `dimensions` truncates vectors, which only suits models trained for it.
    The model is loaded by the first call; its dimensions are measured on one word unless given. The library
    truncates texts that are too long for the model. Calls may come from several threads; they take turns, each on
    `threads` threads (0: the library's choice). Raises ConfigurationError without the library or a model name.
    """

    def __init__(self, library: str, model: str, dimensions: int | None = None, *, threads: int = 0) -> None:
        self._library = LIBRARIES[library]
        if importlib.util.find_spec(self._library.package) is None:
            raise ConfigurationError(f"BOOKWISE_EMBEDDER={library} needs an extra: {install_command(library)}")
        if model in FULL_DIMENSIONS:
            raise ConfigurationError(
                f"BOOKWISE_EMBEDDER={library} needs a model of its own in OPENAI_EMBEDDING_MODEL (embedding.model), "
                f"for instance {self._library.example}; {model} is one of OpenAI's"
            )
        self._name = model
        self._cut = dimensions
        self._dimensions = dimensions
        self._threads = threads
        self._lock = Lock()
        self._loaded: LoadedModel | None = None
        release = ".".join(importlib.metadata.version(library).split(".")[:2])
        cut = f"@{dimensions}" if dimensions else ""
        self.model = f"{library}-{release}/{_identity(model)}{cut}/{PREPARATION}"
        """Library, its release, the model, its dimensions if truncated, and the version of the preparation."""

    limits = Limits(inputs=64)

    @property
    def dimensions(self) -> int:
        """Return the length of the vectors."""
        if self._dimensions is None:
            self._dimensions = len(self.embed_query("dimensions"))
        return self._dimensions

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder`. Raises ValueError for a blank text."""
        import numpy as np

        refuse_blank(texts)
        return self._embed("documents", list(texts)) if texts else np.zeros((0, self.dimensions), np.float32)

    def embed_query(self, text: str) -> Vector:
        """See `Embedder`; prepared as the model wants its questions."""
        vector: Vector = self._embed("queries", [text])[0]
        return vector

    def _load(self) -> LoadedModel:
        if not os.isatty(2):
            # The libraries' progress bars are for terminals; tqdm reads this when it is imported.
            os.environ.setdefault("TQDM_DISABLE", "1")
        return self._library.load(self._name, self._threads)

    def _embed(self, kind: str, texts: list[str]) -> Vectors:
        import numpy as np

        # Tokenizers of these libraries fail where two threads use one.
        with self._lock:
            try:
                self._loaded = self._loaded or self._load()
                rows = np.asarray(list(getattr(self._loaded, kind)(texts)), np.float32)
            except Exception as error:
                # Libraries and hubs raise what they like; none of it is a fault of the lessons.
                said = " ".join(str(error).split())[:300]
                raise EmbeddingError(f"the model {self._name} cannot be used ({said}); check its name") from error
        if self._cut and rows.shape[1] < self._cut:
            raise EmbeddingError(f"the model {self._name} has {rows.shape[1]} dimensions, not {self._cut}")
        zero = EmbeddingError(f"the model {self._name} returned a vector of length zero")
        return unit_rows(rows[:, : self._cut], zero)


def _identity(model: str) -> str:
    """Return a model's name; for a folder its last part and a hash of its files, so that it may lie anywhere."""
    folder = Path(model)
    if not folder.is_dir():
        return model
    digest = hashlib.sha256()
    for file in sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix not in (".md", ".py")):
        digest.update(file.relative_to(folder).as_posix().encode())
        with file.open("rb") as content:
            digest.update(hashlib.file_digest(content, "sha256").digest())
    return f"{folder.resolve().name}-{digest.hexdigest()[:12]}"
