"""Rerankers: the endpoint against a loopback server, and what a search makes of the scores."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from ingestion.errors import ConfigurationError, RerankError
from ingestion.settings.loader import load_settings
from rag.models import SearchQuery
from rag.retrieval.rerankers import build_reranker
from rag.retrieval.rerankers.endpoint import RETRIES, RerankEndpoint
from rag.retrieval.search import search
from tests.support.books import BOOK, Library, page
from tests.support.openai_server import OpenAIServer, Reply, Request, error

KEY = "secret-key"
PASSAGES = ["about frogs", "about toads", "about newts"]


def reversed_order(request: Request) -> Reply:
    """Scores that rise with the position, best first, as services answer."""
    count = len(request.body["documents"])
    scores = [{"index": index, "relevance_score": (index + 1) / count} for index in reversed(range(count))]
    return Reply({"results": scores[: request.body["top_n"]]})


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer() as server:
        yield server


def endpoint(server: OpenAIServer, *, model: str | None = "m", key: str | None = KEY) -> RerankEndpoint:
    return RerankEndpoint(server.base_url, model, key)


def test_scores_come_back_in_the_order_of_the_passages(server: OpenAIServer) -> None:
    server.script.append(reversed_order)
    assert endpoint(server).rerank("which?", PASSAGES) == pytest.approx([1 / 3, 2 / 3, 1.0])
    [request] = server.requests
    assert request.path == "/v1/rerank" and request.headers["authorization"] == f"Bearer {KEY}"
    assert request.body == {"query": "which?", "documents": PASSAGES, "top_n": 3, "model": "m"}


def test_without_a_model_or_key_none_is_sent(server: OpenAIServer) -> None:
    server.script.append(reversed_order)
    endpoint(server, model=None, key=None).rerank("which?", PASSAGES)
    assert "model" not in server.requests[0].body and "authorization" not in server.requests[0].headers


def test_nothing_is_asked_for_no_passages(server: OpenAIServer) -> None:
    assert endpoint(server).rerank("which?", []) == [] and server.requests == []


def test_a_busy_server_is_asked_again(server: OpenAIServer) -> None:
    server.script += [error(503, "busy"), error(429, "slow down"), reversed_order]
    assert len(endpoint(server).rerank("which?", PASSAGES)) == 3


def test_a_server_that_stays_busy_is_an_error_after_bounded_tries(server: OpenAIServer) -> None:
    server.script += [error(503, "busy")] * 9
    with pytest.raises(RerankError, match="status 503, 3 times"):
        endpoint(server).rerank("which?", PASSAGES)
    assert len(server.requests) == 1 + RETRIES


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (error(401, f"wrong key {KEY}"), "status 401"),
        (Reply(b"<html>"), "not JSON"),
        (Reply({"results": [{"index": 0, "relevance_score": 1}]}), "no score for each of the 3"),
        (Reply([]), "no score"),
    ],
)
def test_an_unusable_answer_is_one_error_without_the_key(server: OpenAIServer, reply: Reply, said: str) -> None:
    server.script.append(reply)
    with pytest.raises(RerankError, match=said) as caught:
        endpoint(server).rerank("which?", PASSAGES)
    assert KEY not in str(caught.value) and len(server.requests) == 1


def test_a_refused_connection_names_host_and_port() -> None:
    with OpenAIServer() as gone:
        host = gone.host
    with pytest.raises(RerankError, match=host):
        RerankEndpoint(f"http://{host}").rerank("which?", PASSAGES)


def settings(**values: Any) -> Any:
    return load_settings(values, environ={})


def test_the_settings_choose_the_endpoint_the_local_model_or_none(monkeypatch: pytest.MonkeyPatch) -> None:
    class Model:
        def __init__(self, name: str) -> None:
            assert name == "folder"

        def predict(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
            return [float(len(passage)) for _, passage in pairs]

    module = ModuleType("sentence_transformers")
    module.CrossEncoder = Model  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)
    assert build_reranker(settings()) is None
    assert isinstance(
        build_reranker(settings(**{"rerank.url": "http://localhost:1", "rerank.model": "m"})), RerankEndpoint
    )
    local = build_reranker(settings(**{"rerank.model": "folder"}))
    assert local is not None and local.rerank("q", ["a", "bb"]) == [1.0, 2.0] and local.rerank("q", []) == []


def test_a_local_model_without_its_package_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    local = build_reranker(settings(**{"rerank.model": "folder"}))
    assert local is not None
    with pytest.raises(ConfigurationError, match=r"bookwise\[sentence-transformers\]"):
        local.rerank("q", ["a"])


class Owls:
    """Likes owls above all, and nothing else."""

    def rerank(self, question: str, passages: Sequence[str]) -> list[float]:
        return [5.0 if "owl" in passage else -1.0 for passage in passages]


def test_the_reranker_is_blended_with_the_mix_and_its_score_is_told(tmp_path: Path) -> None:
    library = Library(tmp_path)
    library.write({f"m/{name}.md": page(name, f"The {name} sleeps in the tree.") for name in ("cat", "owl", "fox")})
    library.run()
    store = library.generations.open_active()
    query = SearchQuery(text="who sleeps in the tree, the cat or the fox?", book_id=BOOK)
    found = search(query, store, library.embedder, reranker=Owls()).results
    assert (found[0].page_title, found[0].rerank_score) == ("owl", 5.0) and 0.5 <= found[0].relevance <= 1.0
    assert all(each.rerank_score == -1.0 and 0.0 < each.relevance <= 0.5 for each in found[1:])
    assert all(each.rerank_score is None for each in search(query, store, library.embedder).results)
