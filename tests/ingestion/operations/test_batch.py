"""Batches end to end: the command, the real SDK, a loopback service, a real cache, ledger and index."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

import ingestion.commands.batch
from ingestion.errors import VectorStoreError
from tests.support.batch_desk import KEY, PAGES, THREE, TWO, Desk
from tests.support.books import page
from tests.support.openai_server import Reply, error


def test_a_batch_is_sent_awaited_and_indexed_without_one_text_embedded_at_full_price(desk: Desk) -> None:
    sent = desk.report("ingest", "--batch")
    (batch,) = sent["batches"]
    assert batch["texts"] == 3
    assert batch["cost"] == pytest.approx(batch["tokens"] * 0.02 / 1_000_000 / 2)
    assert "0 of 3 texts" in desk.run("ingest", "--resume", exit_code=12)
    desk.server.end("batch_1")
    report = desk.report("ingest", "--resume")
    assert report["chunks"] | {"embedded": 0, "reused": 3} == report["chunks"]
    assert report["total_chunks"] == desk.indexed == 3
    assert desk.server.embedded == []


def test_the_index_is_that_of_a_run_without_a_batch(desk: Desk) -> None:
    desk.run("ingest", "--batch")
    desk.server.end("batch_1")
    desk.run("ingest", "--resume")
    found = desk.report("search", "alpha", "--ranking", "dense")
    desk.run("ingest", BOOKWISE_DIRECTORY="other", BOOKWISE_STATE="other.json")
    again = desk.report("search", "alpha", "--ranking", "dense", BOOKWISE_DIRECTORY="other")
    assert found == again


def test_requests_are_in_the_published_form(desk: Desk) -> None:
    desk.run("ingest", "--batch", OPENAI_EMBEDDING_DIMENSIONS="512")
    lines = desk.server.lines("batch_1")
    assert len({line["custom_id"] for line in lines}) == 3
    for line in lines:
        assert line.keys() == {"custom_id", "method", "url", "body"}
        assert (line["method"], line["url"]) == ("POST", "/v1/embeddings")
        assert line["body"] | {"model": "text-embedding-3-small", "dimensions": 512} == line["body"]


def test_dimensions_are_not_sent_where_the_vectors_are_whole(desk: Desk) -> None:
    desk.run("ingest", "--batch", OPENAI_EMBEDDING_MODEL="text-embedding-ada-002", exit_code=0)
    assert all("dimensions" not in line["body"] for line in desk.server.lines("batch_1"))


def test_texts_of_an_open_batch_are_not_sent_again(desk: Desk) -> None:
    desk.run("ingest", "--batch")
    again = desk.report("ingest", "--batch")
    assert (again["waiting"], again["batches"]) == (3, [])
    desk.write(PAGES | {"module-1-ros2/04-four.md": page("Four", "The delta turns.")})
    more = desk.report("ingest", "--batch")
    assert (more["waiting"], [each["texts"] for each in more["batches"]]) == (3, [1])


def test_nothing_is_sent_where_every_text_has_its_vector(desk: Desk) -> None:
    desk.run("ingest")
    assert "Every text has its vector" in desk.run("ingest", "--batch")
    assert desk.server.batches == {}


def test_to_resume_with_no_batch_open_does_nothing(desk: Desk) -> None:
    assert "no batch is open" in desk.run("ingest", "--resume")
    assert desk.server.embedded == []


def test_a_refused_text_fails_its_lesson_and_is_not_embedded_at_full_price(desk: Desk) -> None:
    desk.run("ingest", "--batch")
    desk.server.end("batch_1", failing=("beta",))
    report = desk.report("ingest", "--resume", exit_code=3)
    (failure,) = report["failures"]
    assert (failure["path"], "this input is refused" in failure["reason"]) == (TWO, True)
    assert report["total_chunks"] == 2
    assert desk.server.embedded == []
    desk.run("ingest")
    assert len(desk.server.embedded) == 1


def test_a_lesson_whose_new_text_is_refused_keeps_its_old_points(desk: Desk) -> None:
    desk.run("ingest")
    desk.write(PAGES | {TWO: page("Two", "The omega turns on its axis.")})
    desk.run("ingest", "--batch")
    desk.server.end("batch_1", failing=("omega",))
    desk.run("ingest", "--resume", exit_code=3)
    assert "beta" in desk.run("lesson", TWO)


@pytest.mark.parametrize("state", ["expired", "cancelled"])
def test_what_a_batch_did_before_it_ended_early_is_kept(desk: Desk, state: str) -> None:
    desk.run("ingest", "--batch")
    desk.server.end("batch_1", state, unreached=("beta", "gamma"))
    report = desk.report("ingest", "--resume", exit_code=3)
    assert {failure["path"] for failure in report["failures"]} == {TWO, THREE}
    assert report["total_chunks"] == 1
    assert [each["texts"] for each in desk.report("ingest", "--batch")["batches"]] == [2]


def test_a_batch_refused_whole_ends_with_its_reason_and_may_be_sent_again(desk: Desk) -> None:
    desk.run("ingest", "--batch")
    desk.server.refuse("batch_1", "Enqueued token limit reached.")
    assert "Enqueued token limit reached." in desk.run("ingest", "--resume", exit_code=6)
    assert [each["texts"] for each in desk.report("ingest", "--batch")["batches"]] == [3]
    assert desk.server.embedded == []


def test_texts_changed_since_are_embedded_at_full_price_and_it_says_so(desk: Desk) -> None:
    desk.run("ingest", "--batch")
    desk.write(PAGES | {TWO: page("Two", "The omega turns on its axis.")})
    desk.server.end("batch_1")
    assert "as in no batch (changed since): 1." in desk.run("ingest", "--resume")
    assert len(desk.server.embedded) == 1 and "omega" in desk.server.embedded[0]


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
def test_a_line_without_a_usable_vector_fails_its_lesson(desk: Desk, damage: dict[str, Any]) -> None:
    desk.run("ingest", "--batch")
    spoilt: list[str] = []

    def spoil_first(line: dict[str, Any]) -> dict[str, Any]:
        if not spoilt:
            spoilt.append(line["custom_id"])
            line["response"]["body"]["data"] = [damage] if damage else []
        return line

    desk.server.end("batch_1", change=spoil_first)
    report = desk.report("ingest", "--resume", exit_code=3)
    assert len(report["failures"]) == 1
    assert report["total_chunks"] == 2


def test_answers_that_nobody_asked_for_are_left_out(desk: Desk) -> None:
    desk.run("ingest", "--batch")
    desk.server.end("batch_1", change=lambda line: line | {"custom_id": "stranger"})
    assert len(desk.report("ingest", "--resume", exit_code=3)["failures"]) == 3


def test_a_batch_of_another_embedding_is_named_and_left_open(desk: Desk) -> None:
    desk.run("ingest", "--batch")
    desk.server.end("batch_1")
    said = desk.run("ingest", "--resume", OPENAI_EMBEDDING_MODEL="text-embedding-3-large", exit_code=4)
    assert "batch_1" in said and "text-embedding-3-small" in said
    desk.run("ingest", "--resume")
    assert desk.indexed == 3


def test_a_batch_whose_reply_was_lost_is_found_again_and_not_paid_twice(desk: Desk) -> None:
    desk.server.lose_reply_to = "POST /v1/batches"
    desk.run("ingest", "--batch", exit_code=6)
    assert desk.report("ingest", "--batch")["waiting"] == 3
    assert len(desk.server.batches) == 1
    desk.server.end("batch_1")
    desk.run("ingest", "--resume")
    assert desk.indexed == 3


def test_a_batch_that_never_reached_the_service_is_sent_by_the_next_call(desk: Desk) -> None:
    desk.server.faults["POST /v1/batches"] = error(401, f"Incorrect API key provided: {KEY}")
    assert "key is not accepted" in desk.run("ingest", "--batch", exit_code=6)
    assert [each["texts"] for each in desk.report("ingest", "--batch")["batches"]] == [3]


def test_a_batch_whose_results_are_deleted_by_now_is_closed_and_its_texts_sent_again(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.run("ingest", "--batch")
    monkeypatch.setattr("ingestion.state.batch_ledger.RESULTS_ARE_KEPT", timedelta(days=-1))
    assert "no batch is open" in desk.run("ingest", "--resume")
    assert [each["texts"] for each in desk.report("ingest", "--batch")["batches"]] == [3]


def test_a_service_that_knows_no_batches_is_one_clear_line(desk: Desk) -> None:
    desk.server.faults["POST /v1/files"] = Reply(b"<html>hello</html>", headers={"content-type": "text/html"})
    assert "its answer is no batch's" in desk.run("ingest", "--batch", exit_code=6)


def test_a_run_whose_index_fails_leaves_the_batch_to_the_next_resume(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.run("ingest", "--batch")
    desk.server.end("batch_1")
    with monkeypatch.context() as broken:
        broken.setattr("ingestion.sync.writer.GroupWriter.write", _no_disk)
        desk.run("ingest", "--resume", exit_code=7)
    desk.run("ingest", "--resume")
    assert desk.indexed == 3 and desk.server.embedded == []


def test_vectors_that_the_cache_cannot_keep_are_not_embedded_again(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.run("ingest", "--batch")
    desk.server.end("batch_1")
    monkeypatch.setattr("ingestion.embedding.cache.EmbeddingCache.put", lambda cache, vectors: None)
    assert "make room" in desk.run("ingest", "--resume", exit_code=8)
    assert desk.server.embedded == []


def _no_disk(*_: object) -> None:
    raise VectorStoreError("no space left")


def test_a_download_that_breaks_off_is_repeated_by_the_next_resume(desk: Desk) -> None:
    desk.run("ingest", "--batch")
    desk.server.end("batch_1")
    whole = desk.server.files["output-batch_1"]
    desk.server.files["output-batch_1"] = whole[: len(whole) // 2]
    desk.run("ingest", "--resume", exit_code=6)
    desk.server.files["output-batch_1"] = whole
    desk.run("ingest", "--resume")
    assert desk.indexed == 3


def test_several_batches_are_indexed_together(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ingestion.embedding.openai_batch.MAX_REQUESTS", 2)
    assert [each["texts"] for each in desk.report("ingest", "--batch")["batches"]] == [2, 1]
    desk.server.end("batch_1")
    desk.run("ingest", "--resume", exit_code=12)
    desk.server.end("batch_2", failing=("gamma",))
    assert desk.report("ingest", "--resume", exit_code=3)["total_chunks"] == 2


def test_to_wait_is_to_send_and_resume_in_one(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ingestion.commands.batch, "SECONDS_BETWEEN_LOOKS", 0.0)
    looks = 0
    shown = desk.server.answer

    def end_at_third_look(method: str, path: str, *rest: Any) -> Any:
        nonlocal looks
        looks += (method, path) == ("GET", "/v1/batches/batch_1")
        if looks == 3 and desk.server.batches["batch_1"]["status"] == "in_progress":
            desk.server.end("batch_1")
        return shown(method, path, *rest)

    monkeypatch.setattr(desk.server, "answer", end_at_third_look)
    assert "3 chunks are indexed" in desk.run("ingest", "--batch", "--wait")
    assert looks == 3 and desk.server.embedded == []


def test_a_new_index_can_be_built_by_a_batch(desk: Desk) -> None:
    desk.run("ingest", BOOKWISE_EMBEDDER="openai")
    large = {"OPENAI_EMBEDDING_MODEL": "text-embedding-3-large"}
    assert "--resume --mode recreate" in desk.run("ingest", "--batch", "--mode", "recreate", **large)
    desk.server.end("batch_1")
    already = len(desk.server.embedded)
    desk.run("ingest", "--resume", "--mode", "recreate", **large)
    assert len(desk.server.embedded) == already
    assert "3072" in desk.run("info", **large)


@pytest.mark.parametrize("flags", [("--batch", "--resume"), ("--wait",), ("--batch", "--dry-run")])
def test_flags_that_contradict_each_other_are_refused(desk: Desk, flags: tuple[str, ...]) -> None:
    desk.run("ingest", *flags, exit_code=2)


def test_the_embedded_model_takes_no_batches(desk: Desk) -> None:
    assert "BOOKWISE_EMBEDDER" in desk.run("ingest", "--batch", BOOKWISE_EMBEDDER="local", exit_code=4)


def test_azure_is_sent_no_batches(desk: Desk) -> None:
    assert "not sent to Azure" in desk.run("ingest", "--batch", BOOKWISE_AZURE_API_VERSION="2024-10-21", exit_code=4)
    assert desk.server.files == {}
