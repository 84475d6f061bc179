"""Which embedder a kind stands for."""

from __future__ import annotations

from typing import Any

from ingestion.embedding.factory import build_embedder
from ingestion.embedding.protocol import Embedder

SETTINGS: dict[str, Any] = {
    "model": "text-embedding-3-large",
    "dimensions": 256,
    "api_key": "sk-any",
    "base_url": None,
    "threads": 1,
}


def identity(embedder: Embedder) -> tuple[str, int]:
    return embedder.model, embedder.dimensions


def test_local_is_the_embedded_model_whatever_is_set_for_the_service() -> None:
    assert identity(build_embedder("local", **SETTINGS)) == ("all-MiniLM-L6-v2-int8/2", 384)


def test_openai_is_the_service_as_set() -> None:
    assert identity(build_embedder("openai", **SETTINGS)) == ("text-embedding-3-large@256/1", 256)
