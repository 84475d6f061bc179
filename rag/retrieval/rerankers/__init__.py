"""The reranker: one protocol, a rerank endpoint and a local cross-encoder. It reads question and passage together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from ingestion.settings import Settings


class Reranker(Protocol):
    """Scores passages for a question; raises RerankError when the model or service fails for good."""

    def rerank(self, question: str, passages: Sequence[str]) -> list[float]:
        """Return one score a passage, in their order; larger is better, and 0–1 where the model gives shares."""


def build_reranker(settings: Settings) -> Reranker | None:
    """Return the endpoint if one is set, else the local model if one is named, else None.

    No model is loaded and no connection opened before its first use.
    """
    if settings.rerank.url:
        from rag.retrieval.rerankers.endpoint import RerankEndpoint

        key = settings.rerank.api_key.reveal() if settings.rerank.api_key else None
        return RerankEndpoint(settings.rerank.url, settings.rerank.model, key)
    if settings.rerank.model:
        from rag.retrieval.rerankers.onnx_model import OnnxReranker, is_onnx_folder

        if is_onnx_folder(settings.rerank.model):
            return OnnxReranker(settings.rerank.model)
        from rag.retrieval.rerankers.cross_encoder import CrossEncoderReranker

        return CrossEncoderReranker(settings.rerank.model)
    return None
