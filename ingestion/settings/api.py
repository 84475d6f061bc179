"""Settings of the HTTP server and of the conversations it keeps."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_network
from typing import Any

from ingestion.settings.validators import (
    Secret,
    parse_amount,
    parse_bool,
    parse_choice,
    parse_int,
    parse_secret,
    parse_text,
    parse_texts,
    setting,
    table_setting,
)

PAGE_LANGUAGES = ("en", "ur", "es", "de", "zh", "ar")
"""The languages of the chat page and the widget."""


def parse_listed(raw: Any) -> tuple[str, ...]:
    """Parse a list of texts; in an environment variable they are separated by commas."""
    return parse_texts([part for part in raw.split(",") if part.strip()] if isinstance(raw, str) else raw)


def parse_networks(raw: Any) -> tuple[str, ...]:
    """Parse a list of addresses or networks such as `10.0.0.0/8`."""
    found = parse_listed(raw)
    for network in found:
        ip_network(network, strict=False)
    return found


def parse_path_prefix(raw: Any) -> str:
    """Parse a path such as `/book`, without a slash at its end."""
    prefix = "/" + parse_text(raw).strip("/")
    if any(mark in prefix for mark in "?#\\ ") or "//" in prefix:
        raise ValueError(f"{raw!r} is not a path such as /book")
    return "" if prefix == "/" else prefix


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiLimits:
    """Limits of the HTTP server."""

    rate: int = setting(100, parse_int(1, 1000000), help="questions per minute of one API key")
    client_rate: int = setting(20, parse_int(1, 1000000), help="questions per minute of one client of a public key")
    read_rate: int = setting(600, parse_int(1, 1000000), help="other requests per minute of one client")
    daily_questions: int = setting(0, parse_int(0, 10**9), help="questions per day of one public key, 0: no limit")
    daily_cost: float = setting(0.0, parse_amount, help="US dollars per day of one public key, 0: no limit")
    max_connections: int = setting(
        1000,
        parse_int(8, 1000000),
        help="open connections, fewer where files are few, a fifth of them for one client",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiSettings:
    """The HTTP server."""

    limits: ApiLimits = table_setting(ApiLimits, env="BOOKWISE_API_LIMITS", help="limits per key and client")
    rate_store: Secret | None = setting(
        None,
        parse_secret,
        env="BOOKWISE_API_RATE_STORE",
        in_file=False,
        help="Redis for rate limits shared by several servers, as `redis://HOST`",
    )
    token_price: float = setting(
        0.0,
        parse_amount,
        env="BOOKWISE_API_TOKEN_PRICE",
        help="price of the chat model in US dollars per million tokens",
    )
    origins: tuple[str, ...] = setting(
        (), parse_listed, env="BOOKWISE_API_ORIGINS", help="origins whose pages may call the server (CORS)"
    )
    trusted_proxies: tuple[str, ...] = setting(
        (),
        parse_networks,
        env="BOOKWISE_API_TRUSTED_PROXIES",
        in_file=False,
        help="addresses of proxies whose `X-Forwarded-*` headers are trusted",
    )
    root_path: str = setting(
        "",
        parse_path_prefix,
        env="BOOKWISE_API_ROOT_PATH",
        help="path prefix used by a proxy, such as /book",
    )
    workers: int = setting(
        1,
        parse_int(1, 256),
        env="BOOKWISE_API_WORKERS",
        help="processes that answer, more than one with Qdrant and, where keys are used, Redis only",
    )
    metrics_address: str | None = setting(
        None, parse_text, env="BOOKWISE_API_METRICS", help="`HOST:PORT` that serves only /metrics, without a key"
    )
    language: str = setting(
        "reader",
        parse_choice("reader", *PAGE_LANGUAGES),
        env="BOOKWISE_API_LANGUAGE",
        help="language of the chat page, `reader`: what the reader's browser asks for",
    )
    log_format: str = setting(
        "auto",
        parse_choice("auto", "json", "text"),
        env="BOOKWISE_API_LOG_FORMAT",
        help="log lines: `text`, `json`, or `auto`: text on a terminal",
    )
    log_texts: bool = setting(False, parse_bool, env="BOOKWISE_API_LOG_TEXTS", help="log questions and answers")
    timeout: int = setting(120, parse_int(1, 3600), env="BOOKWISE_API_TIMEOUT", help="answer timeout in seconds")


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationSettings:
    """The conversations."""

    keep_days: int = setting(
        0,
        parse_int(0, 36500),
        env="BOOKWISE_KEEP_DAYS",
        help="delete conversations and questions that are unused for this many days; 0: never",
    )
