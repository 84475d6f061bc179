"""Settings of the embedder and of the OpenAI-compatible service."""

from __future__ import annotations

from dataclasses import dataclass

from ingestion.settings.validators import Secret, amount, choice, number, secret, setting, text, url


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingSettings:
    """What embeds the texts, how fast, and for how much."""

    embedder: str = setting(
        "auto",
        choice("auto", "local", "openai", "fastembed", "sentence-transformers"),
        env="BOOKWISE_EMBEDDER",
        help="`openai` with a key, else `local`; or `fastembed`, `sentence-transformers`",
    )
    model: str = setting(
        "text-embedding-3-small", text, env="OPENAI_EMBEDDING_MODEL", help="model of the embedding service or library"
    )
    dimensions: int | None = setting(
        None, number(1, 65536), env="OPENAI_EMBEDDING_DIMENSIONS", help="shortened vectors"
    )
    price: float | None = setting(
        None,
        amount,
        env="BOOKWISE_EMBEDDING_PRICE",
        help="dollars a million tokens, where the built-in table is out of date",
    )
    max_cost: float | None = setting(
        None, amount, env="BOOKWISE_MAX_COST", help="dollars a run may spend on embedding"
    )
    max_tokens: int | None = setting(
        None, number(0, 10**15), env="BOOKWISE_MAX_TOKENS", help="tokens a run may embed"
    )
    in_flight: int = setting(
        8, number(1, 256), env="BOOKWISE_EMBEDDING_IN_FLIGHT", help="requests to the embedding service at a time"
    )
    request_inputs: int = setting(
        2048, number(1, 100000), env="BOOKWISE_EMBEDDING_REQUEST_INPUTS", help="texts a request to it may hold"
    )
    request_tokens: int = setting(
        300000, number(1, 10**9), env="BOOKWISE_EMBEDDING_REQUEST_TOKENS", help="tokens a request to it may hold"
    )
    input_tokens: int = setting(
        8191, number(1, 10**9), env="BOOKWISE_EMBEDDING_INPUT_TOKENS", help="tokens a text may have"
    )
    requests_per_minute: int | None = setting(
        None,
        number(1, 10**9),
        env="BOOKWISE_EMBEDDING_REQUESTS_PER_MINUTE",
        help="pace, where the service does not tell its own in `x-ratelimit-*` headers",
    )
    tokens_per_minute: int | None = setting(
        None, number(1, 10**12), env="BOOKWISE_EMBEDDING_TOKENS_PER_MINUTE", help="pace in tokens, likewise"
    )
    threads: int = setting(
        0, number(0, 1024), env="BOOKWISE_THREADS", help="threads of a model on this machine, 0 for one a core"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenAISettings:
    """The OpenAI-compatible service of the embedder and the chat model."""

    api_key: Secret | None = setting(
        None, secret, env="OPENAI_API_KEY", in_file=False, help="key of the OpenAI service"
    )
    base_url: str | None = setting(None, url, env="OPENAI_BASE_URL", help="any OpenAI-compatible service")
    azure_api_version: str | None = setting(
        None, text, env="BOOKWISE_AZURE_API_VERSION", help="version of Azure's older API, for embeddings there"
    )
