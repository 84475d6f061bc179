"""Services that send too much, never end or ask to wait for ever: an error of ours, soon and in little memory."""

from __future__ import annotations

import asyncio
import time
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from ingestion import openai_client
from ingestion.embedding.openai import OpenAIEmbedder
from ingestion.embedding.rate_limiter import MAX_WAIT, RateLimiter
from ingestion.errors import ChatModelError, EmbeddingError
from rag.agent.chat_model import ChatModel
from tests.support.hostile_service import gzip_bomb, hostile_service, one_byte_at_a_time, whole
from tests.support.openai_server import OpenAIServer, edited, error

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
def within(seconds: float, megabytes: int) -> Iterator[None]:
    """Hold a block to a time and to a peak of memory."""
    began = time.monotonic()
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < megabytes << 20
    finally:
        tracemalloc.stop()
    assert time.monotonic() - began < seconds


@pytest.fixture(autouse=True)
def small_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    counter = openai_client._Bounds.counter
    monkeypatch.setattr(
        openai_client._Bounds,
        "counter",
        lambda bounds: counter(openai_client._Bounds(min(bounds.size, LIMIT), bounds.seconds)),
    )
    monkeypatch.setattr("rag.agent.chat_model.MAX_RETRIES", 0)


both_clients = pytest.mark.parametrize("many", [False, True], ids=["one reply at a time", "many replies at once"])


@pytest.mark.parametrize("status", ["200 OK", "400 Bad Request", "500 Broken"])
def test_a_reply_that_unpacks_to_far_too_much_is_not_unpacked(status: str) -> None:
    bomb = gzip_bomb(64, status=status)
    with hostile_service(bomb) as url, within(10, megabytes=32), pytest.raises(EmbeddingError, match="larger than"):
        embedder(url, max_retries=5).embed_query("robots")


@both_clients
@pytest.mark.parametrize("status", ["200 OK", "400 Bad Request"])
def test_a_stream_that_unpacks_to_far_too_much_is_not_unpacked(many: bool, status: str) -> None:
    with (
        hostile_service(gzip_bomb(64, content_type="text/event-stream", status=status)) as url,
        within(10, megabytes=32),
        pytest.raises(ChatModelError, match="larger than any right one"),
    ):
        chat(url, many=many)


def test_one_byte_at_a_time_is_not_listened_to_for_ever() -> None:
    with (
        hostile_service(one_byte_at_a_time(), pause=0.02, repeat=True) as url,
        within(5, megabytes=32),
        pytest.raises(EmbeddingError, match="no answer in time"),
    ):
        embedder(url, timeout=0.2).embed_query("robots")


@both_clients
def test_one_byte_of_an_answer_at_a_time_is_not_listened_to_for_ever(
    many: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rag.agent.chat_model.MAX_TIMEOUTS", 2.0)
    with (
        hostile_service(one_byte_at_a_time("text/event-stream"), pause=0.02, repeat=True) as url,
        within(5, megabytes=32),
        pytest.raises(ChatModelError, match="no answer in time"),
    ):
        chat(url, many=many, timeout=0.2)


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
    with OpenAIServer() as server, within(5, megabytes=32):
        server.script.append(error(429, "later", headers={"retry-after": "86400"}))
        with pytest.raises(EmbeddingError, match="rate limit holds"):
            embedder(server.base_url, max_retries=5).embed_query("robots")
        assert len(server.requests) == 1


@pytest.mark.parametrize("index", [0.0, "0", None, [0], 1e300])
def test_an_index_that_is_no_number_is_an_embedding_error(index: object) -> None:
    with OpenAIServer() as server:
        server.script.append(edited(lambda data: [data[0] | {"index": index}]))
        with pytest.raises(EmbeddingError, match="check OPENAI_BASE_URL"):
            embedder(server.base_url).embed_query("robots")


@pytest.mark.parametrize("body", [b"[" * 100_000, b'{"data":' * 50_000, b'{"data": [' + b'{"embedding":[' * 50_000])
def test_json_nested_too_deep_is_an_embedding_error(body: bytes) -> None:
    with hostile_service(whole(body)) as url, pytest.raises(EmbeddingError, match="check OPENAI_BASE_URL"):
        embedder(url).embed_query("robots")


def test_an_answer_nested_too_deep_is_a_chat_model_error() -> None:
    stream = whole(b"data: " + b"[" * 100_000 + b"\n\n", "text/event-stream")
    with hostile_service(stream) as url, pytest.raises(ChatModelError, match="no chat completion"):
        chat(url, many=False)
