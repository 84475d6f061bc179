"""Embed with OpenAI, or with any service that speaks its embeddings API.

Without the SDK, whose import takes a third of the time that an edit takes, and which adds a retry and models of the
reply that are not needed.
"""

from __future__ import annotations

import base64
import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any

from ingestion.embedding.batching import Batcher, Limits
from ingestion.embedding.protocol import refuse_blank, unit_rows
from ingestion.embedding.rate_limiter import RateLimiter
from ingestion.errors import ConfigurationError, EmbeddingError, InputsRefused
from ingestion.settings.validators import Secret
from ingestion.tokens import count_tokens

if TYPE_CHECKING:
    from ingestion.models import Vector, Vectors
    from ingestion.openai_client.access import Failure, ServiceAccess
    from ingestion.openai_client.posting import Poster, PostFailed

log = logging.getLogger(__name__)

FULL_DIMENSIONS = {"text-embedding-3-small": 1536, "text-embedding-3-large": 3072, "text-embedding-ada-002": 1536}

OPENAI_LIMITS = Limits(inputs=2048, tokens=300_000, input_tokens=8_191, in_flight=8)
"""Limits of OpenAI's API reference, "Create embeddings"."""

PREPARATION = 1
"""Version of how a text is prepared for the service; part of `model`."""


class OpenAIEmbedder:
    """Embeds over HTTP; requests that fail are sent again, see `openai_client.posting`.

    `dimensions` shortens the vectors where the model can. `base_url` names another service, which may need no
    key; with `api_version` it is Azure's, and the model is the name of a deployment. `timeout` is in seconds for one
    try; `max_retries` follow the first. No connection is opened before the first call, except that the dimensions of
    a model not in FULL_DIMENSIONS are learned by embedding one word. Calls may come from several threads, which
    share `rate_limiter`. A missing or impossible key fails at the first call: a plan needs none.
    """

    def __init__(
        self,
        model: str = "text-embedding-3-small",
        dimensions: int | None = None,
        *,
        api_key: str | Secret | None,
        base_url: str | None = None,
        api_version: str | None = None,
        timeout: float = 60.0,
        max_retries: int = 5,
        limits: Limits = OPENAI_LIMITS,
        rate_limiter: RateLimiter | None = None,
    ) -> None:
        if api_version and not base_url:
            raise ConfigurationError("BOOKWISE_AZURE_API_VERSION is Azure's; set its address in OPENAI_BASE_URL")
        full = FULL_DIMENSIONS.get(model)
        self._model = model
        self._shortened = None if dimensions == full else dimensions
        self._dimensions = dimensions or full
        self._service_options: dict[str, Any] = {
            "api_key": api_key,
            "base_url": base_url,
            "api_version": api_version,
            "timeout": timeout,
            "max_retries": max_retries,
        }
        self._rate_limiter = rate_limiter or RateLimiter()
        self._opening = Lock()
        self._reading = Lock()
        self.limits = limits

    @property
    def model(self) -> str:
        """Return the model, its dimensions if shortened, and the version of the preparation."""
        return f"{self._model}@{self._shortened}/{PREPARATION}" if self._shortened else f"{self._model}/{PREPARATION}"

    @property
    def dimensions(self) -> int:
        """Return the length of the vectors; asks the service if it is neither set nor known."""
        return self._dimensions or self._embed(self._poster, ["dimensions"], 1).shape[1]

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder`; in as few requests as the limits allow.

        Raises ValueError for a blank text and InputsRefused for one that is over the limits, before any request.
        """
        import numpy as np

        refuse_blank(texts)
        poster = self._poster
        tokens = count_tokens(texts)
        requests = [self._embed(poster, batch, held) for batch, held in self._batches(texts, tokens)]
        return np.concatenate(requests) if requests else np.zeros((0, self.dimensions), np.float32)

    def embed_query(self, text: str) -> Vector:
        """See `Embedder`; a question is embedded like a document."""
        vector: Vector = self.embed_documents([text])[0]
        return vector

    @property
    def _poster(self) -> Poster:
        """Make it in one thread while others wait: several that import at once take twice the time."""
        with self._opening:
            return self._opened

    @cached_property
    def _opened(self) -> Poster:
        from ingestion.openai_client.posting import Poster

        count_tokens(["any"])  # The same goes for the counter's vocabulary.
        return Poster(self._access, on_headers=self._rate_limiter.learn)

    @cached_property
    def _access(self) -> ServiceAccess:
        from ingestion.openai_client.access import ServiceAccess

        key = self._service_options["api_key"]
        return ServiceAccess(**self._service_options | {"api_key": key.reveal() if isinstance(key, Secret) else key})

    def _batches(self, texts: Sequence[str], tokens: Sequence[int]) -> Iterator[tuple[list[str], int]]:
        """Yield the texts in order, in batches, with the tokens of each batch."""
        batcher: Batcher[int] = Batcher(self.limits)
        batches = []
        for position, count in enumerate(tokens):
            if reason := self.limits.refuse(count):
                raise InputsRefused(f"text {position + 1} of {len(texts)} {reason}, so cut it")
            batches.append(batcher.add(position, count))
        for batch in filter(None, [*batches, batcher.rest()]):
            yield [texts[position] for position in batch], sum(tokens[position] for position in batch)

    def _embed(self, poster: Poster, inputs: list[str], tokens: int) -> Vectors:
        """Make one request."""
        from ingestion.openai_client.posting import PostFailed

        self._rate_limiter.wait(tokens)
        log.debug("embedding %d texts, %d tokens", len(inputs), tokens)
        body: dict[str, Any] = {"model": self._model, "input": inputs, "encoding_format": "base64"}
        if self._shortened:
            body["dimensions"] = self._shortened
        try:
            reply = poster.post(self._access.path_of("embeddings", self._model), body)
            # One at a time: a full reply is 17 MB, and several times that while it is read.
            with self._reading:
                vectors = self._unit_vectors(json.loads(reply)["data"], len(inputs))
        except PostFailed as exc:
            kind = InputsRefused if _blames_the_inputs(exc) else EmbeddingError
            reason = self._access.advise(exc.failure, exc, _advice(self._model))
            raise self._error(reason, kind) from self._access.cause(exc)
        except (KeyError, TypeError, ValueError, OverflowError, RecursionError) as exc:
            raise self._error("the response contains no embeddings; check OPENAI_BASE_URL") from exc
        return vectors

    def _unit_vectors(self, items: Sequence[Mapping[str, Any]], wanted: int) -> Vectors:
        """Return unit vectors in the order of the texts; the first reply settles unknown dimensions."""
        import numpy as np

        if any(type(item["index"]) is not int for item in items):
            raise ValueError("an index is not a whole number")
        if sorted(item["index"] for item in items) != list(range(wanted)):
            raise self._error(f"{len(items)} vectors were returned for {wanted} texts, or they are numbered wrongly")
        rows = [decoded(item["embedding"]) for item in sorted(items, key=lambda item: item["index"])]
        dimensions = self._dimensions or len(rows[0])
        for row in rows:
            if row.shape != (dimensions,):
                raise self._error(f"a vector of {row.size} numbers was returned where {dimensions} were expected")
        self._dimensions = dimensions
        zero = self._error("the service returned a vector of length zero")
        return unit_rows(np.stack(rows).astype(np.float32), zero)

    def _error(self, reason: str, kind: type[EmbeddingError] = EmbeddingError) -> EmbeddingError:
        return kind(f"embedding service {self._access.host}: {reason}")


def decoded(embedding: object) -> Vector:
    """Decode a vector: base64 of little-endian float32, or numbers from services without base64."""
    import numpy as np

    if isinstance(embedding, str):
        return np.frombuffer(base64.b64decode(embedding, validate=True), "<f4")
    return np.asarray(embedding, np.float32)


def _blames_the_inputs(error: PostFailed) -> bool:
    """Return whether it is a 400, 413 or 422 that blames no other part of the request than the texts."""
    if error.status not in (400, 413, 422) or error.code == "model_not_found":
        return False
    return error.parameter not in ("model", "dimensions", "encoding_format")


def _advice(model: str) -> dict[Failure, str]:
    """Return the advice for a failure, where an embedding model differs from the general case."""
    return {
        "quota": "the account's quota is used up; raise it and run again (completed work is saved)",
        "model": f"there is no model {model!r} for this key; check OPENAI_EMBEDDING_MODEL and OPENAI_BASE_URL",
        "permission": f"the key may not use {model!r}; check its permissions",
        "timeout": "no response in time, even after retries; run again later",
    }
