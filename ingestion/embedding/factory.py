"""Build the embedder that the settings name."""

from __future__ import annotations

from ingestion.embedding.batching import Limits
from ingestion.embedding.protocol import Embedder, EmbedderKind
from ingestion.settings.validators import Secret


def build_embedder(
    kind: EmbedderKind,
    *,
    model: str,
    dimensions: int | None,
    api_key: str | Secret | None,
    base_url: str | None,
    api_version: str | None = None,
    threads: int,
    limits: Limits | None = None,
    requests_per_minute: int | None = None,
    tokens_per_minute: int | None = None,
) -> Embedder:
    """Return an embedder of that kind; no model is loaded and no connection opened before its first use.

    `threads` is for models on this machine (0: one per core), `api_key`, `base_url` and `api_version` (of Azure) for
    `openai`, which raises ConfigurationError if it has neither a key nor a base URL. The kinds named like a library
    raise it if that library is not installed.
    """
    if kind == "local":
        from ingestion.embedding.minilm import MiniLm

        return MiniLm(threads)
    if kind != "openai":
        from ingestion.embedding.local_libraries import LibraryEmbedder

        return LibraryEmbedder(kind, model, dimensions, threads=threads)
    from ingestion.embedding.openai import OPENAI_LIMITS, OpenAIEmbedder
    from ingestion.embedding.rate_limiter import RateLimiter

    return OpenAIEmbedder(
        model,
        dimensions,
        api_key=api_key,
        base_url=base_url,
        api_version=api_version,
        limits=limits or OPENAI_LIMITS,
        rate_limiter=RateLimiter(requests_per_minute, tokens_per_minute),
    )
