"""Settings of the chat model, the confidence policy and the reranker."""

from __future__ import annotations

from dataclasses import dataclass

from ingestion.settings.validators import Secret, choice, number, numbers, secret, setting, share, text, url


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentSettings:
    """The chat model and its budget."""

    model: str = setting("gpt-4o-mini", text, env="OPENAI_MODEL", help="chat model")
    top_k: int = setting(5, number(1, 20), env="AGENT_TOP_K", help="passages an answer uses")
    score_threshold: float = setting(0.0, share, env="AGENT_SCORE_THRESHOLD", help="lowest cosine of a passage")
    max_turns: int = setting(50, number(1, 1000), env="AGENT_MAX_TURNS", help="turns a conversation may have")
    max_searches: int = setting(4, number(1, 20), env="AGENT_MAX_SEARCHES", help="searches for one answer")
    temperature: float = setting(0.1, share, env="AGENT_TEMPERATURE", help="randomness of the answer")
    context_tokens: int = setting(
        8000,
        number(2000, 1000000),
        env="AGENT_CONTEXT_TOKENS",
        help="tokens the chat model is given, its answer included",
    )
    history_tokens: int = setting(
        2000, number(0, 1000000), env="AGENT_HISTORY_TOKENS", help="of these, for the conversation so far"
    )
    answer_tokens: int = setting(800, number(50, 100000), env="AGENT_ANSWER_TOKENS", help="of these, for the answer")
    timeout: int = setting(60, number(1, 3600), env="AGENT_TIMEOUT", help="seconds to wait for the chat model")


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfidenceSettings:
    """When an answer is refused."""

    policy: str = setting(
        "auto",
        choice("auto", "spec"),
        env="BOOKWISE_CONFIDENCE",
        help="when an answer is refused: `auto` by the embedding model, `spec` by fixed cosines",
    )
    model: str | None = setting(None, text, help="embedding model of the two below, which `eval --calibrate` writes")
    weights: tuple[float, ...] = setting((), numbers(4, 6), help="bias, gap, known, named, reached and length")
    levels: tuple[float, ...] = setting((), numbers(3), help="where low, medium and high begin")


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankSettings:
    """The reranker."""

    url: str | None = setting(None, url, env="BOOKWISE_RERANK_URL", help="endpoint that reranks, `/rerank` is added")
    model: str | None = setting(
        None, text, env="BOOKWISE_RERANK_MODEL", help="model of the endpoint; without one, a local cross-encoder"
    )
    api_key: Secret | None = setting(
        None, secret, env="BOOKWISE_RERANK_API_KEY", in_file=False, help="key of the rerank endpoint"
    )
