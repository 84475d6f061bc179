"""The embedder: one protocol, an embedded default, an OpenAI-compatible service, and models of two libraries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, Protocol

from ingestion.embedders.packing import Limits

if TYPE_CHECKING:
    from ingestion.models import Vector, Vectors


class Embedder(Protocol):
    """Turns text into unit vectors. `model` includes the version of how texts are prepared.

    Both calls raise EmbeddingError when the model or service fails for good.
    """

    @property
    def model(self) -> str:
        """Name and version, for instance `all-MiniLM-L6-v2-int8/1`."""

    @property
    def dimensions(self) -> int:
        """The length of its vectors."""

    @property
    def limits(self) -> Limits:
        """How much one call of `embed_documents` should be given, and from how many threads at once."""

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """A float32 array (len(texts), dimensions), one unit vector a text, in order. No text may be blank.

        Raises InputsRefused where at least one of the texts is to blame and the others may pass.
        """

    def embed_query(self, text: str) -> Vector:
        """A float32 array (dimensions,) of unit length."""


EmbedderKind = Literal["local", "openai", "fastembed", "sentence-transformers"]


def build_embedder(
    kind: EmbedderKind,
    *,
    model: str,
    dimensions: int | None,
    api_key: str | None,
    base_url: str | None,
    api_version: str | None = None,
    threads: int,
    limits: Limits | None = None,
    requests_per_minute: int | None = None,
    tokens_per_minute: int | None = None,
) -> Embedder:
    """The embedder of that kind; no model is loaded and no connection opened before its first use.

    `threads` is for models on this machine (0: one a core), `api_key`, `base_url` and `api_version` (of Azure) for
    `openai`, which raises ConfigurationError where it has neither a key nor a service of its own to ask. The kinds
    named like a library raise it where that is not installed.
    """
    if kind == "local":
        from ingestion.embedders.minilm import MiniLm

        return MiniLm(threads)
    if kind != "openai":
        from ingestion.embedders.library_models import LibraryEmbedder

        return LibraryEmbedder(kind, model, dimensions, threads=threads)
    from ingestion.embedders.openai import OPENAI_LIMITS, OpenAIEmbedder
    from ingestion.embedders.pace import Pace

    return OpenAIEmbedder(
        model,
        dimensions,
        api_key=api_key,
        base_url=base_url,
        api_version=api_version,
        limits=limits or OPENAI_LIMITS,
        pace=Pace(requests_per_minute, tokens_per_minute),
    )
