"""The protocol that every embedder implements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, Protocol

from ingestion.embedding.batching import Limits

if TYPE_CHECKING:
    from ingestion.models import Vector, Vectors


class Embedder(Protocol):
    """Turns texts into unit vectors. `model` includes the version of how texts are prepared.

    Both calls raise EmbeddingError if the model or service fails for good.
    """

    @property
    def model(self) -> str:
        """Return name and version, for instance `all-MiniLM-L6-v2-int8/2`."""

    @property
    def dimensions(self) -> int:
        """Return the length of its vectors."""

    @property
    def limits(self) -> Limits:
        """Return how much one call of `embed_documents` should get, and from how many threads at once."""

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Return a float32 array (len(texts), dimensions): one unit vector per text, in order. No text may be blank.

        Raises InputsRefused if at least one of the texts is to blame and the others may pass.
        """

    def embed_query(self, text: str) -> Vector:
        """Return a float32 array (dimensions,) of unit length."""


def refuse_blank(texts: Sequence[str]) -> None:
    """Raise ValueError for a text without words, which has no vector."""
    for position, text in enumerate(texts, 1):
        if not text.strip():
            raise ValueError(f"text {position} of {len(texts)} is blank")


def unit_rows(rows: Vectors, zero: Exception) -> Vectors:
    """Return the rows at length one; raises `zero` where one has no length."""
    import numpy as np

    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if not (np.isfinite(lengths) & (lengths > 0)).all():
        raise zero
    unit: Vectors = rows / lengths
    return unit


def is_local(embedder: Embedder) -> bool:
    """Return whether it works on this machine: a service bounds the tokens of a request, and is paid by them."""
    return embedder.limits.tokens is None


EmbedderKind = Literal["local", "openai", "fastembed", "sentence-transformers"]
