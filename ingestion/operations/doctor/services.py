"""Check the configured services: the embedder, the language model, the databases, the shared rate store."""

from __future__ import annotations

import time
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

from ingestion.errors import ConfigurationError
from ingestion.extras import install_command
from ingestion.factory import host_of, kind_of, openai_host
from ingestion.operations.doctor.report import Check, note, ok, problem
from ingestion.settings import Settings

TIMEOUT = 10.0
"""Timeout in seconds for the doctor; real work waits longer."""

REDIS_TIMEOUT = 5.0
_MODULES = {"fastembed": "fastembed", "sentence-transformers": "sentence_transformers"}


def embedder_checks(settings: Settings) -> Iterator[Check]:
    """Yield what embeds the texts and where they go; `settings` are settled on the index's embedder."""
    kind = kind_of(settings)
    if kind == "openai":
        yield ok(
            "embedder",
            f"{settings.embedding.model}; texts of lessons and questions are sent to {openai_host(settings)}",
        )
    elif kind == "local":
        from ingestion.embedding.minilm import MiniLm

        started = time.monotonic()
        MiniLm().embed_query("a question")
        works = f"works, loaded in {time.monotonic() - started:.1f} s"
        yield ok("embedder", f"{MiniLm.model}, built in, {works}; texts stay on this machine")
    elif find_spec(_MODULES[kind]):
        yield ok("embedder", f"{settings.embedding.model} by {kind}; texts stay on this machine")
    else:
        yield problem(
            "embedder", f"{kind} is not installed", f"{install_command(kind)}, or set BOOKWISE_EMBEDDER=local"
        )


def model_checks(settings: Settings) -> Iterator[Check]:
    """Yield which language model answers, and whether its service, which may embed too, accepts the key."""
    if not (settings.openai.api_key or settings.openai.base_url):
        yield ok("language model", "none: answers are quoted from the book, nothing is sent elsewhere")
        return
    yield ok("language model", f"{settings.agent.model}; questions and passages are sent to {openai_host(settings)}")
    yield from _service_checks(settings)


def _service_checks(settings: Settings) -> Iterator[Check]:
    # Imported late: the SDK takes a second.
    from ingestion.openai_client.sdk import Service

    key = settings.openai.api_key
    service = Service(
        api_key=key.reveal() if key else None,
        base_url=settings.openai.base_url,
        timeout=TIMEOUT,
        max_retries=0,
        api_version=settings.openai.azure_api_version,
    )
    known = service.model_names()
    if not known:
        yield ok("model service", f"{openai_host(settings)} responds, but lists no models")
        return
    yield ok("model service", f"{openai_host(settings)} answers and lists {len(known)} models")
    used = {settings.agent.model: "OPENAI_MODEL"}
    if kind_of(settings) == "openai":
        used[settings.embedding.model] = "OPENAI_EMBEDDING_MODEL"
    for model, variable in used.items():
        if model not in known:
            yield note("model service", f"{model} is not one of its models", f"set {variable} to one of its models")


def reranker_checks(settings: Settings) -> Iterator[Check]:
    """Yield where a reranker gets the passages."""
    if settings.rerank.url:
        yield ok("reranker", f"questions and passages are sent to {host_of(settings.rerank.url)}")


def database_checks(settings: Settings) -> Iterator[Check]:
    """Yield whether the database of jobs and conversations answers."""
    if settings.index.database_url:
        # Imported late: SQLAlchemy takes half a second.
        from ingestion.state.database import database_version

        yield ok("database", f"{database_version(settings.index.database_url.reveal())} answers")
    else:
        yield ok("database", f"files of SQLite in {settings.index.directory}")


def rate_store_checks(settings: Settings) -> Iterator[Check]:
    """Yield whether the Redis in which several servers count answers."""
    if settings.api.rate_store is None:
        return
    if not find_spec("redis"):
        yield problem("redis", "the package redis is not installed", install_command("redis"))
        return
    import redis

    try:
        client: Any = redis.Redis.from_url(
            settings.api.rate_store.reveal(),
            socket_timeout=REDIS_TIMEOUT,
            socket_connect_timeout=REDIS_TIMEOUT,
        )
        with client:
            client.ping()
            yield ok("redis", f"{_redis_version(client)} answers")
    except ValueError:
        raise ConfigurationError("BOOKWISE_API_RATE_STORE cannot be used: write redis://HOST:PORT") from None
    except redis.RedisError as error:
        # The error's own text may contain the URL with its password.
        yield problem(
            "redis",
            f"does not answer ({type(error).__name__})",
            "check BOOKWISE_API_RATE_STORE; until it responds, each server counts on its own",
        )


def _redis_version(client: Any) -> str:
    """Return its version, where the user may ask for it."""
    import redis

    try:
        return f"version {client.info('server')['redis_version']}"
    except (redis.ResponseError, KeyError):
        return "a server that does not report its version"
