"""The OpenAI embedder against a loopback server: vectors, dimensions, and what one request holds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from ingestion.embedding.openai import OpenAIEmbedder
from ingestion.errors import EmbeddingError
from tests.support.openai_server import OpenAIServer, Request, edited, embeddings, vector_of

KEY = "sk-very-secret-0123456789"


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer() as server:
        yield server


def embedder_of(server: OpenAIServer, model: str = "tiny", **options: Any) -> OpenAIEmbedder:
    """`tiny` is a model whose dimensions nobody knows beforehand."""
    settings: dict[str, Any] = {"api_key": KEY, "base_url": server.base_url, "max_retries": 2}
    return OpenAIEmbedder(model, **settings | options)


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


def test_the_dimensions_of_known_models_need_no_request(server: OpenAIServer) -> None:
    assert embedder_of(server, "text-embedding-3-small").dimensions == 1536
    assert embedder_of(server, "text-embedding-3-large").dimensions == 3072
    assert embedder_of(server, dimensions=5).dimensions == 5
    assert server.requests == []


def test_the_dimensions_of_other_models_keys_required_once(server: OpenAIServer) -> None:
    embedder = embedder_of(server)
    assert [embedder.dimensions, embedder.dimensions] == [8, 8]
    assert len(server.requests) == 1


def test_the_first_reply_tells_the_dimensions(server: OpenAIServer) -> None:
    embedder = embedder_of(server)
    embedder.embed_query("robots")
    assert embedder.dimensions == 8
    assert inputs(server) == [["robots"]]


def test_shortened_vectors_keys_required_and_named(server: OpenAIServer) -> None:
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


def test_the_key_of_the_environment_stays_here_when_another_service_needs_none(
    server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    embedder_of(server, api_key=None).embed_query("robots")
    assert server.requests[0].headers["authorization"] == "Bearer not-needed"


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
