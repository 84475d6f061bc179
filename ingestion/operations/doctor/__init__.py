"""Check everything that a run or an answer depends on, change nothing, and name the next step of each finding."""

from __future__ import annotations

from collections.abc import Iterator

from ingestion.errors import BookwiseError, ConfigurationError
from ingestion.factory import generations_of, settle_embedder
from ingestion.operations.doctor.configuration import (
    book_checks,
    installed,
    package_checks,
    setting_rows,
    trust_checks,
)
from ingestion.operations.doctor.index import disk_checks, index_checks, server_checks, state_checks
from ingestion.operations.doctor.report import Check, Report, guarded, problem
from ingestion.operations.doctor.services import (
    database_checks,
    embedder_checks,
    model_checks,
    rate_store_checks,
    reranker_checks,
)
from ingestion.settings import Settings
from ingestion.settings.loader import Loaded


def diagnose(loaded: Loaded) -> Report:
    """Return the report for these settings; never raises a BookwiseError."""
    return Report(tuple(setting_rows(loaded)), tuple(_checks(loaded.settings)), tuple(installed()))


def misconfigured(error: ConfigurationError) -> Report:
    """Return the report of settings that cannot be read: one finding per mistake."""
    _, *mistakes = str(error).split("\n  ")
    step = "correct it in its source"
    checks = [problem("settings", mistake, step) for mistake in mistakes or [str(error)]]
    return Report((), tuple(checks), tuple(installed()))


def _checks(settings: Settings) -> Iterator[Check]:
    yield from package_checks()
    yield from book_checks(settings)
    yield from trust_checks(settings)
    try:
        generations = generations_of(settings)
        settled = settle_embedder(settings)
    except BookwiseError as error:
        yield problem("vector store", str(error), error.hint or "check QDRANT_URL and QDRANT_API_KEY, or unset them")
        settled = settings
    else:
        yield from guarded("vector store", server_checks(settings, generations), "see the guide to Qdrant")
        yield from guarded("index", index_checks(settled, generations), "run `bookwise verify`")
        yield from guarded("state", state_checks(settings, generations), "run `bookwise verify --repair`")
    yield from guarded("embedder", embedder_checks(settled), "set BOOKWISE_EMBEDDER to another one")
    yield from guarded("model service", model_checks(settled), "check OPENAI_API_KEY and OPENAI_BASE_URL")
    yield from guarded("reranker", reranker_checks(settings), "check BOOKWISE_RERANK_URL")
    yield from guarded("database", database_checks(settings), "check DATABASE_URL and that the database is running")
    yield from guarded("redis", rate_store_checks(settings), "check BOOKWISE_API_RATE_STORE")
    yield from disk_checks(settings)
