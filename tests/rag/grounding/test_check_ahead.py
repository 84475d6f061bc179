"""An answer is checked while it is written; that changes when its sentences are embedded, and nothing else."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingestion.embedding.batching import Limits
from ingestion.errors import EmbeddingError
from rag.grounding import support as check_ahead
from rag.grounding.support import SupportCheck
from tests.rag.grounding.test_citations import shown
from tests.support.agents import ask, shelf_for
from tests.support.fakes import FakeEmbedder
from tests.support.openai_chat import ChatServer, calls, cites

HELD = "The pump runs for five seconds"
WAITS = "Wait twenty seconds before the next reading"
ANSWER = (
    f"{HELD} [s1]. {WAITS} [s2]! Nothing cites this. Bananas grow [s1][s2].\n\n```\n{HELD} [s1].\n```\n{HELD} [s1]"
)
PIECES = (HELD, " {0}", ". ", WAITS, " {1}", ".")


class AtOnce(Executor):
    """Always has time: what is prepared does not depend on how fast the answer comes."""

    def submit(self, work: Callable[..., Any], /, *args: Any, **named: Any) -> Future[Any]:
        done: Future[Any] = Future()
        done.set_result(work(*args, **named))
        return done


@given(st.lists(st.integers(0, len(ANSWER)), max_size=6))
def test_what_is_prepared_of_an_answer_does_not_change_what_is_found(cuts: list[int]) -> None:
    check = SupportCheck(shown(), FakeEmbedder())
    for cut in sorted(cuts):
        check.prepare(ANSWER[:cut])
    assert check.support(ANSWER) == SupportCheck(shown(), FakeEmbedder()).support(ANSWER)


def test_a_sentence_is_embedded_before_its_full_stop_and_not_again() -> None:
    embedder = FakeEmbedder()
    check = SupportCheck(shown(), embedder)
    check.prepare(f"{HELD} [s1]")
    embedded = list(embedder.texts)
    assert check.support(f"{HELD} [s1].").sentences == 1
    assert embedded == embedder.texts == [HELD]


def test_what_nothing_could_hold_is_not_embedded() -> None:
    embedder = FakeEmbedder()
    support = SupportCheck(shown(), embedder).support("It takes 99 seconds [s1]. Bananas grow [s2].")
    assert (len(support.unsupported), embedder.texts) == (2, [])


@pytest.mark.parametrize(("tokens", "embedded"), [(None, 2), (300_000, 1)], ids=["this machine", "a service"])
def test_an_answer_is_checked_in_pieces_by_a_model_of_this_machine_and_at_once_by_a_service(
    tokens: int | None, embedded: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check_ahead, "_THREAD", AtOnce())
    embedder = FakeEmbedder(limits=Limits(inputs=9, tokens=tokens))
    with ChatServer() as server:
        server.script += [calls("pump seconds"), cites(*PIECES)]
        response = ask(shelf_for(server, embedder=embedder), "How long does the pump run?")
    assert response.supported and response.cited_sentences == 2
    assert sorted(embedder.texts) == sorted({HELD, WAITS})
    assert embedder.calls == embedded


def test_an_answer_does_not_wait_for_what_is_prepared_for_others() -> None:
    go_on = threading.Event()
    embedder = FakeEmbedder(limits=Limits(inputs=9))
    busy = check_ahead._THREAD.submit(go_on.wait, 20)
    try:
        with ChatServer() as server:
            server.script += [calls("pump seconds"), cites(*PIECES)]
            response = ask(shelf_for(server, embedder=embedder), "How long does the pump run?")
        assert response.supported and not busy.done()
    finally:
        go_on.set()
    assert busy.result()


def test_an_embedder_that_fails_while_an_answer_is_written_fails_at_its_end() -> None:
    class Broken(FakeEmbedder):
        def embed_documents(self, texts: Sequence[str]) -> Any:
            raise EmbeddingError("the model is gone")

    with ChatServer() as server:
        server.script += [calls("pump seconds"), cites(*PIECES)]
        with pytest.raises(EmbeddingError, match="the model is gone"):
            ask(shelf_for(server, embedder=Broken()), "How long does the pump run?")
