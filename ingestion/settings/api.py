"""Settings of the HTTP server."""

from __future__ import annotations

from dataclasses import dataclass

from ingestion.settings.validators import Secret, number, secret, setting, switch, texts


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiSettings:
    """The HTTP server."""

    rate: int = setting(100, number(1, 1000000), env="BOOKWISE_API_RATE", help="requests a minute of one API key")
    rate_store: Secret | None = setting(
        None,
        secret,
        env="BOOKWISE_API_RATE_STORE",
        in_file=False,
        help="Redis that several servers count in, as `redis://HOST`",
    )
    origins: tuple[str, ...] = setting((), texts, help="sites whose pages may ask the server (CORS)")
    log_texts: bool = setting(False, switch, env="BOOKWISE_API_LOG_TEXTS", help="log what is asked and answered")
    timeout: int = setting(120, number(1, 3600), env="BOOKWISE_API_TIMEOUT", help="seconds an answer may take")
