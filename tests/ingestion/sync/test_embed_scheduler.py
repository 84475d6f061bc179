"""Requests beside the thread that writes: each text once, refusals found, one failure ends all."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingestion.embedding.batching import Limits
from ingestion.embedding.cache import EmbeddingCache
from ingestion.embedding.workers import MAX_REFUSED, CallResult, ThreadWorkers
from ingestion.errors import EmbeddingError, InputsRefused
from ingestion.models import DocumentChunk
from ingestion.sync.embed_scheduler import EmbedRequests, Request
from tests.support.chunks import chunk as chunk_of
from tests.support.fakes import FakeEmbedder
from tests.support.waits import LONGEST


class Picky(FakeEmbedder):
    """Refuses every request that holds a bad text."""

    def __init__(self, bad: set[str], limits: Limits) -> None:
        super().__init__(limits=limits)
        self.bad = bad
        self.requests = 0

    def embed_documents(self, texts: Sequence[str]) -> Any:
        self.requests += 1
        if self.bad & set(texts):
            raise InputsRefused("is not to our taste")
        return super().embed_documents(texts)


def chunks(count: int) -> list[DocumentChunk]:
    return [chunk_of(text_of(number)) for number in range(count)]


def text_of(number: int) -> str:
    return f"The text of number {number}."


def embed(embedder: Any, wanted: Sequence[DocumentChunk], **options: Any) -> dict[str, Request]:
    with EmbedRequests(embedder, options.get("cache"), options.get("elsewhere")) as requests:
        made = requests.add(wanted)
        requests.send()
        while requests.unfinished:
            requests.settle(wait=True)
    return made


def test_each_text_is_asked_for_once_however_often_it_is_wanted() -> None:
    embedder = FakeEmbedder(limits=Limits(inputs=3, in_flight=2))
    wanted = chunks(7)
    with EmbedRequests(embedder, None) as requests:
        made = requests.add([*wanted, *wanted])
        requests.send()
        while requests.unfinished:
            requests.settle(wait=True)
    counts = requests.counts
    assert sorted(embedder.texts) == sorted(chunk.embed_text for chunk in wanted)
    assert embedder.calls == 3 and len(made) == 7
    assert (counts.embedded, counts.reused) == (7, 7) and counts.tokens > 7


def test_vectors_are_those_of_their_texts() -> None:
    embedder = FakeEmbedder(limits=Limits(inputs=2, in_flight=4))
    wanted = chunks(9)
    made = embed(embedder, wanted)
    for chunk in wanted:
        vector = made[chunk.embed_key].vectors[chunk.embed_key]
        np.testing.assert_array_equal(vector, embedder.embed_query(chunk.embed_text))


@settings(deadline=None)
@given(st.integers(1, 24), st.sets(st.integers(0, 23), max_size=5), st.integers(1, 24))
def test_only_the_bad_texts_are_refused(count: int, bad: set[int], inputs: int) -> None:
    embedder = Picky({text_of(number) for number in bad}, Limits(inputs=inputs))
    wanted = chunks(count)
    made = embed(embedder, wanted)
    for number, chunk in enumerate(wanted):
        request = made[chunk.embed_key]
        assert (chunk.embed_key in request.refused) == (number in bad)
        assert (chunk.embed_key in request.vectors) == (number not in bad)
    assert len(embedder.texts) == len(set(embedder.texts))


def test_one_bad_text_among_many_is_found_in_few_requests() -> None:
    embedder = Picky({text_of(700)}, Limits(inputs=1024))
    embed(embedder, chunks(1024))
    assert embedder.requests == 1 + 2 * 10


def test_a_service_that_refuses_everything_is_not_asked_about_every_text() -> None:
    wanted = chunks(512)
    embedder = Picky({chunk.embed_text for chunk in wanted}, Limits(inputs=512))
    made = embed(embedder, wanted)
    error = made[wanted[0].embed_key].error
    assert isinstance(error, EmbeddingError) and "refuses every text" in str(error)
    assert embedder.requests < 10 + 2 * MAX_REFUSED


def test_a_text_over_the_limit_is_refused_unsent() -> None:
    embedder = FakeEmbedder(limits=Limits(inputs=8, input_tokens=50))
    long, short = chunk_of("word " * 60), chunk_of(text_of(1))
    made = embed(embedder, [long, short])
    assert "at most 50" in made[long.embed_key].refused[long.embed_key]
    assert embedder.texts == [short.embed_text]


def test_after_a_failure_nothing_more_is_sent_and_the_first_error_is_kept() -> None:
    class Spent(FakeEmbedder):
        def embed_documents(self, texts: Sequence[str]) -> Any:
            self.calls += 1
            raise EmbeddingError(f"spent at call {self.calls}")

    embedder = Spent(limits=Limits(inputs=1))
    wanted = chunks(20)
    with EmbedRequests(embedder, None) as requests:
        made = requests.add(wanted)
        requests.send()
        while requests.unfinished:
            requests.settle(wait=True)
        assert str(requests.error) == "spent at call 1" and embedder.calls == 1
        assert all(request.error for request in made.values())
        assert not requests.want_more(1)


def test_no_more_requests_are_under_way_than_the_limit_and_that_many_are() -> None:
    together = threading.Barrier(3)

    threads = set[int]()

    class Together(FakeEmbedder):
        def embed_documents(self, texts: Sequence[str]) -> Any:
            threads.add(threading.get_ident())
            together.wait(LONGEST)  # breaks unless three come at once
            return super().embed_documents(texts)

    embedder = Together(limits=Limits(inputs=1, in_flight=3))
    made = embed(embedder, chunks(9))
    assert len(threads) == 3 and not any(request.error for request in made.values())


def test_what_is_paid_for_is_in_the_cache_even_if_nobody_takes_it(tmp_path: Path) -> None:
    cache = EmbeddingCache(tmp_path / "cache.sqlite")
    wanted = chunks(4)
    with EmbedRequests(FakeEmbedder(limits=Limits(inputs=2)), cache) as requests:
        requests.add(wanted)
        requests.send()
        requests.settle(wait=True)
    assert wanted[0].embed_key in cache.get([chunk.embed_key for chunk in wanted])
    cache.close()


def test_a_stopped_run_does_not_wait_for_a_service_that_is_silent() -> None:
    silent = threading.Event()

    class Silent(FakeEmbedder):
        def embed_documents(self, texts: Sequence[str]) -> Any:
            silent.wait(LONGEST)
            return super().embed_documents(texts)

    embedder = Silent(limits=Limits(inputs=1, in_flight=2))
    try:
        with pytest.raises(KeyboardInterrupt), EmbedRequests(embedder, None) as requests:
            requests.add(chunks(6))
            raise KeyboardInterrupt
        assert embedder.texts == []
    finally:
        silent.set()


@pytest.mark.parametrize(("count", "started"), [(0, 0), (3, 0), (4, 1), (9, 1)])
def test_workers_elsewhere_are_started_for_more_than_one_request(count: int, started: int) -> None:
    embedder = FakeEmbedder(limits=Limits(inputs=3))
    starts = []

    def elsewhere(finished: SimpleQueue[CallResult]) -> ThreadWorkers:
        starts.append(finished)
        return ThreadWorkers(embedder, finished)

    made = embed(embedder, chunks(count), elsewhere=elsewhere)
    assert len(starts) == started and len(made) == count and all(request.vectors for request in made.values())


def test_a_run_that_waits_for_its_embedder_says_so_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    class Slow(FakeEmbedder):
        def embed_documents(self, texts: Sequence[str]) -> Any:
            slow.wait(0.3)
            return super().embed_documents(texts)

    slow = threading.Event()
    embed(Slow(), chunks(1))
    assert caplog.messages == []
    monkeypatch.setattr("ingestion.sync.embed_scheduler.SLOW_SECONDS", 0.05)
    embed(Slow(limits=Limits(inputs=1, in_flight=1)), chunks(3))
    assert [message for message in caplog.messages if "no response from the embedder" in message] == caplog.messages[
        :1
    ]
    assert len(caplog.messages) == 1
