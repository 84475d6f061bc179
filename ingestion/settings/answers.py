"""Settings of the chat model, the confidence policy and the reranker."""

from __future__ import annotations

from dataclasses import dataclass

from ingestion.settings.validators import (
    Secret,
    always,
    book_setting,
    parse_choice,
    parse_fraction,
    parse_int,
    parse_numbers,
    parse_secret,
    parse_text,
    parse_url,
    setting,
    table_setting,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentSettings:
    """The chat model and its budget."""

    model: str = setting("gpt-4o-mini", parse_text, env="OPENAI_MODEL", help="chat model")
    system_prompt: str = setting(
        "",
        parse_text,
        env="AGENT_SYSTEM_PROMPT",
        help="what you tell the chat model of tone, form and audience, beside the rules that it searches, cites and "
        "refuses; not in a book's own files",
    )
    top_k: int = setting(5, parse_int(1, 100), env="AGENT_TOP_K", help="passages per answer")
    score_threshold: float = setting(
        0.0, parse_fraction, env="AGENT_SCORE_THRESHOLD", help="minimum cosine of a passage"
    )
    min_relevance_score: float = setting(
        0.3,
        parse_fraction,
        env="AGENT_MIN_RELEVANCE_SCORE",
        help="minimum cosine of the best passage for a search to have relevant results",
    )
    max_turns: int = setting(50, parse_int(1, 1000), env="AGENT_MAX_TURNS", help="maximum turns per conversation")
    max_searches: int = setting(4, parse_int(1, 20), env="AGENT_MAX_SEARCHES", help="maximum searches per answer")
    temperature: float = setting(
        0.1, parse_fraction, env="AGENT_TEMPERATURE", help="sampling temperature of the answer"
    )
    context_tokens: int = setting(
        8000,
        parse_int(2000, 1000000),
        env="AGENT_CONTEXT_TOKENS",
        help="context budget in tokens, the answer included, and at most a quarter for the conversation so far",
    )
    answer_tokens: int = setting(
        800, parse_int(50, 100000), env="AGENT_ANSWER_TOKENS", help="tokens of the budget reserved for the answer"
    )
    timeout: int = setting(60, parse_int(1, 3600), env="AGENT_TIMEOUT", help="timeout of the chat model in seconds")
    entailment: str | None = setting(
        None,
        parse_text,
        env="AGENT_ENTAILMENT",
        help="folder with a model in ONNX that tells whether a text entails a sentence, for what words do not tell",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedPolicy:
    """A policy that is fitted to a book's own questions."""

    model: str | None = setting(
        None, parse_text, help="embedding model that it was fitted to; ignored with other models"
    )
    weights: tuple[float, ...] = setting(
        (), parse_numbers(4, 6, 7), help="bias, gap, known, named, reached, length and heeded"
    )
    levels: tuple[float, ...] = setting((), parse_numbers(3), help="thresholds of low, medium and high")


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfidenceSettings:
    """Settings that decide when an answer is refused."""

    policy: str = book_setting(
        "auto",
        parse_choice("auto", "spec"),
        env="BOOKWISE_CONFIDENCE",
        help="when an answer is refused: `auto` uses the embedding model's policy, `spec` fixed cosine thresholds",
    )
    fitted: FittedPolicy = table_setting(
        FittedPolicy, by_book=always, help="the book's own policy, written by `eval --calibrate`"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankSettings:
    """The reranker."""

    url: str | None = setting(None, parse_url, env="BOOKWISE_RERANK_URL", help="rerank endpoint, without `/rerank`")
    model: str | None = setting(
        None,
        parse_text,
        env="BOOKWISE_RERANK_MODEL",
        help="model of the endpoint; without one, a local cross-encoder: a folder with its ONNX file, or a name",
    )
    api_key: Secret | None = setting(
        None, parse_secret, env="BOOKWISE_RERANK_API_KEY", in_file=False, help="key of the rerank endpoint"
    )
