"""What the OpenAI embedder makes of replies that do not fit and services that fail: one clear line, never the key."""

from __future__ import annotations

import logging
import socket
import time
import traceback
from typing import Any

import numpy as np
import pytest

from ingestion.embedding.openai import OpenAIEmbedder
from ingestion.errors import ConfigurationError, EmbeddingError
from tests.ingestion.embedding.test_openai import KEY, embedder_of, server
from tests.support.openai_server import OpenAIServer, Reply, Request, edited, embeddings, error, in_base64, vector_of

__all__ = ["server"]

SOON = {"retry-after-ms": "1"}


def failure(embedder: OpenAIEmbedder, text: str = "robots") -> EmbeddingError:
    with pytest.raises(EmbeddingError) as caught:
        embedder.embed_query(text)
    return caught.value


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (lambda data: data[:-1], "1 vectors were returned for 2 texts"),
        (lambda data: [*data, data[0]], "3 vectors were returned for 2 texts"),
        (lambda data: [data[0], data[1] | {"index": 7}], "2 vectors were returned for 2 texts"),
        (lambda data: [data[0], data[1] | {"embedding": in_base64(np.ones(5, "<f4"))}], "a vector of 5 numbers"),
        (lambda data: [data[0], data[1] | {"embedding": in_base64(np.zeros(8, "<f4"))}], "of length zero"),
        (
            lambda data: [data[0] | {"embedding": in_base64(np.full(8, np.nan, "<f4"))}, data[1]],
            "of length zero",
        ),
        (lambda data: [data[0] | {"embedding": "?"}, data[1]], "contains no embeddings"),
        (lambda data: [{"nothing": 1}, data[1]], "contains no embeddings"),
        (lambda data: None, "contains no embeddings"),
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
    assert "contains no embeddings; check OPENAI_BASE_URL" in str(failure(embedder_of(server)))


def test_a_known_model_answering_in_other_dimensions_is_refused(server: OpenAIServer) -> None:
    server.script.append(edited(lambda data: [data[0] | {"embedding": in_base64(vector_of("x", 8))}]))
    said = str(failure(embedder_of(server, "text-embedding-3-small")))
    assert "a vector of 8 numbers was returned where 1536 were expected" in said


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
        (error(401, f"Incorrect API key provided: {KEY}"), 1, "the key was rejected; check OPENAI_API_KEY"),
        (error(403, "country not supported"), 1, "the key may not use 'tiny'"),
        (error(404, "no", code="model_not_found"), 1, "there is no model 'tiny' for this key"),
        (error(403, "no access to the model", code="model_not_found"), 1, "there is no model 'tiny' for this key"),
        (error(404, "Not Found"), 1, "check OPENAI_EMBEDDING_MODEL and OPENAI_BASE_URL"),
        (error(429, "pay", code="insufficient_quota", headers=SOON), 1, "the account's quota is used up"),
        (error(429, "slow down", code="rate_limit_exceeded", headers=SOON), 3, "still rate limited"),
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
    assert "no response in time" in str(failure(embedder_of(server, max_retries=0, timeout=0.01)))


def test_without_key_and_service_it_is_a_configuration_error() -> None:
    embedder = OpenAIEmbedder(api_key=None)  # a plan needs no key
    with pytest.raises(ConfigurationError, match="OPENAI_API_KEY"):
        embedder.embed_documents(["a text"])


@pytest.mark.parametrize("key", [f"{KEY}\n", f"{KEY}…"])
def test_a_key_that_no_header_can_carry_is_refused_without_being_shown(key: str) -> None:
    embedder = OpenAIEmbedder(api_key=key)  # commands that embed nothing have no use for it
    with pytest.raises(ConfigurationError, match="OPENAI_API_KEY") as caught:
        embedder.embed_query("robots")
    assert KEY not in str(caught.value)


def test_a_version_without_azure_s_address_is_a_configuration_error() -> None:
    with pytest.raises(ConfigurationError, match="OPENAI_BASE_URL"):
        OpenAIEmbedder(api_key=KEY, api_version="2024-10-21")
