"""A local reranker: any cross-encoder that sentence-transformers loads, by name or folder."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from ingestion.errors import ConfigurationError, RerankError
from ingestion.extras import install_command


class CrossEncoderReranker:
    """Loads the model at the first question, which may download it unless `model` is a folder."""

    def __init__(self, model: str) -> None:
        self._name = model

    def rerank(self, question: str, passages: Sequence[str]) -> list[float]:
        """See `Reranker`."""
        if not passages:
            return []
        scores = self._model.predict([(question, passage) for passage in passages])
        return [float(score) for score in scores]

    @cached_property
    def _model(self) -> Any:
        try:
            from sentence_transformers import CrossEncoder
        except ImportError as exc:
            raise ConfigurationError(f"a local reranker needs: {install_command('sentence-transformers')}") from exc
        try:
            return CrossEncoder(self._name)
        except (OSError, ValueError) as exc:
            raise RerankError(f"cannot load the cross-encoder {self._name!r}: {exc}") from exc
