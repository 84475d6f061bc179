"""Report failures in full to the operator, and in one neutral sentence with the request id to the reader.

An error text may contain hosts, paths, account names or another service's message, so only the log gets it. On a
loopback server without keys, reader and operator are the same person, who gets the text too.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Literal

from starlette.exceptions import HTTPException

from ingestion.errors import AnswerTimeout, BookwiseError, ServerStopping, UnknownAnswer, UnknownThread, UsageError
from rag.api.http.context import current_request
from rag.api.http.metrics import Metrics
from rag.api.http.outages import Outages
from rag.serving.failures import MODEL, FailureKind, cause_of, kind_of, neutral_sentence

logger = logging.getLogger("bookwise.api")

Outcome = Literal["failed", "degraded"]
"""The outcome of the request: `degraded` if the caller got an answer despite the failure."""

_EXPECTED = (ServerStopping,)
"""Not a fault of any part."""

ANSWER_PARTS = (MODEL, "embedding", "reranker", "index", "database")
"""Parts that an answer needs: a failure of one is an outage, which the next answer ends."""


@dataclass(frozen=True, slots=True)
class ReportedFailure:
    """A failure as the caller sees it."""

    status: int
    detail: str


class FailureReporter:
    """Logs and counts every failure, and returns the message for the caller."""

    def __init__(self, metrics: Metrics, outages: Outages, *, show_details: bool) -> None:
        self._metrics = metrics
        self._show_details = show_details
        self.outages = outages

    def report(self, error: Exception) -> ReportedFailure:
        """Report an error that ends a request; a caller's mistake is returned in full and not logged."""
        if isinstance(error, HTTPException):
            return ReportedFailure(error.status_code, str(error.detail))
        if isinstance(error, UsageError):
            status = 404 if isinstance(error, UnknownThread | UnknownAnswer) else 422
            return ReportedFailure(status, str(error))
        kind = kind_of(error)
        awaited = current_request().awaits
        self._note(awaited if awaited and isinstance(error, AnswerTimeout) else kind.part, error, "failed")
        return ReportedFailure(kind.status, self._detail(kind, error))

    def degraded(self, error: BookwiseError) -> str:
        """Report a failure despite which the caller gets an answer; returns the message for the caller."""
        kind = kind_of(error)
        self._note(kind.part, error, "degraded")
        return self._detail(kind, error)

    def answered(self, *, by_model: bool) -> None:
        """Note that an answer was given, so all its parts work; `by_model` says whether the model wrote it."""
        for part in ANSWER_PARTS:
            if by_model or part != MODEL:
                self.outages.recovered(part)

    def explain(self, error: BookwiseError) -> str:
        """Return the caller's message for an error that is not reported now, as for `/ready`."""
        return str(error) if self._show_details else kind_of(error).sentence

    def _note(self, part: str, error: Exception, outcome: Outcome) -> None:
        failure = {"outcome": outcome, "part": part, "kind": type(error).__name__}
        self._metrics.failed(part, failure["kind"])
        current_request().failure = failure
        if part in ANSWER_PARTS:
            self.outages.failed(part, str(error))
        is_bug = not isinstance(error, BookwiseError)
        level = logging.INFO if isinstance(error, _EXPECTED) else logging.ERROR
        logger.log(level, "failure", extra=failure | {"cause": cause_of(error)}, exc_info=error if is_bug else None)

    def _detail(self, kind: FailureKind, error: Exception) -> str:
        if self._show_details and isinstance(error, BookwiseError):
            return str(error)
        return neutral_sentence(kind, current_request().request_id)
