"""OpenAI's Batch API: upload texts as a file, download their vectors as a file within a day, at half price."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import IO, TYPE_CHECKING, Any, Final

from ingestion.embedding.openai import FULL_DIMENSIONS, decoded
from ingestion.errors import ConfigurationError, EmbeddingError

if TYPE_CHECKING:
    import openai
    from openai.types import Batch

    from ingestion.models import Vector
    from ingestion.openai_client.access import Failure
    from ingestion.openai_client.sdk import Service

PRICE_SHARE = 0.5
"""Price of a token in a batch, as a share of its usual price."""

# Limits of OpenAI's API reference, "Create batch". With one text per request, the limit of 50,000 inputs per
# embeddings batch is the same as that of 50,000 requests.
MAX_REQUESTS = 50_000
MAX_BYTES = 200_000_000

MAX_RESULT_BYTES = MAX_REQUESTS * 100_000
"""What the results of a batch take at most, read line by line: 100 kB per vector, written as digits."""

ENDPOINT: Final = "/v1/embeddings"
_TAG = "bookwise"
_TIMEOUT = 600.0
_RUNNING = ("validating", "in_progress", "finalizing", "cancelling")


@dataclass(frozen=True, slots=True)
class BatchStatus:
    """State of one batch: `state` in the service's own word, `reason` why it was refused as a whole."""

    batch_id: str
    state: str
    requests: int
    completed: int
    failed: int
    files: tuple[str, ...] = ()
    reason: str = ""

    @property
    def ended(self) -> bool:
        """Return whether the service has finished with it."""
        return self.state not in _RUNNING


@dataclass(frozen=True, slots=True)
class BatchAnswer:
    """Result for one text: its unit vector, or None and the reason."""

    key: str
    vector: Vector | None
    reason: str = ""


class OpenAIBatches:
    """Sends and fetches batches; `dimensions` is the required length of every vector.

    Every call raises EmbeddingError if the service fails or refuses.
    """

    def __init__(self, model: str, dimensions: int, *, api_key: str | None, base_url: str | None = None) -> None:
        if not api_key and not base_url:
            raise ConfigurationError("a batch needs OPENAI_API_KEY, or a service with batches in OPENAI_BASE_URL")
        self._model = model
        self._dimensions = dimensions
        self._api_key = api_key
        self._base_url = base_url

    def split(self, texts: Mapping[str, str]) -> list[dict[str, str]]:
        """Split the texts, in order, into as few batches as the service's limits allow."""
        batches: list[dict[str, str]] = []
        size = 0
        for key, text in texts.items():
            length = len(self._line(key, text))
            if not batches or len(batches[-1]) == MAX_REQUESTS or size + length > MAX_BYTES:
                batches.append({})
                size = 0
            batches[-1][key] = text
            size += length
        return batches

    def create(self, texts: Mapping[str, str], tag: str) -> BatchStatus:
        """Upload the texts by key and start a batch, which `find` recognises by its tag.

        Starting is not retried: a lost reply may have started the batch, and a second one would be paid for twice.
        """
        with tempfile.TemporaryFile() as file, self._errors():
            self._write(texts, file)
            uploaded = self._client.files.create(file=(f"bookwise-{tag}.jsonl", file), purpose="batch")
            batch = self._client.with_options(max_retries=0).batches.create(
                input_file_id=uploaded.id, endpoint=ENDPOINT, completion_window="24h", metadata={_TAG: tag}
            )
        return _status(batch)

    def find(self, tag: str) -> BatchStatus | None:
        """Return the batch created with this tag, or None if it never reached the service."""
        with self._errors():
            pages = self._client.batches.list(limit=100)
            return next((_status(batch) for batch in pages if (batch.metadata or {}).get(_TAG) == tag), None)

    def status(self, batch_id: str) -> BatchStatus:
        """Return the current state of a batch."""
        with self._errors():
            return _status(self._client.batches.retrieve(batch_id))

    def answers(self, batch: BatchStatus) -> Iterator[BatchAnswer]:
        """Yield the result of each text, read line by line; texts that the service never reached may be missing."""
        for file in batch.files:
            with self._errors(), self._client.files.with_streaming_response.content(file) as response:
                for line in _lines(response.iter_bytes()):
                    yield self._answer(json.loads(line))

    @cached_property
    def _client(self) -> openai.OpenAI:
        return self._service.open()

    @cached_property
    def _service(self) -> Service:
        from ingestion.openai_client.sdk import Service

        return Service(self._api_key, self._base_url, _TIMEOUT, max_retries=5, max_reply_bytes=MAX_RESULT_BYTES)

    def _line(self, key: str, text: str) -> bytes:
        body: dict[str, Any] = {"model": self._model, "input": text, "encoding_format": "base64"}
        if self._dimensions != FULL_DIMENSIONS.get(self._model, self._dimensions):
            body["dimensions"] = self._dimensions
        request = {"custom_id": key, "method": "POST", "url": ENDPOINT, "body": body}
        return json.dumps(request).encode() + b"\n"

    def _write(self, texts: Mapping[str, str], file: IO[bytes]) -> None:
        file.writelines(self._line(key, text) for key, text in texts.items())
        file.seek(0)

    def _answer(self, line: dict[str, Any]) -> BatchAnswer:
        key = line["custom_id"]
        response = line.get("response") or {}
        body = response.get("body") or {}
        if line.get("error") or response.get("status_code") != 200:
            error = line.get("error") or body.get("error") or {}
            return BatchAnswer(
                key, None, self._service.mask(error.get("message") or error.get("code") or "no reason given")
            )
        try:
            (item,) = body["data"]
            return BatchAnswer(key, _unit_vector(item["embedding"], self._dimensions))
        except (KeyError, TypeError, ValueError) as error:
            return BatchAnswer(key, None, f"the answer holds no usable vector: {error}")

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Turn errors of the SDK, and lines that are not JSON, into one line without the key."""
        import httpx2
        import openai

        try:
            yield
        except (openai.OpenAIError, httpx2.HTTPError) as error:  # HTTPError if the file breaks off
            reason = self._service.explain(error, _ADVICE)
            raise EmbeddingError(f"batch service {self._host}: {reason}") from self._service.cause(error)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise EmbeddingError(f"batch service {self._host}: its answer is no batch's ({error})") from error

    @property
    def _host(self) -> str:
        return self._service.host


def _lines(parts: Iterable[bytes]) -> Iterator[bytes]:
    """Lines that are not empty. Only a line feed ends one: httpx2 would also cut at U+2028 inside a message."""
    rest = b""
    for part in parts:
        *lines, rest = (rest + part).split(b"\n")
        yield from (line for line in lines if line.strip())
    if rest.strip():
        yield rest


def _status(batch: Batch) -> BatchStatus:
    counts = batch.request_counts
    errors = (batch.errors.data if batch.errors else None) or []
    return BatchStatus(
        batch_id=batch.id,
        state=batch.status,
        requests=counts.total if counts else 0,
        completed=counts.completed if counts else 0,
        failed=counts.failed if counts else 0,
        files=tuple(file for file in (batch.output_file_id, batch.error_file_id) if file),
        reason="; ".join(error.message or error.code or "" for error in errors)[:300],
    )


def _unit_vector(embedding: object, dimensions: int) -> Vector:
    """Return the vector at length one; raises ValueError where it has no direction or another number of
    dimensions.
    """
    import numpy as np

    vector = decoded(embedding)
    if vector.shape != (dimensions,):
        raise ValueError(f"{vector.size} numbers where {dimensions} were expected")
    length = np.linalg.norm(vector)
    if not np.isfinite(length) or length == 0:
        raise ValueError("a vector without a direction")
    unit: Vector = vector / length
    return unit


_ADVICE: Mapping[Failure, str] = {
    "model": "it knows no such batch or file, or takes no batches; check key and OPENAI_BASE_URL",
}
