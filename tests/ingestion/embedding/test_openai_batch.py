"""The wire of the Batch API: the real SDK against a loopback service that checks the published form."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from ingestion.embedding.openai_batch import OpenAIBatches
from ingestion.errors import EmbeddingError
from tests.support.openai_batches import BatchServer
from tests.support.openai_server import Reply, error

KEY = "sk-not-to-be-seen"
TEXTS = {"a": "The alpha turns.", "b": "The beta turns.", "c": "The gamma turns."}


@pytest.fixture
def server() -> Iterator[BatchServer]:
    with BatchServer() as server:
        yield server


def service(server: BatchServer, model: str = "text-embedding-3-small", dimensions: int = 1536) -> OpenAIBatches:
    return OpenAIBatches(model, dimensions, api_key=KEY, base_url=server.base_url)


def answers(batches: OpenAIBatches, batch_id: str = "batch_1") -> dict[str, Any]:
    return {answer.key: answer for answer in batches.answers(batches.status(batch_id))}


def test_requests_are_in_the_published_form(server: BatchServer) -> None:
    service(server, dimensions=512).create(TEXTS, "tag")
    lines = server.lines("batch_1")
    assert [line["custom_id"] for line in lines] == ["a", "b", "c"]
    for line in lines:
        assert line.keys() == {"custom_id", "method", "url", "body"}
        assert (line["method"], line["url"]) == ("POST", "/v1/embeddings")
        assert line["body"] | {"model": "text-embedding-3-small", "dimensions": 512} == line["body"]


def test_dimensions_are_not_sent_where_the_vectors_are_whole(server: BatchServer) -> None:
    service(server, "text-embedding-ada-002").create(TEXTS, "tag")
    assert all("dimensions" not in line["body"] for line in server.lines("batch_1"))


def test_unit_vectors_come_back_by_key_whatever_their_order(server: BatchServer) -> None:
    batches = service(server)
    batches.create(TEXTS, "tag")
    assert not batches.status("batch_1").ended
    server.end("batch_1", failing=("beta",), unreached=("gamma",))
    found = answers(batches)
    assert found.keys() == {"a", "b", "c"}
    assert np.linalg.norm(found["a"].vector) == pytest.approx(1.0, abs=1e-5)
    assert found["b"].vector is None and "this input is refused" in found["b"].reason
    assert found["c"].vector is None and "before the end" in found["c"].reason


def test_a_batch_is_found_by_its_tag_also_where_the_reply_was_lost(server: BatchServer) -> None:
    batches = service(server)
    server.lose_reply_to = "POST /v1/batches"
    with pytest.raises(EmbeddingError):
        batches.create(TEXTS, "mine")
    found = batches.find("mine")
    assert found and found.batch_id == "batch_1" and len(server.batches) == 1
    assert batches.find("another") is None


@pytest.mark.parametrize(
    "damage",
    [
        {"embedding": [0.5] * 8},
        {"embedding": [0.0] * 1536},
        {"embedding": [float("nan")] * 1536},
        {"embedding": "no base64!"},
        {},
    ],
)
def test_a_line_without_a_usable_vector_is_an_answer_without_one(server: BatchServer, damage: dict[str, Any]) -> None:
    batches = service(server)
    batches.create(TEXTS, "tag")

    def spoil(line: dict[str, Any]) -> dict[str, Any]:
        if line["custom_id"] == "b":
            line["response"]["body"]["data"] = [damage] if damage else []
        return line

    server.end("batch_1", change=spoil)
    found = answers(batches)
    assert found["b"].vector is None and found["b"].reason
    assert found["a"].vector is not None and found["c"].vector is not None


def test_a_download_that_breaks_off_is_an_error(server: BatchServer) -> None:
    batches = service(server)
    batches.create(TEXTS, "tag")
    server.end("batch_1")
    whole = server.files["output-batch_1"]
    server.files["output-batch_1"] = whole[: len(whole) // 2]
    with pytest.raises(EmbeddingError):
        answers(batches)


def test_a_service_that_knows_no_batches_is_one_clear_line(server: BatchServer) -> None:
    server.faults["POST /v1/files"] = Reply(b"<html>hello</html>", headers={"content-type": "text/html"})
    with pytest.raises(EmbeddingError, match="its answer is no batch's"):
        service(server).create(TEXTS, "tag")


def test_a_refused_key_is_never_quoted(server: BatchServer) -> None:
    server.faults["POST /v1/batches"] = error(401, f"Incorrect API key provided: {KEY}")
    with pytest.raises(EmbeddingError, match="key is not accepted") as raised:
        service(server).create(TEXTS, "tag")
    assert KEY not in str(raised.value) and raised.value.__cause__ is None


def test_texts_are_split_by_the_bounds_of_the_service(server: BatchServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ingestion.embedding.openai_batch.MAX_REQUESTS", 2)
    assert [list(batch) for batch in service(server).split(TEXTS)] == [["a", "b"], ["c"]]
