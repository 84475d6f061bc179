"""The settings: names, defaults, where each may be set, and how its value is read.

Plain dataclasses: a settings library costs more time than a whole run with nothing to do (measured in
`benchmarks/startup.py`), and none of them says from which source a wrong value came.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field, dataclass, fields
from typing import Any

from ingestion.settings.embedding import EmbeddingSettings
from ingestion.settings.qdrant import QdrantSettings
from ingestion.settings.validators import (
    Module,
    Secret,
    choice,
    modules,
    number,
    numbers,
    path_patterns,
    secret,
    setting,
    share,
    switch,
    text,
    texts,
    url,
)

STATE_FILE, STATE_AUTO, STATE_QDRANT = ".ingestion_state.json", "auto", "qdrant"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings(EmbeddingSettings):
    """All settings of one run. Secrets never show in its repr."""

    book_id: str | None = setting(None, text, toml="book.id", env="BOOKWISE_BOOK", help="id of the book")
    book_title: str | None = setting(None, text, toml="book.title", help="title of the book")
    docs: str = setting("docs", text, toml="book.docs", env="BOOKWISE_DOCS", help="folder of the lessons")
    base_url: str = setting("", url, toml="book.base_url", env="BOOKWISE_BASE_URL", help="address of the site")
    language: str = setting("en", text, toml="book.language", help="language of pages that name none")
    modules: tuple[Module, ...] = setting((), modules, toml="modules", help="the book's modules")
    paths: tuple[str, ...] = setting(
        (), path_patterns, toml="book.paths", help="path patterns, tried before the built-in"
    )
    exclude: tuple[str, ...] = setting((), texts, toml="crawl.exclude", help="ignore patterns (gitignore syntax)")
    include: tuple[str, ...] = setting((), texts, toml="crawl.include", help="index only what matches one of these")
    translations: bool = setting(False, switch, toml="crawl.translations", help="index `i18n` folders too")
    check_disable: tuple[str, ...] = setting(
        (), texts, toml="check.disable", help="rules that `bookwise check` leaves out"
    )
    chunk_tokens: int = setting(
        400, number(50, 8000), toml="chunk.tokens", env="BOOKWISE_CHUNK_TOKENS", help="tokens a chunk aims at"
    )
    chunk_max_tokens: int = setting(
        512,
        number(50, 8191),
        toml="chunk.max_tokens",
        env="BOOKWISE_CHUNK_MAX_TOKENS",
        help="tokens no chunk exceeds",
    )
    openai_model: str = setting("gpt-4o-mini", text, toml="agent.model", env="OPENAI_MODEL", help="chat model")
    agent_top_k: int = setting(
        5, number(1, 20), toml="agent.top_k", env="AGENT_TOP_K", help="passages an answer uses"
    )
    agent_score_threshold: float = setting(
        0.0, share, toml="agent.score_threshold", env="AGENT_SCORE_THRESHOLD", help="lowest cosine of a passage"
    )
    agent_max_turns: int = setting(
        50, number(1, 1000), toml="agent.max_turns", env="AGENT_MAX_TURNS", help="turns a conversation may have"
    )
    agent_max_searches: int = setting(
        4, number(1, 20), toml="agent.max_searches", env="AGENT_MAX_SEARCHES", help="searches for one answer"
    )
    agent_temperature: float = setting(
        0.1, share, toml="agent.temperature", env="AGENT_TEMPERATURE", help="randomness of the answer"
    )
    agent_context_tokens: int = setting(
        8000,
        number(2000, 1_000_000),
        toml="agent.context_tokens",
        env="AGENT_CONTEXT_TOKENS",
        help="tokens the chat model is given, its answer included",
    )
    agent_history_tokens: int = setting(
        2000,
        number(0, 1_000_000),
        toml="agent.history_tokens",
        env="AGENT_HISTORY_TOKENS",
        help="of these, for the conversation so far",
    )
    agent_answer_tokens: int = setting(
        800,
        number(50, 100_000),
        toml="agent.answer_tokens",
        env="AGENT_ANSWER_TOKENS",
        help="of these, for the answer",
    )
    agent_timeout: int = setting(
        60,
        number(1, 3600),
        toml="agent.timeout",
        env="AGENT_TIMEOUT",
        help="seconds to wait for the chat model",
    )
    confidence_policy: str = setting(
        "auto",
        choice("auto", "spec"),
        toml="confidence.policy",
        env="BOOKWISE_CONFIDENCE",
        help="when an answer is refused: `auto` by the embedding model, `spec` by spec 004's cosines",
    )
    confidence_model: str | None = setting(
        None, text, toml="confidence.model", help="embedding model of the two below, which `eval --calibrate` writes"
    )
    confidence_weights: tuple[float, ...] = setting(
        (), numbers(4), toml="confidence.weights", help="bias, gap, known and named"
    )
    confidence_levels: tuple[float, ...] = setting(
        (), numbers(3), toml="confidence.levels", help="where low, medium and high begin"
    )
    rerank_url: str | None = setting(
        None, url, toml="rerank.url", env="BOOKWISE_RERANK_URL", help="endpoint that reranks, `/rerank` is added"
    )
    rerank_model: str | None = setting(
        None,
        text,
        toml="rerank.model",
        env="BOOKWISE_RERANK_MODEL",
        help="model of the endpoint; without one, a local cross-encoder",
    )
    rerank_api_key: Secret | None = setting(
        None, secret, env="BOOKWISE_RERANK_API_KEY", help="key of the rerank endpoint"
    )
    qdrant_url: str | None = setting(None, url, toml="qdrant.url", env="QDRANT_URL", help="Qdrant server")
    qdrant_api_key: Secret | None = setting(None, secret, env="QDRANT_API_KEY", help="key of the Qdrant server")
    copy_api_key: Secret | None = setting(
        None, secret, env="BOOKWISE_COPY_API_KEY", help="key of the server that `copy --to` names"
    )
    collection: str = setting(
        "bookwise", text, toml="qdrant.collection", env="QDRANT_COLLECTION_NAME", help="name of the index"
    )
    directory: str = setting(
        ".bookwise",
        text,
        toml="index.directory",
        env="BOOKWISE_DIRECTORY",
        help="folder of the embedded index and the cache",
    )
    state: str = setting(
        STATE_FILE,
        text,
        toml="index.state",
        env="BOOKWISE_STATE",
        help="state file; `qdrant` keeps the records on the server, `auto` too unless the file is there",
    )
    database_url: Secret | None = setting(
        None,
        secret,
        env="DATABASE_URL",
        help="job ledger, conversations and API keys, files in the index's folder unless set",
    )
    wait: int = setting(
        10, number(0, 3600), toml="index.wait", env="BOOKWISE_WAIT", help="seconds to wait for an index in use"
    )
    max_delete: int = setting(
        50,
        number(0, 100),
        toml="index.max_delete",
        env="BOOKWISE_MAX_DELETE",
        help="percent of a book's files a run may delete unasked",
    )
    api_rate: int = setting(
        100, number(1, 1_000_000), toml="api.rate", env="BOOKWISE_API_RATE", help="requests a minute of one API key"
    )
    api_rate_store: Secret | None = setting(
        None, secret, env="BOOKWISE_API_RATE_STORE", help="Redis that several servers count in, as `redis://HOST`"
    )
    api_origins: tuple[str, ...] = setting(
        (), texts, toml="api.origins", help="sites whose pages may ask the server (CORS)"
    )
    api_log_texts: bool = setting(
        False, switch, toml="api.log_texts", env="BOOKWISE_API_LOG_TEXTS", help="log what is asked and answered"
    )
    api_timeout: int = setting(
        120, number(1, 3600), toml="api.timeout", env="BOOKWISE_API_TIMEOUT", help="seconds an answer may take"
    )


_SERVER = {each.name for each in fields(QdrantSettings)}
_EMBEDDING = {each.name for each in fields(EmbeddingSettings)}
FIELDS: Mapping[str, Field[Any]] = {
    each.name: each
    for each in sorted(fields(Settings), key=lambda each: (each.name in _SERVER, each.name in _EMBEDDING))
}
