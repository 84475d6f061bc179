"""Batches fill the embedding cache: each text is paid for once, and an ordinary run finds its vector there."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from ingestion.embedding.openai_batch import BatchAnswer
from ingestion.errors import BudgetExceeded, ConfigurationError, EmbeddingError, StateError
from tests.support.batch_service import PAGES, PRICE, TWO, BatchDesk
from tests.support.books import page
from tests.support.fakes import FakeEmbedder

FOUR = {"module-1-ros2/04-four.md": page("Four", "The delta turns.")}
EDITED = PAGES | {TWO: page("Two", "The omega turns on its axis.")}


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[BatchDesk]:
    desk = BatchDesk(tmp_path)
    yield desk
    desk.close()


def test_what_was_fetched_is_indexed_without_one_text_embedded_at_full_price(desk: BatchDesk) -> None:
    (batch,) = desk.submit().batches
    assert len(batch.sent.keys) == 3
    assert batch.sent.cost == pytest.approx(batch.sent.tokens * PRICE / 1_000_000 / 2)
    assert desk.fetch().fetched == () and desk.library.contents() == {}
    desk.service.end()
    (fetched,) = desk.fetch().fetched
    assert (fetched.vectors, fetched.failed) == (3, {})
    report = desk.ingest()
    assert (report.chunks.embedded, report.chunks.reused, report.total_chunks) == (0, 3, 3)
    assert desk.library.embedder.texts == []


def test_a_submission_writes_neither_index_nor_records(desk: BatchDesk) -> None:
    desk.submit()
    assert desk.library.contents() == {} and not desk.library.state_path.exists()


def test_texts_of_an_open_batch_are_not_submitted_again(desk: BatchDesk) -> None:
    desk.submit()
    again = desk.submit()
    assert (again.waiting, again.batches) == (3, ())
    desk.library.write(PAGES | FOUR)
    more = desk.submit()
    assert (more.waiting, [len(batch.sent.keys) for batch in more.batches]) == (3, [1])


def test_nothing_is_submitted_where_every_text_has_its_vector(desk: BatchDesk) -> None:
    desk.ingest()
    assert desk.submit().batches == () and desk.service.batches == {}


def test_a_run_beside_an_open_batch_is_an_ordinary_run(desk: BatchDesk) -> None:
    desk.submit()
    assert desk.ingest().chunks.embedded == 3
    desk.service.end()
    desk.fetch()
    assert not desk.ingest().pending


def test_a_text_that_the_batch_did_not_embed_is_counted_by_reason_and_sent_again(desk: BatchDesk) -> None:
    desk.submit()
    desk.service.end("batch_1", "expired", failing=("beta",), unreached=("gamma",))
    (fetched,) = desk.fetch().fetched
    assert (fetched.vectors, fetched.failed) == (1, {"this input is refused": 1, "the batch is expired": 1})
    assert desk.sizes() == [2]


def test_a_batch_refused_whole_tells_its_reason_and_is_closed(desk: BatchDesk) -> None:
    desk.submit()
    desk.service.end("batch_1", "failed", unreached=("turns",), reason="Enqueued token limit reached.")
    (fetched,) = desk.fetch().fetched
    assert fetched.failed == {"the batch is failed (Enqueued token limit reached.)": 3}
    assert desk.sizes() == [3]


def test_a_vector_for_a_text_that_nobody_sent_is_not_kept(desk: BatchDesk) -> None:
    desk.submit()
    desk.service.end()
    stranger = BatchAnswer("stranger", desk.service.answered["batch_1"][0].vector)
    desk.service.answered["batch_1"] = [stranger]
    (fetched,) = desk.fetch().fetched
    assert fetched.vectors == 0 and sum(fetched.failed.values()) == 3 and not desk.cache.get(["stranger"])


def test_lessons_edited_since_cost_only_the_difference(desk: BatchDesk) -> None:
    desk.submit()
    desk.library.write(EDITED)
    desk.service.end()
    desk.fetch()
    report = desk.ingest()
    assert (report.chunks.embedded, report.chunks.reused) == (1, 2)


def test_a_batch_of_another_embedding_is_named_and_left_open(desk: BatchDesk) -> None:
    desk.submit()
    desk.service.end()
    own, desk.library.embedder = desk.library.embedder, FakeEmbedder("other/1")
    with pytest.raises(ConfigurationError, match=r"batch_1 .* was submitted for fake/1"):
        desk.fetch()
    desk.library.embedder = own
    assert desk.fetch().fetched[0].vectors == 3


def test_the_batches_of_another_book_are_not_fetched(desk: BatchDesk) -> None:
    desk.batches("another").submit(desk.library.docs)
    desk.service.end()
    assert desk.fetch().fetched == ()
    assert desk.batches("another").fetch().fetched[0].vectors == 3


def test_a_batch_whose_reply_was_lost_is_found_again_and_not_paid_twice(desk: BatchDesk) -> None:
    desk.service.fault = "lost"
    with pytest.raises(EmbeddingError):
        desk.submit()
    assert desk.submit().waiting == 3 and len(desk.service.batches) == 1
    desk.service.end()
    assert desk.fetch().fetched[0].vectors == 3


def test_a_batch_that_never_reached_the_service_is_sent_by_the_next_call(desk: BatchDesk) -> None:
    desk.service.fault = "refused"
    with pytest.raises(EmbeddingError):
        desk.submit()
    assert desk.sizes() == [3]


def test_a_batch_whose_results_have_expired_is_closed_and_its_texts_are_sent_again(
    desk: BatchDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.submit()
    with monkeypatch.context() as later:
        later.setattr("ingestion.state.batch_ledger.RESULTS_ARE_KEPT", timedelta(days=-1))
        assert desk.batches().open() == []
    assert desk.sizes() == [3]


def test_a_download_that_breaks_off_leaves_the_batch_open_and_keeps_what_came(
    desk: BatchDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ingestion.operations.batch.VECTORS_PER_WRITE", 1)
    desk.submit()
    desk.service.end()
    whole = desk.service.answered["batch_1"]
    desk.service.answered["batch_1"] = [whole[0], BatchAnswer("break", None)]
    with pytest.raises(EmbeddingError, match="broke off"):
        desk.fetch()
    desk.service.answered["batch_1"] = whole
    assert desk.fetch().fetched[0].vectors == 3


def test_vectors_that_the_cache_cannot_keep_leave_the_batch_open(
    desk: BatchDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.submit()
    desk.service.end()
    with monkeypatch.context() as full:
        full.setattr(desk.cache, "put", lambda vectors: None)
        with pytest.raises(StateError, match="free disk space"):
            desk.fetch()
    assert desk.fetch().fetched[0].vectors == 3


def test_several_batches_are_fetched_as_they_end(desk: BatchDesk) -> None:
    desk.service.max_texts = 2
    assert desk.sizes() == [2, 1]
    desk.service.end("batch_2")
    fetching = desk.fetch()
    assert [batch.batch_id for batch in fetching.fetched] == ["batch_2"]
    assert [batch.status.batch_id for batch in fetching.running] == ["batch_1"]
    desk.service.end("batch_1")
    assert [batch.batch_id for batch in desk.fetch().fetched] == ["batch_1"]
    assert desk.ingest().chunks.embedded == 0


def test_a_new_index_can_be_prepared_by_a_batch(desk: BatchDesk) -> None:
    desk.ingest()
    desk.library.embedder = desk.service.embedder = FakeEmbedder("other/1", dimensions=16)
    (batch,) = desk.submit("recreate").batches
    assert len(batch.sent.keys) == 3
    desk.service.end()
    desk.fetch()
    assert desk.ingest("recreate").chunks.embedded == 0


def test_a_batch_over_its_tokens_is_not_submitted(desk: BatchDesk) -> None:
    tokens = desk.library.run(dry_run=True).chunks.tokens
    desk.library.flags["embedding.max_tokens"] = tokens - 1
    with pytest.raises(BudgetExceeded, match=f"{tokens} tokens, the budget is {tokens - 1}"):
        desk.submit()
    assert desk.service.batches == {}
    desk.library.flags["embedding.max_tokens"] = tokens
    assert desk.sizes() == [3]


def test_a_batch_is_held_to_its_money_at_half_the_price(desk: BatchDesk) -> None:
    cost = desk.library.run(dry_run=True).chunks.tokens * PRICE / 1_000_000 / 2
    desk.library.flags["embedding.max_cost"] = cost * 0.9
    with pytest.raises(BudgetExceeded):
        desk.submit()
    desk.library.flags["embedding.max_cost"] = cost * 1.1
    assert desk.sizes() == [3]


def test_texts_in_an_open_batch_are_not_in_the_budget_of_the_next_one(desk: BatchDesk) -> None:
    desk.submit()
    desk.library.write(PAGES | FOUR)
    desk.library.flags["embedding.max_tokens"] = 20
    assert desk.sizes() == [1]
