"""What the server's embedders share: each stands before another one, whose name and bounds it has."""

from __future__ import annotations

from ingestion.embedders import Embedder
from ingestion.embedders.packing import Limits


class WrappedEmbedder:
    """The part of Embedder that another embedder tells; the calls are up to whoever wraps it."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    @property
    def model(self) -> str:
        """The embedder's own."""
        return self._embedder.model

    @property
    def dimensions(self) -> int:
        """The embedder's own."""
        return self._embedder.dimensions

    @property
    def limits(self) -> Limits:
        """The embedder's own."""
        return self._embedder.limits
