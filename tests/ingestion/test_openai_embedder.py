"""The OpenAI embedder against a loopback server."""

from __future__ import annotations

import logging
import socket
import time
import traceback
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from ingestion.embedders.openai import OpenAIEmbedder
from ingestion.errors import ConfigurationError, EmbeddingError
from tests.openai_server import (
    Answer,
    OpenAIServer,
    Reply,
    Request,
    embeddings,
    error,
    in_base64,
    vector_of,
)

KEY = "sk-very-secret-0123456789"
SOON = {"retry-after-ms": "1"}


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer() as server:
        yield server


def embedder_of(server: OpenAIServer, model: str = "tiny", **options: Any) -> OpenAIEmbedder:
    """`tiny` is a model whose dimensions nobody knows beforehand."""
    settings: dict[str, Any] = {"api_key": KEY, "base_url": server.base_url, "max_retries": 2}
    return OpenAIEmbedder(model, **settings | options)


def edited(edit: Callable[[list[dict[str, Any]]], list[dict[str, Any]]]) -> Answer:
    """An answer with other data than the right one."""

    def answer(request: Request) -> Reply:
        body = embeddings(request).body
        return Reply(body | {"data": edit(body["data"])})

    return answer


def failure(embedder: OpenAIEmbedder, text: str = "robots") -> EmbeddingError:
    with pytest.raises(EmbeddingError) as caught:
        embedder.embed_query(text)
    return caught.value


def inputs(server: OpenAIServer) -> list[list[str]]:
    return [request.body["input"] for request in server.requests]


def test_vectors_are_float32_of_unit_length_and_in_the_order_of_the_texts(server: OpenAIServer) -> None:
    texts = ["one", "two", "three"]
    vectors = embedder_of(server).embed_documents(texts)
    expected = np.stack([vector_of(text, 8) / np.linalg.norm(vector_of(text, 8)) for text in texts])
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(vectors, expected, atol=1e-6)


def test_replies_out_of_order_are_put_in_order(server: OpenAIServer) -> None:
    embedder = embedder_of(server)
    right = embedder.embed_documents(["one", "two", "three"])
    server.script.append(edited(lambda data: [data[2], data[0], data[1]]))
    np.testing.assert_array_equal(embedder.embed_documents(["one", "two", "three"]), right)


def test_numbers_are_read_where_a_service_knows_no_base64(server: OpenAIServer) -> None:
    embedder = embedder_of(server)
    right = embedder.embed_query("one")
    server.script.append(lambda request: embeddings(Request("", {}, request.body | {"encoding_format": "float"})))
    np.testing.assert_allclose(embedder.embed_query("one"), right, atol=1e-6)
    assert server.requests[-1].body["encoding_format"] == "base64"


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (lambda data: data[:-1], "1 vectors came back for 2 texts"),
        (lambda data: [*data, data[0]], "3 vectors came back for 2 texts"),
        (lambda data: [data[0], data[1] | {"index": 7}], "2 vectors came back for 2 texts"),
        (lambda data: [data[0], data[1] | {"embedding": in_base64(np.ones(5, "<f4"))}], "a vector of 5 numbers"),
        (lambda data: [data[0], data[1] | {"embedding": in_base64(np.zeros(8, "<f4"))}], "without a direction"),
        (
            lambda data: [data[0] | {"embedding": in_base64(np.full(8, np.nan, "<f4"))}, data[1]],
            "without a direction",
        ),
        (lambda data: [data[0] | {"embedding": "?"}, data[1]], "holds no embeddings"),
        (lambda data: [{"nothing": 1}, data[1]], "holds no embeddings"),
        (lambda data: None, "holds no embeddings"),
    ],
)
def test_a_reply_that_does_not_fit_is_refused(server: OpenAIServer, edit: Any, said: str) -> None:
    server.script.append(edited(edit))
    with pytest.raises(EmbeddingError, match=said):
        embedder_of(server).embed_documents(["one", "two"])


@pytest.mark.parametrize(
    "reply",
    [
        Reply(b"<html>welcome</html>", headers={"content-type": "text/html"}),
        Reply(b'{"object": "list", "data": ['),
        Reply({"hello": "world"}),
    ],
)
def test_an_answer_of_another_kind_is_refused(server: OpenAIServer, reply: Reply) -> None:
    server.script.append(reply)
    assert "holds no embeddings; check OPENAI_BASE_URL" in str(failure(embedder_of(server)))


def test_a_known_model_answering_in_other_dimensions_is_refused(server: OpenAIServer) -> None:
    server.script.append(edited(lambda data: [data[0] | {"embedding": in_base64(vector_of("x", 8))}]))
    said = str(failure(embedder_of(server, "text-embedding-3-small")))
    assert "a vector of 8 numbers came back where 1536 were expected" in said


def test_the_dimensions_of_known_models_need_no_request(server: OpenAIServer) -> None:
    assert embedder_of(server, "text-embedding-3-small").dimensions == 1536
    assert embedder_of(server, "text-embedding-3-large").dimensions == 3072
    assert embedder_of(server, dimensions=5).dimensions == 5
    assert server.requests == []


def test_the_dimensions_of_other_models_are_asked_for_once(server: OpenAIServer) -> None:
    embedder = embedder_of(server)
    assert [embedder.dimensions, embedder.dimensions] == [8, 8]
    assert len(server.requests) == 1


def test_the_first_reply_tells_the_dimensions(server: OpenAIServer) -> None:
    embedder = embedder_of(server)
    embedder.embed_query("robots")
    assert embedder.dimensions == 8
    assert inputs(server) == [["robots"]]


def test_shortened_vectors_are_asked_for_and_named(server: OpenAIServer) -> None:
    embedder = embedder_of(server, "text-embedding-3-large", dimensions=256)
    assert embedder.model == "text-embedding-3-large@256/1"
    assert embedder.embed_query("robots").shape == (256,)
    assert server.requests[0].body["dimensions"] == 256


def test_full_dimensions_are_neither_sent_nor_named(server: OpenAIServer) -> None:
    embedder = embedder_of(server, "text-embedding-3-small", dimensions=1536)
    embedder.embed_query("robots")
    assert embedder.model == embedder_of(server, "text-embedding-3-small").model == "text-embedding-3-small/1"
    assert "dimensions" not in server.requests[0].body


def test_no_texts_need_no_request(server: OpenAIServer) -> None:
    assert embedder_of(server, "text-embedding-3-small").embed_documents([]).shape == (0, 1536)
    assert server.requests == []


def test_a_request_holds_at_most_2048_inputs(server: OpenAIServer) -> None:
    texts = [f"text {number}" for number in range(2049)]
    assert embedder_of(server).embed_documents(texts).shape == (2049, 8)
    assert inputs(server) == [texts[:2048], texts[2048:]]


def test_a_request_holds_at_most_300000_tokens(server: OpenAIServer) -> None:
    texts = [f"{number}" + " word" * 7999 for number in range(38)]  # 8,000 tokens each, so 37 fit
    embedder_of(server).embed_documents(texts)
    assert inputs(server) == [texts[:37], texts[37:]]


def test_a_text_of_more_than_8191_tokens_is_named_before_any_request(server: OpenAIServer) -> None:
    longest = "word" + " word" * 8190
    embedder_of(server).embed_documents([longest])
    with pytest.raises(EmbeddingError, match="text 2 of 3 has 8192 tokens"):
        embedder_of(server).embed_documents(["short", longest + " word", "short"])
    assert len(server.requests) == 1


def test_a_blank_text_is_named_before_any_request(server: OpenAIServer) -> None:
    with pytest.raises(ValueError, match="text 2 of 2 is blank"):
        embedder_of(server).embed_documents(["robots", " \n"])
    assert server.requests == []


def test_text_that_looks_like_a_special_token_is_sent_as_it_is(server: OpenAIServer) -> None:
    embedder_of(server).embed_query("<|endoftext|>")
    assert inputs(server) == [["<|endoftext|>"]]


def test_a_rate_limit_is_waited_for_as_the_service_asks(server: OpenAIServer) -> None:
    embedder = embedder_of(server)
    server.script.extend(
        [
            error(429, "slow down", code="rate_limit_exceeded", headers={"Retry-After": "0.02"}),
            error(500, "oops", headers={"retry-after-ms": "20"}),
        ]
    )
    started = time.monotonic()
    assert embedder.embed_query("robots").shape == (8,)
    assert time.monotonic() - started >= 0.04
    assert len(server.requests) == 3


@pytest.mark.parametrize(
    ("reply", "requests", "said"),
    [
        (error(401, f"Incorrect API key provided: {KEY}"), 1, "the key is not accepted; check OPENAI_API_KEY"),
        (error(403, "country not supported"), 1, "the key may not use 'tiny'"),
        (error(404, "no", code="model_not_found"), 1, "there is no model 'tiny' for this key"),
        (error(403, "no access to the model", code="model_not_found"), 1, "there is no model 'tiny' for this key"),
        (error(404, "Not Found"), 1, "check OPENAI_EMBEDDING_MODEL and OPENAI_BASE_URL"),
        (error(429, "pay", code="insufficient_quota", headers=SOON), 1, "the account's quota is spent"),
        (error(429, "slow down", code="rate_limit_exceeded", headers=SOON), 3, "the rate limit holds"),
        (error(500, "the server\nhad an error", headers=SOON), 3, "Error code: 500 - the server had an error"),
        (error(400, f"too long; your key {KEY}"), 1, "Error code: 400 - too long; your key ***"),
    ],
)
def test_each_failure_is_one_clear_line_after_no_more_tries_than_help(
    server: OpenAIServer, reply: Reply, requests: int, said: str
) -> None:
    server.script.extend([reply] * 5)
    shown = str(failure(embedder_of(server)))
    assert shown.startswith(f"embedding service {server.host}: ")
    assert said in shown
    assert "\n" not in shown
    assert len(server.requests) == requests


@pytest.mark.parametrize("status", [400, 401, 403, 429, 500])
def test_the_key_shows_in_no_message_traceback_or_log(
    server: OpenAIServer, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server.script.append(error(status, f"what is {KEY}?"))
    embedder = embedder_of(server, max_retries=0)
    raised = failure(embedder)
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in "".join(traceback.format_exception(raised)) + caplog.text + repr(embedder)


def test_a_refused_connection_names_host_and_port(unused_port: int) -> None:
    embedder = OpenAIEmbedder(api_key=KEY, base_url=f"http://me:hidden@127.0.0.1:{unused_port}/v1", max_retries=0)
    raised = failure(embedder)
    assert f"embedding service 127.0.0.1:{unused_port}: no connection" in str(raised)
    assert "hidden" not in "".join(traceback.format_exception(raised))


@pytest.fixture
def unused_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def test_a_connection_dropped_in_the_body_is_a_failed_connection(server: OpenAIServer) -> None:
    server.script.append(Reply(b'{"object": ', headers={"content-length": "1000"}))
    assert "no connection" in str(failure(embedder_of(server, max_retries=0)))


def test_an_answer_after_the_timeout_is_no_answer(server: OpenAIServer) -> None:
    def late(request: Request) -> Reply:
        time.sleep(0.05)
        return embeddings(request)

    server.script.append(late)
    assert "no answer in time" in str(failure(embedder_of(server, max_retries=0, timeout=0.01)))


def test_the_key_of_the_environment_stays_here_when_another_service_needs_none(
    server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    embedder_of(server, api_key=None).embed_query("robots")
    assert server.requests[0].headers["authorization"] == "Bearer not-needed"


def test_without_key_and_service_it_is_a_configuration_error() -> None:
    with pytest.raises(ConfigurationError, match="OPENAI_API_KEY"):
        OpenAIEmbedder(api_key=None)


@pytest.mark.parametrize("key", [f"{KEY}\n", f"{KEY}…"])
def test_a_key_that_no_header_can_carry_is_refused_without_being_shown(key: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        OpenAIEmbedder(api_key=key)
    assert KEY not in str(caught.value)


def test_azure_is_asked_by_deployment_and_version_with_its_own_header(
    server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://{server.host}")
    server.script.append(embeddings)
    embedder = embedder_of(server, "my-own", base_url=f"http://{server.host}", api_version="2024-10-21")
    assert embedder.embed_query("robots").shape == (8,)
    (request,) = server.requests
    assert request.path == "/openai/deployments/my-own/embeddings?api-version=2024-10-21"
    assert request.headers["api-key"] == KEY and "authorization" not in request.headers


def test_a_version_without_azure_s_address_is_a_configuration_error() -> None:
    with pytest.raises(ConfigurationError, match="OPENAI_BASE_URL"):
        OpenAIEmbedder(api_key=KEY, api_version="2024-10-21")
