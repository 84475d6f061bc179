"""What a batch may cost, and that no other run pays again for what is in one (exit 11)."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from tests.support.batch_desk import PAGES, TWO, Desk
from tests.support.books import page

FOUR = {"module-1-ros2/04-four.md": page("Four", "The delta turns.")}


def test_a_run_does_not_embed_again_what_is_in_an_open_batch_and_says_what_to_do(desk: Desk) -> None:
    desk.run("ingest", "--batch")
    said = desk.run("ingest", exit_code=11)
    assert "3 of 3 texts to embed were sent as batch_1 at 20" in said
    assert "`bookwise ingest --resume`" in said and "--ignore-batches" in said
    assert desk.server.embedded == []
    desk.server.end("batch_1")
    desk.run("ingest", exit_code=11)
    desk.run("ingest", "--resume")
    assert desk.indexed == 3
    assert "unchanged" in desk.run("ingest")
    assert desk.server.embedded == []


def test_who_cannot_wait_pays_the_full_price_by_a_flag(desk: Desk) -> None:
    desk.run("ingest", "--batch")
    desk.run("ingest", "--ignore-batches")
    assert desk.indexed == len(desk.server.embedded) == 3


def test_lessons_without_a_text_in_a_batch_are_indexed_while_it_runs(desk: Desk) -> None:
    desk.run("ingest")
    desk.write(PAGES | {TWO: page("Two", "The omega turns on its axis.")})
    desk.run("ingest", "--batch")
    desk.write(PAGES | FOUR)
    desk.run("ingest")
    assert desk.indexed == 4


def test_one_text_in_a_batch_holds_the_run_that_would_embed_it(desk: Desk) -> None:
    desk.run("ingest", "--batch")
    desk.write(PAGES | FOUR)
    assert "3 of 4 texts" in desk.run("ingest", exit_code=11)
    assert desk.server.embedded == []


def test_the_way_to_fetch_a_new_index_is_named_whole(desk: Desk) -> None:
    desk.run("ingest", "--batch", "--mode", "recreate")
    assert "`bookwise ingest --resume --mode recreate`" in desk.run("ingest", "--mode", "recreate", exit_code=11)


def test_a_batch_of_another_embedding_or_book_holds_nobody(desk: Desk) -> None:
    desk.run("ingest", "--batch", OPENAI_EMBEDDING_MODEL="text-embedding-3-large")
    desk.run("ingest", "--batch", BOOKWISE_BOOK="another")
    desk.run("ingest", exit_code=0)
    assert desk.indexed == 3


def test_a_batch_whose_results_are_deleted_holds_nobody(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.run("ingest", "--batch")
    monkeypatch.setattr("ingestion.state.batch_ledger.RESULTS_ARE_KEPT", timedelta(days=-1))
    desk.run("ingest")
    assert desk.indexed == 3


def test_the_embedded_model_is_held_by_no_batch(desk: Desk) -> None:
    desk.run("ingest", "--batch")
    desk.run("ingest", BOOKWISE_EMBEDDER="local")
    assert desk.indexed == 3


def test_what_is_looked_at_and_mended_beside_a_batch(desk: Desk) -> None:
    desk.run("ingest", "--batch")
    desk.run("plan")
    assert "sent as batch_1" in desk.run("verify", "--repair", exit_code=11)
    assert desk.server.embedded == []


def batch_price(desk: Desk) -> tuple[int, float]:
    """Tokens and dollars of the whole book in a batch."""
    chunks = desk.report("plan")["chunks"]
    return chunks["tokens"], chunks["tokens"] * 0.02 / 1_000_000 / 2


def test_a_batch_over_its_tokens_is_not_uploaded(desk: Desk) -> None:
    tokens, _ = batch_price(desk)
    said = desk.run("ingest", "--batch", "--max-tokens", str(tokens - 1), exit_code=11)
    assert f"{tokens} tokens, the budget is {tokens - 1}" in said
    assert desk.server.batches == {} and desk.server.files == {}
    desk.run("ingest", "--batch", "--max-tokens", str(tokens))
    assert len(desk.server.batches) == 1


def test_a_batch_is_held_to_its_money_at_half_the_price(desk: Desk) -> None:
    _, cost = batch_price(desk)
    desk.run("ingest", "--batch", "--max-cost", f"{cost * 0.9:.12f}", exit_code=11)
    assert desk.server.batches == {} and desk.server.files == {}
    desk.run("ingest", "--batch", "--max-cost", f"{cost * 1.1:.12f}")
    assert len(desk.server.batches) == 1


def test_texts_already_in_a_batch_are_not_in_the_budget_of_the_next_one(desk: Desk) -> None:
    desk.run("ingest", "--batch")
    desk.write(PAGES | FOUR)
    desk.run("ingest", "--batch", "--max-tokens", "20")
    assert len(desk.server.batches) == 2


def test_the_budget_of_a_resume_holds_what_changed_since(desk: Desk) -> None:
    desk.run("ingest", "--batch")
    desk.write(PAGES | {TWO: page("Two", "The omega turns on its axis.")})
    desk.server.end("batch_1")
    desk.run("ingest", "--resume", "--max-tokens", "1", exit_code=11)
    assert desk.server.embedded == []
    desk.run("ingest", "--resume", "--max-tokens", "100")
    assert desk.indexed == 3
    assert Path(".ingestion_state.json").exists()


@pytest.mark.parametrize("flag", ["--batch", "--resume"])
def test_batches_are_not_ignored_where_they_are_asked_for(desk: Desk, flag: str) -> None:
    desk.run("ingest", flag, "--ignore-batches", exit_code=2)


def test_a_plan_says_what_is_sent_already(desk: Desk) -> None:
    assert not list(Path(".bookwise").glob("jobs*")) and desk.report("plan")["in_batches"] == 0
    assert not list(Path(".bookwise").glob("jobs*"))
    desk.run("ingest", "--batch")
    desk.write(PAGES | FOUR)
    assert desk.report("plan")["in_batches"] == 3
    assert "3 of the 4 texts to embed are sent in a batch already" in desk.run("plan")
    desk.server.end("batch_1")
    desk.run("ingest", "--resume")
    assert desk.report("plan")["in_batches"] == 0 and "batch" not in desk.run("plan")
