"""Services that send too much, never end or ask to wait for ever: an error of ours, soon and in little memory."""

from __future__ import annotations

import asyncio
import base64
import importlib
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import numpy as np
import pytest

from ingestion.embedding.openai import OpenAIEmbedder
from ingestion.embedding.rate_limiter import MAX_WAIT, RateLimiter
from ingestion.errors import BookwiseError, ChatModelError, EmbeddingError, RerankError, VectorStoreError
from ingestion.openai_client import sdk
from ingestion.settings.qdrant import QdrantClientSettings, QdrantSettings
from ingestion.vector_stores.server.client import connect
from rag.chat_model.client import ChatModel
from rag.retrieval.rerankers.endpoint import RerankEndpoint
from tests.support.hostile_service import (
    endless_chunks,
    endless_headers,
    endless_hints,
    gzip_bomb,
    hostile_service,
    one_byte_at_a_time,
    one_byte_of_a_header_at_a_time,
    redirect_to_itself,
    whole,
)
from tests.support.openai_server import OpenAIServer, edited, error
from tests.support.waits import LONGEST


def b64(numbers: bytes) -> str:
    return base64.b64encode(numbers).decode()


KEY = "sk-a-key-that-must-not-show"
LIMIT = 1 << 22
"""How much a reply may hold in these tests, so that a bomb of 64 MB is large."""


def embedder(base_url: str, *, timeout: float = 20.0, max_retries: int = 0) -> OpenAIEmbedder:
    return OpenAIEmbedder("tiny", api_key=KEY, base_url=base_url, timeout=timeout, max_retries=max_retries)


def chat(base_url: str, *, many: bool, timeout: float = 20.0) -> None:
    async def ask() -> None:
        model = ChatModel(
            "m", api_key=KEY, base_url=base_url, temperature=0, max_answer_tokens=9, timeout=timeout, many=many
        )
        try:
            async for _ in model.reply([{"role": "user", "content": "?"}], tools=[], tool_choice="none"):
                pass
        finally:
            await model.close()

    asyncio.run(ask())


@contextmanager
def within(megabytes: int) -> Iterator[None]:
    """Hold a block to a peak of memory, and to half the time that a test waits at most."""
    began = time.monotonic()
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < megabytes << 20
    finally:
        tracemalloc.stop()
    assert time.monotonic() - began < LONGEST / 2


@pytest.fixture(scope="module", autouse=True)
def loaded_clients() -> None:
    """Load what the services' clients import late, so that no bound below measures an import."""
    for name in ("aiohttp", "httpx", "openai.resources.embeddings", "qdrant_client"):
        importlib.import_module(name)


@pytest.fixture(autouse=True)
def small_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    begin = sdk._Bounds.begin
    monkeypatch.setattr(
        sdk._Bounds,
        "begin",
        lambda bounds: begin(sdk._Bounds(min(bounds.size, LIMIT), bounds.seconds)),
    )
    monkeypatch.setattr("ingestion.bounded_http.MAX_REPLY_BYTES", LIMIT)
    monkeypatch.setattr("rag.chat_model.client.MAX_RETRIES", 0)
    monkeypatch.setattr("rag.retrieval.rerankers.endpoint.RETRIES", 0)
    monkeypatch.setattr("ingestion.vector_stores.server.client.ATTEMPTS_TO_CONNECT", 1)


@pytest.fixture
def short_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """A whole reply may take 0.6 s, of Qdrant, whose timeout is a second at least, 0.6 s too."""
    monkeypatch.setattr("rag.chat_model.client.MAX_TIMEOUTS", 3.0)
    monkeypatch.setattr("rag.retrieval.rerankers.endpoint.TIMEOUT", 1.0)
    monkeypatch.setattr("ingestion.bounded_http.TOTAL_TIMEOUTS", 0.6)


SERVICES: dict[str, tuple[Callable[[str], object], type[BookwiseError]]] = {
    "embedder": (lambda url: embedder(url, timeout=0.2).embed_query("robots"), EmbeddingError),
    "model": (lambda url: chat(url, many=False, timeout=0.2), ChatModelError),
    "model of a server": (lambda url: chat(url, many=True, timeout=0.2), ChatModelError),
    "reranker": (lambda url: RerankEndpoint(url).rerank("robots", ["a"]), RerankError),
    "Qdrant": (
        lambda url: connect(url, settings=QdrantSettings(client=QdrantClientSettings(timeout=1))).version(),
        VectorStoreError,
    ),
}

HARMS: dict[str, Callable[[], AbstractContextManager[str]]] = {
    "a gzip bomb": lambda: hostile_service(gzip_bomb(64)),
    "a gzip bomb in another": lambda: hostile_service(gzip_bomb(64, again=1)),
    "a gzip bomb in another of an event stream": lambda: hostile_service(
        gzip_bomb(64, content_type="text/event-stream", again=1)
    ),
    "a gzip bomb of an event stream": lambda: hostile_service(gzip_bomb(64, content_type="text/event-stream")),
    "a gzip bomb with an error": lambda: hostile_service(gzip_bomb(64, status="400 Bad Request")),
    "one byte at a time": lambda: hostile_service(one_byte_at_a_time(), pause=0.02, repeat=True),
    "one byte of a stream": lambda: hostile_service(one_byte_at_a_time("text/event-stream"), pause=0.02, repeat=True),
    "one byte of a head": lambda: hostile_service(one_byte_of_a_header_at_a_time(), pause=0.02, repeat=True),
    "endless headers": lambda: hostile_service(endless_headers(), repeat=True),
    "endless hints": lambda: hostile_service(endless_hints(), repeat=True),
    "endless chunks": lambda: hostile_service(endless_chunks(), repeat=True),
    "endless chunks of a stream": lambda: hostile_service(endless_chunks("text/event-stream"), repeat=True),
    "a redirect": lambda: hostile_service(redirect_to_itself(302)),
    "a lasting redirect": lambda: hostile_service(redirect_to_itself(308)),
    "a redirect that is a bomb": lambda: hostile_service(gzip_bomb(64, status="302 Found\r\nlocation: /v1")),
    "JSON without a bottom": lambda: hostile_service(whole(b"[" * 200_000)),
    "an answer of null": lambda: hostile_service(whole(b"null")),
    "no JSON": lambda: hostile_service(whole(b"\xff\xfe<html>")),
    "no HTTP": lambda: hostile_service([b"SSH-2.0-OpenSSH_9.6\r\n"]),
    "a closed connection": lambda: hostile_service([b""]),
}


@pytest.mark.usefixtures("short_times")
@pytest.mark.parametrize("harm", HARMS)
@pytest.mark.parametrize("service", SERVICES)
def test_a_service_that_means_harm_is_an_error_of_ours_in_one_line_soon_and_in_little_memory(
    service: str, harm: str
) -> None:
    ask, kind = SERVICES[service]
    with HARMS[harm]() as url, pytest.raises(kind) as caught, within(megabytes=48):
        ask(url)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 500


@pytest.mark.parametrize("status", ["200 OK", "400 Bad Request", "500 Broken"])
def test_a_reply_that_unpacks_to_far_too_much_is_not_unpacked(status: str) -> None:
    bomb = gzip_bomb(64, status=status)
    with hostile_service(bomb) as url, within(megabytes=32), pytest.raises(EmbeddingError, match="too large"):
        embedder(url, max_retries=5).embed_query("robots")


def test_headers_that_promise_nothing_for_years_delay_a_request_by_minutes_at_most() -> None:
    slept: list[float] = []
    limiter = RateLimiter(clock=lambda: 0.0, sleep=slept.append)
    limiter.learn(
        {
            f"x-ratelimit-{name}-requests": value
            for name, value in (("limit", "1"), ("remaining", "0"), ("reset", "9999d"))
        }
    )
    limiter.wait(1)
    assert slept == [MAX_WAIT]


def test_a_wait_of_hours_is_not_waited_for() -> None:
    with OpenAIServer() as server, within(megabytes=32):
        server.script.append(error(429, "later", headers={"retry-after": "86400"}))
        with pytest.raises(EmbeddingError, match="still rate limited"):
            embedder(server.base_url, max_retries=5).embed_query("robots")
        assert len(server.requests) == 1


FLOATS = b64(np.ones(8, "<f4").tobytes())
WRONG_VECTORS: dict[str, Callable[[list[Any]], Any]] = {
    "a float index": lambda data: [data[0] | {"index": 0.0}, data[1]],
    "an index of text": lambda data: [data[0] | {"index": "0"}, data[1]],
    "an index of null": lambda data: [data[0] | {"index": None}, data[1]],
    "an index of true": lambda data: [data[0], data[1] | {"index": True}],
    "a list for an index": lambda data: [data[0] | {"index": [0]}, data[1]],
    "a huge index": lambda data: [data[0] | {"index": 10**300}, data[1]],
    "an index twice": lambda data: [data[0], data[1] | {"index": 0}],
    "one vector too few": lambda data: data[:1],
    "one vector too many": lambda data: [*data, data[0] | {"index": 2}],
    "none": lambda _: [],
    "null": lambda _: None,
    "an object": lambda data: {"0": data[0]},
    "text": lambda _: "vectors",
    "a null among them": lambda data: [data[0], None],
    "a vector of null": lambda data: [data[0], data[1] | {"embedding": None}],
    "a vector of true": lambda data: [data[0], data[1] | {"embedding": True}],
    "another length": lambda data: [data[0], data[1] | {"embedding": [1.0, 2.0]}],
    "a long one first": lambda data: [data[0] | {"embedding": [1.0] * 100_000}, data[1]],
    "no numbers": lambda data: [data[0], data[1] | {"embedding": []}],
    "numbers in lists": lambda data: [data[0], data[1] | {"embedding": [[1.0]] * 8}],
    "texts": lambda data: [data[0], data[1] | {"embedding": ["a"] * 8}],
    "a huge number": lambda data: [data[0], data[1] | {"embedding": [10**400] * 8}],
    "NaN": lambda data: [data[0], data[1] | {"embedding": [float("nan")] * 8}],
    "infinity": lambda data: [data[0], data[1] | {"embedding": [float("inf")] * 8}],
    "zeros": lambda data: [data[0], data[1] | {"embedding": [0.0] * 8}],
    "NaN in base64": lambda data: [data[0], data[1] | {"embedding": b64(np.full(8, np.nan, "<f4").tobytes())}],
    "half a number in base64": lambda data: [data[0], data[1] | {"embedding": b64(b"abc")}],
    "no base64": lambda data: [data[0], data[1] | {"embedding": "%%%%"}],
    "other marks in base64": lambda data: [data[0], data[1] | {"embedding": "é" * 8}],
    "base64 with a line break": lambda data: [data[0], data[1] | {"embedding": FLOATS + "\n*"}],
}


@pytest.mark.parametrize("wrong", WRONG_VECTORS)
def test_an_answer_without_the_right_vectors_is_an_embedding_error_in_one_sentence(wrong: str) -> None:
    with OpenAIServer() as server:
        server.script.append(edited(WRONG_VECTORS[wrong]))
        with pytest.raises(EmbeddingError, match=r"^embedding service 127\.0\.0\.1:\d+: [^\n]{10,200}$"):
            embedder(server.base_url).embed_documents(["robots", "arms"])
        assert embedder(server.base_url).embed_documents(["robots", "arms"]).shape == (2, 8)


@pytest.mark.parametrize("body", [b"[" * 100_000, b'{"data":' * 50_000, b'{"data": [' + b'{"embedding":[' * 50_000])
def test_json_nested_too_deep_is_an_embedding_error(body: bytes) -> None:
    with hostile_service(whole(body)) as url, pytest.raises(EmbeddingError, match="check OPENAI_BASE_URL"):
        embedder(url).embed_query("robots")


@pytest.mark.parametrize("said", ["inf", "nan", "1e-320", "-1e300", "9" * 400, "", "1, 2"])
def test_headers_that_are_no_numbers_neither_fail_nor_delay_for_long(said: str) -> None:
    slept: list[float] = []
    for name in ("limit", "remaining", "reset"):
        limiter = RateLimiter(clock=lambda: 0.0, sleep=slept.append)
        good = {"limit": "10", "remaining": "0", "reset": "1s"}
        limiter.learn({f"x-ratelimit-{each}-tokens": value for each, value in (good | {name: said}).items()})
        limiter.wait(1)
    assert all(0 < each <= MAX_WAIT for each in slept)


def test_an_answer_nested_too_deep_is_a_chat_model_error() -> None:
    stream = whole(b"data: " + b"[" * 100_000 + b"\n\n", "text/event-stream")
    with hostile_service(stream) as url, pytest.raises(ChatModelError, match="not a chat completion"):
        chat(url, many=False)
