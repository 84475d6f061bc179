"""Settings of the embedder and of the OpenAI-compatible service."""

from __future__ import annotations

from dataclasses import dataclass

from ingestion.settings.validators import (
    Secret,
    always,
    parse_amount,
    parse_choice,
    parse_int,
    parse_secret,
    parse_text,
    parse_url,
    setting,
    table_setting,
)

PRICES = {
    "text-embedding-3-small": 0.02,
    "text-embedding-3-large": 0.13,
    "text-embedding-ada-002": 0.10,
    "all-MiniLM-L6-v2-int8": 0.0,
}
"""US dollars per million tokens, as published in November 2026. A book may name one of these models."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingLimits:
    """Limits of the embedding service per request and per minute."""

    in_flight: int = setting(8, parse_int(1, 256), help="concurrent requests")
    request_inputs: int = setting(2048, parse_int(1, 100000), help="maximum texts per request")
    request_tokens: int = setting(300000, parse_int(1, 10**9), help="maximum tokens per request")
    input_tokens: int = setting(8191, parse_int(1, 10**9), help="maximum tokens per text")
    requests_per_minute: int | None = setting(
        None, parse_int(1, 10**9), help="requests per minute, if the service does not send `x-ratelimit-*` headers"
    )
    tokens_per_minute: int | None = setting(
        None, parse_int(1, 10**12), help="tokens per minute, if the service does not send `x-ratelimit-*` headers"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingSettings:
    """The embedder, its speed and its cost limits."""

    embedder: str = setting(
        "auto",
        parse_choice("auto", "local", "openai", "fastembed", "sentence-transformers"),
        env="BOOKWISE_EMBEDDER",
        help="`openai` with a key, else `local`; or `fastembed`, `sentence-transformers`",
    )
    model: str = setting(
        "text-embedding-3-small",
        parse_text,
        env="OPENAI_EMBEDDING_MODEL",
        by_book=PRICES.__contains__,
        help="model of the embedding service or library",
    )
    dimensions: int | None = setting(
        None,
        parse_int(1, 65536),
        env="OPENAI_EMBEDDING_DIMENSIONS",
        by_book=always,
        help="shortened vectors",
    )
    price: float | None = setting(
        None,
        parse_amount,
        env="BOOKWISE_EMBEDDING_PRICE",
        help="US dollars per million tokens, if the built-in table is out of date",
    )
    max_cost: float | None = setting(
        None, parse_amount, env="BOOKWISE_MAX_COST", help="maximum embedding cost of a run in US dollars"
    )
    max_tokens: int | None = setting(
        None, parse_int(0, 10**15), env="BOOKWISE_MAX_TOKENS", help="maximum tokens to embed in a run"
    )
    limits: EmbeddingLimits = table_setting(
        EmbeddingLimits, env="BOOKWISE_EMBEDDING_LIMITS", help="limits of the embedding service"
    )
    threads: int = setting(
        0, parse_int(0, 1024), env="BOOKWISE_THREADS", help="threads of a local model, 0 for one per core"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenAISettings:
    """The OpenAI-compatible service of the embedder and the chat model."""

    api_key: Secret | None = setting(
        None, parse_secret, env="OPENAI_API_KEY", in_file=False, help="key of the OpenAI service"
    )
    base_url: str | None = setting(None, parse_url, env="OPENAI_BASE_URL", help="any OpenAI-compatible service")
    azure_api_version: str | None = setting(
        None, parse_text, env="BOOKWISE_AZURE_API_VERSION", help="version of Azure's older embeddings API"
    )
