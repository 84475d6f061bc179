"""Report failures to the operator in full, and to the reader in one neutral sentence with the request id.

An error text may hold hosts, paths, account names or the words of another service, so only the log gets it. On a
loopback server without keys reader and operator are the same person, who gets the text too.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass

from ingestion.errors import (
    AnswerTimeout,
    BookwiseError,
    ChatModelError,
    ConfigurationError,
    EmbeddingError,
    RerankError,
    ServerStopping,
    StateError,
    UnknownAnswer,
    UnknownThread,
    UsageError,
    VectorStoreError,
)
from rag.api.http.context import current_request
from rag.api.http.metrics import Metrics
from rag.api.http.outages import Outages

logger = logging.getLogger("bookwise.api")

MODEL = "model"


@dataclass(frozen=True, slots=True)
class FailureKind:
    """How a kind of failure is reported: its part for the operator, its status and sentence for the reader."""

    part: str
    status: int
    sentence: str


_SEARCH = "The search is not available right now."
_KINDS: tuple[tuple[type[BaseException], FailureKind], ...] = (
    (AnswerTimeout, FailureKind("deadline", 504, "The answer took too long.")),
    (ServerStopping, FailureKind("shutdown", 503, "The server is stopping; ask again in a moment.")),
    (ChatModelError, FailureKind(MODEL, 502, "The language model is not available right now.")),
    (EmbeddingError, FailureKind("embedding", 502, _SEARCH)),
    (RerankError, FailureKind("reranker", 503, _SEARCH)),
    (VectorStoreError, FailureKind("index", 503, _SEARCH)),
    (StateError, FailureKind("database", 503, "Conversations are not available right now.")),
    (ConfigurationError, FailureKind("configuration", 503, "This book cannot be asked right now.")),
    (BookwiseError, FailureKind("server", 503, "The server cannot answer right now.")),
)
_BUG = FailureKind("server", 500, "An unexpected error occurred.")
_EXPECTED = (ServerStopping,)
"""Not a fault of any part."""


@dataclass(frozen=True, slots=True)
class ReportedFailure:
    """What a caller is told."""

    status: int
    detail: str


class FailureReporter:
    """Log and count every failure; returns what the caller may know of it."""

    def __init__(self, metrics: Metrics, outages: Outages, *, show_details: bool) -> None:
        self._metrics = metrics
        self._show_details = show_details
        self.outages = outages

    def report(self, error: Exception) -> ReportedFailure:
        """Report an error that ends a request; a mistake of the caller is not logged, and told as it is."""
        if isinstance(error, UsageError):
            status = 404 if isinstance(error, UnknownThread | UnknownAnswer) else 422
            return ReportedFailure(status, str(error))
        kind = kind_of(error)
        self._note(kind, type(error).__name__, error)
        return ReportedFailure(kind.status, self._detail(kind, error))

    def degraded(self, part: str, name: str, cause: str) -> None:
        """Report a failure that a caller gets an answer in spite of."""
        self._count(part, name, cause)
        logger.error("failure", extra={"part": part, "kind": name, "cause": cause, "outcome": "degraded"})

    def succeeded(self, part: str) -> None:
        """Note that a part works."""
        self.outages.recovered(part)

    def explain(self, error: BookwiseError) -> str:
        """Return what a caller may know of an error that is not reported now, as for `/ready`."""
        return str(error) if self._show_details else kind_of(error).sentence

    def _note(self, kind: FailureKind, name: str, error: Exception) -> None:
        self._count(kind.part, name, str(error))
        is_bug = not isinstance(error, BookwiseError)
        extra = {"part": kind.part, "kind": name, "cause": _cause(error), "outcome": "failed"}
        level = logging.INFO if isinstance(error, _EXPECTED) else logging.ERROR
        logger.log(level, "failure", extra=extra, exc_info=error if is_bug else None)

    def _count(self, part: str, name: str, cause: str) -> None:
        self._metrics.failed(part, name)
        current_request().failure = {"part": part, "kind": name}
        if part != "server":
            self.outages.failed(part, cause, level=logging.DEBUG)

    def _detail(self, kind: FailureKind, error: Exception) -> str:
        if self._show_details and isinstance(error, BookwiseError):
            return str(error)
        request_id = current_request().request_id
        return f"{kind.sentence} If this persists, tell the site's owner the request id {request_id}."


def kind_of(error: Exception) -> FailureKind:
    """Return how an error is reported."""
    return next((kind for cls, kind in _KINDS if isinstance(error, cls)), _BUG)


def _cause(error: BaseException) -> str:
    """Return the error with its causes, the first last."""
    texts = [str(error)]
    cause = error.__cause__
    while cause is not None and len(texts) < 4:
        texts.append(f"{type(cause).__name__}: {cause}")
        cause = cause.__cause__
    return " <- ".join(" ".join(text.split())[:500] for text in texts)
