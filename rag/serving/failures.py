"""Failure messages for callers of a server: a sentence per kind of failure, never the error's own text."""

from __future__ import annotations

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
    VectorStoreError,
)

MODEL = "model"


@dataclass(frozen=True, slots=True)
class FailureKind:
    """How a kind of failure is reported: the failed part for the operator, status and sentence for the reader."""

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


def kind_of(error: Exception) -> FailureKind:
    """Return the kind of failure that an error is."""
    return next((kind for cls, kind in _KINDS if isinstance(error, cls)), _BUG)


def neutral_sentence(kind: FailureKind, request_id: str) -> str:
    """Return the message for a caller who must not see the error itself."""
    return f"{kind.sentence} If this persists, tell the site's owner the request id {request_id}."


def cause_of(error: BaseException) -> str:
    """Return the error with its causes, the root cause last."""
    texts = [str(error)]
    cause = error.__cause__
    while cause is not None and len(texts) < 4:
        texts.append(f"{type(cause).__name__}: {cause}")
        cause = cause.__cause__
    return " <- ".join(" ".join(text.split())[:500] for text in texts)
