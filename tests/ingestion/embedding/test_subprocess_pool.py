"""Calls worked on by a child: what comes back, what is logged, and what is left when either side ends."""

from __future__ import annotations

import logging
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import numpy as np
import pytest

from ingestion.embedding.batching import Limits
from ingestion.embedding.subprocess_pool import SubprocessWorkers
from ingestion.embedding.workers import FINISH_SECONDS, Call, CallResult
from ingestion.errors import ConfigurationError, EmbeddingError, InputsRefused
from ingestion.factory import build_parts
from ingestion.settings.loader import load_settings
from tests.support.children import KILLED, SETUP, ThreadChild
from tests.support.fakes import FakeEmbedder
from tests.support.openai_server import OpenAIServer


class Gated(FakeEmbedder):
    """Answers when the gate is open, at most so many at once."""

    def __init__(self, in_flight: int = 2) -> None:
        super().__init__(limits=Limits(inputs=1, in_flight=in_flight))
        self.gate = threading.Event()
        self.begun: list[str] = []

    def embed_documents(self, texts: Sequence[str]) -> Any:
        self.begun.append(texts[0])
        self.gate.wait(20)
        return super().embed_documents(texts)


class Failing(FakeEmbedder):
    """Raises."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error

    def embed_documents(self, texts: Sequence[str]) -> Any:
        raise self.error


class Line:
    """A child and what came from it."""

    def __init__(self, embedder: FakeEmbedder) -> None:
        self.finished: SimpleQueue[CallResult] = SimpleQueue()
        self.child = ThreadChild(embedder)
        self.apart = SubprocessWorkers(SETUP, self.finished, self.child)

    def send(self, count: int) -> list[list[str]]:
        """Calls 1 to `count`, of two texts each."""
        texts = [[f"{number} one", f"{number} two"] for number in range(1, count + 1)]
        for number, each in enumerate(texts, 1):
            self.apart.send(Call(number, each))
        return texts

    def take(self, count: int) -> dict[int, CallResult]:
        """So many that are done, by number."""
        found = [self.finished.get(timeout=10) for _ in range(count)]
        return {done.number: done for done in found}


@pytest.fixture
def gated() -> Iterator[Gated]:
    embedder = Gated()
    yield embedder
    embedder.gate.set()


def until(happened: Any) -> None:
    deadline = time.monotonic() + 10
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.001)


def test_each_call_comes_back_once_with_the_vectors_of_its_texts() -> None:
    embedder = FakeEmbedder(limits=Limits(inputs=2, in_flight=3))
    line = Line(embedder)
    texts = line.send(20)
    done = line.take(20)
    line.apart.stop()
    assert sorted(done) == list(range(1, 21)) and line.finished.empty()
    for number, each in enumerate(texts, 1):
        assert done[number].accepted == [0, 1] and done[number].error is None
        (piece,) = done[number].pieces
        np.testing.assert_array_equal(piece, np.stack([embedder.embed_query(text) for text in each]))
        assert piece.dtype == np.float32


def test_no_more_calls_are_made_at_once_than_the_child_s_embedder_allows(gated: Gated) -> None:
    line = Line(gated)
    line.send(9)
    until(lambda: len(gated.begun) == 2)
    gated.gate.set()
    line.take(9)
    line.apart.stop()
    assert set(gated.begun[:2]) == {"1 one", "2 one"}


def test_a_call_larger_than_a_pipe_holds_comes_back_whole() -> None:
    line = Line(FakeEmbedder(dimensions=64))
    texts = [f"{number} {'word ' * 200}" for number in range(2048)]
    line.apart.send(Call(1, texts))
    (piece,) = line.take(1)[1].pieces
    line.apart.stop()
    assert piece.shape == (2048, 64)


def test_a_text_that_is_refused_is_told_by_its_place() -> None:
    class Picky(FakeEmbedder):
        def embed_documents(self, texts: Sequence[str]) -> Any:
            if "2 two" in texts:
                raise InputsRefused("is not to our taste")
            return super().embed_documents(texts)

    line = Line(Picky())
    line.send(2)
    done = line.take(2)
    line.apart.stop()
    assert done[2].refused == {1: "is not to our taste"} and done[2].accepted == [0] and not done[1].refused


@pytest.mark.parametrize("kind", [EmbeddingError, ConfigurationError, ValueError])
def test_an_error_keeps_its_kind_and_its_words(kind: type[Exception]) -> None:
    line = Line(Failing(kind("what to do")))
    line.send(1)
    error = line.take(1)[1].error
    line.apart.stop()
    assert type(error) is kind and str(error) == "what to do"
    assert getattr(error, "exit_code", None) == getattr(kind, "exit_code", None)


def test_a_bug_in_the_child_says_where_it_is() -> None:
    line = Line(Failing(ZeroDivisionError("by zero")))
    line.send(1)
    error = line.take(1)[1].error
    line.apart.stop()
    assert isinstance(error, RuntimeError) and str(error) == "ZeroDivisionError: by zero"
    assert "test_subprocess_pool.py" in error.__notes__[0]


def test_after_a_failure_nothing_more_is_sent() -> None:
    line = Line(Failing(EmbeddingError("spent")))
    line.send(3)
    done = line.take(3)
    line.apart.stop()
    assert {str(each.error) for each in done.values()} == {"spent", "not sent, as an earlier request failed"}


def test_where_the_child_dies_all_that_waits_for_it_fails_and_so_does_what_comes_later(gated: Gated) -> None:
    line = Line(gated)
    line.send(5)
    until(lambda: gated.begun)
    line.child.kill()
    done = line.take(5)
    line.apart.send(Call(6, ["late"]))
    done |= line.take(1)
    line.apart.stop()
    assert sorted(done) == [1, 2, 3, 4, 5, 6]
    for each in done.values():
        assert isinstance(each.error, EmbeddingError) and f"has ended (exit code {KILLED})" in str(each.error)


def test_what_is_under_way_has_a_moment_to_end_and_what_waits_is_not_begun(gated: Gated) -> None:
    line = Line(gated)
    line.send(6)
    until(lambda: len(gated.begun) == 2)
    threading.Timer(FINISH_SECONDS / 5, gated.gate.set).start()
    line.apart.stop()
    done = [line.finished.get(timeout=20) for _ in range(6)]
    assert sorted(each.number for each in done if each.pieces) == [1, 2]
    assert len(gated.begun) == 2 and line.child.is_killed


def test_a_service_that_is_silent_is_not_waited_for(gated: Gated) -> None:
    line = Line(gated)
    line.send(6)
    begun = time.monotonic()
    line.apart.stop()
    assert time.monotonic() - begun < 10 * FINISH_SECONDS
    assert all(line.finished.get(timeout=20).error for _ in range(6))


def test_what_the_child_logs_is_logged_here_at_its_level(caplog: pytest.LogCaptureFixture) -> None:
    line = Line(FakeEmbedder())
    for level in (logging.DEBUG, logging.WARNING):
        line.child.sent.put(logging.makeLogRecord({"name": "a.library", "levelno": level, "msg": "said", "args": ()}))
    line.send(1)
    line.take(1)
    line.apart.stop()
    assert [(each.name, each.levelno) for each in caplog.records] == [("a.library", logging.WARNING)]


def test_the_key_is_not_shown() -> None:
    assert "sk-secret" not in repr(SETUP)


def test_where_no_process_can_be_started_the_calls_are_made_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "nothing"))
    finished: SimpleQueue[CallResult] = SimpleQueue()
    with OpenAIServer() as server:
        place = {"index.directory": str(tmp_path), "index.state": str(tmp_path / "state")}
        service = {"embedding.embedder": "openai", "openai.base_url": server.base_url, "embedding.dimensions": 8}
        with closing(build_parts(load_settings(place | service, environ={}))) as parts:
            assert parts.apart
            workers = parts.apart(finished)
            workers.send(Call(1, ["a text"]))
            done = finished.get(timeout=10)
            workers.stop()
    assert done.accepted == [0] and len(server.requests) == 1
