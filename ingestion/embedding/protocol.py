"""The protocol that every embedder implements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, Protocol

from ingestion.embedding.batching import Limits

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
