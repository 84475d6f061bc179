"""A reranker over HTTP: the endpoint that Cohere, Jina, vLLM and others serve (`POST …/rerank`)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ingestion.bounded_http import ReplyRefused, bound_replies, usable_environment
from ingestion.errors import ConfigurationError, RerankError
from ingestion.extras import install_command

if TYPE_CHECKING:
    import httpx

TIMEOUT = 30.0
"""Seconds an answer may take."""

RETRIES = 2
"""Further tries of a request that met a busy or broken server."""

_BUSY = frozenset((429, 500, 502, 503, 504))


class RerankEndpoint:
    """Asks `<url>/rerank` (or `url` itself if it ends so); all passages go in one request."""

    def __init__(self, url: str, model: str | None = None, key: str | None = None) -> None:
        self._url = url if url.endswith("/rerank") else f"{url}/rerank"
        self._model = model
        self._key = key

    def rerank(self, question: str, passages: Sequence[str]) -> list[float]:
        """See `Reranker`."""
        if not passages:
            return []
        body: dict[str, Any] = {"query": question, "documents": list(passages), "top_n": len(passages)}
        if self._model:
            body["model"] = self._model
        return self._scores(self._ask(body), len(passages))

    @cached_property
    def _client(self) -> httpx.Client:
        try:
            import httpx
        except ImportError as exc:
            raise ConfigurationError(f"a rerank endpoint needs httpx: {install_command('rerank')}") from exc
        headers = {"authorization": f"Bearer {self._key}"} if self._key else {}
        with usable_environment(urlsplit(self._url).hostname or self._url):
            client = httpx.Client(timeout=TIMEOUT, headers=headers)
        bound_replies(client)
        return client

    def _ask(self, body: dict[str, Any]) -> Any:
        client = self._client
        import httpx

        reason = ""
        for _ in range(1 + RETRIES):
            try:
                answer = client.post(self._url, json=body)
            except httpx.HTTPError as exc:
                reason = type(exc).__name__
                continue
            except ReplyRefused as exc:
                raise self._error(str(exc)) from exc
            if answer.status_code in _BUSY:
                reason = f"status {answer.status_code}"
                continue
            if answer.status_code != httpx.codes.OK:
                raise self._error(f"status {answer.status_code}; check rerank.url, rerank.model and the key")
            try:
                return answer.json()
            except (ValueError, RecursionError) as exc:
                raise self._error("an answer that is not JSON") from exc
        raise self._error(f"{reason}, {1 + RETRIES} times")

    def _scores(self, answer: Any, count: int) -> list[float]:
        try:
            scores = {int(item["index"]): float(item["relevance_score"]) for item in answer["results"]}
            return [scores[index] for index in range(count)]
        except (KeyError, TypeError, ValueError, OverflowError) as exc:
            raise self._error(f"no score for each of the {count} passages in its answer") from exc

    def _error(self, reason: str) -> RerankError:
        # Host and port only: the address may carry a password, and a service may quote the key.
        parts = urlsplit(self._url)
        return RerankError(f"the rerank endpoint at {parts.hostname}:{parts.port or parts.scheme} gave {reason}")
