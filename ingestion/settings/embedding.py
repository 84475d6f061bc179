"""The settings of embedding: by what, at which pace and bounds, and for how much."""

from __future__ import annotations

from dataclasses import dataclass

from ingestion.settings.qdrant import QdrantSettings
from ingestion.settings.validators import Secret, amount, choice, number, secret, setting, text, url


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingSettings(QdrantSettings):
    """Those of `openai` are the chat model's too. One line of descent: slotted classes cannot be mixed."""

    embedder: str = setting(
        "auto",
        choice("auto", "local", "openai", "fastembed", "sentence-transformers"),
        toml="embedding.embedder",
        env="BOOKWISE_EMBEDDER",
        help="`openai` with a key, else `local`; or `fastembed`, `sentence-transformers`",
    )
    embedding_model: str = setting(
        "text-embedding-3-small",
        text,
        toml="embedding.model",
        env="OPENAI_EMBEDDING_MODEL",
        help="model of the embedding service or library",
    )
    embedding_dimensions: int | None = setting(
        None,
        number(1, 65536),
        toml="embedding.dimensions",
        env="OPENAI_EMBEDDING_DIMENSIONS",
        help="shortened vectors",
    )
    embedding_price: float | None = setting(
        None,
        amount,
        toml="embedding.price",
        env="BOOKWISE_EMBEDDING_PRICE",
        help="dollars a million tokens, where the built-in table is out of date",
    )
    embedding_max_cost: float | None = setting(
        None,
        amount,
        toml="embedding.max_cost",
        env="BOOKWISE_MAX_COST",
        help="dollars a run may spend on embedding",
    )
    embedding_max_tokens: int | None = setting(
        None,
        number(0, 10**15),
        toml="embedding.max_tokens",
        env="BOOKWISE_MAX_TOKENS",
        help="tokens a run may embed",
    )
    embedding_in_flight: int = setting(
        8,
        number(1, 256),
        toml="embedding.in_flight",
        env="BOOKWISE_EMBEDDING_IN_FLIGHT",
        help="requests to the embedding service at a time",
    )
    embedding_request_inputs: int = setting(
        2048,
        number(1, 100_000),
        toml="embedding.request_inputs",
        env="BOOKWISE_EMBEDDING_REQUEST_INPUTS",
        help="texts a request to it may hold",
    )
    embedding_request_tokens: int = setting(
        300_000,
        number(1, 10**9),
        toml="embedding.request_tokens",
        env="BOOKWISE_EMBEDDING_REQUEST_TOKENS",
        help="tokens a request to it may hold",
    )
    embedding_input_tokens: int = setting(
        8191,
        number(1, 10**9),
        toml="embedding.input_tokens",
        env="BOOKWISE_EMBEDDING_INPUT_TOKENS",
        help="tokens a text may have",
    )
    embedding_requests_per_minute: int | None = setting(
        None,
        number(1, 10**9),
        toml="embedding.requests_per_minute",
        env="BOOKWISE_EMBEDDING_REQUESTS_PER_MINUTE",
        help="pace, where the service does not tell its own in `x-ratelimit-*` headers",
    )
    embedding_tokens_per_minute: int | None = setting(
        None,
        number(1, 10**12),
        toml="embedding.tokens_per_minute",
        env="BOOKWISE_EMBEDDING_TOKENS_PER_MINUTE",
        help="pace in tokens, likewise",
    )
    threads: int = setting(
        0,
        number(0, 1024),
        toml="embedding.threads",
        env="BOOKWISE_THREADS",
        help="threads of a model on this machine, 0 for one a core",
    )
    openai_api_key: Secret | None = setting(None, secret, env="OPENAI_API_KEY", help="key of the OpenAI service")
    openai_base_url: str | None = setting(
        None, url, toml="openai.base_url", env="OPENAI_BASE_URL", help="any OpenAI-compatible service"
    )
    azure_api_version: str | None = setting(
        None,
        text,
        toml="openai.azure_api_version",
        env="BOOKWISE_AZURE_API_VERSION",
        help="version of Azure's older API, for embeddings there",
    )
