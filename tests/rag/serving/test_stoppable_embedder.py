"""Calls to an embedder that are left when the server stops."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from typing import TYPE_CHECKING

import pytest

from ingestion.errors import EmbeddingError, Interrupted
from rag.serving.embedders import StoppableEmbedder
from tests.support.fakes import FakeEmbedder
from tests.support.waits import LONGEST

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ingestion.models import Vectors


class HeldEmbedder(FakeEmbedder):
    """Waits in each call until it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.asked, self.go_on = threading.Event(), threading.Event()

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        self.asked.set()
        self.go_on.wait(LONGEST)
        return super().embed_documents(texts)


def test_until_it_is_stopped_it_is_the_embedder_it_has() -> None:
    plain, stoppable = FakeEmbedder(), StoppableEmbedder(FakeEmbedder(), Future())
    assert (stoppable.model, stoppable.dimensions, stoppable.limits) == (plain.model, plain.dimensions, plain.limits)
    assert (stoppable.embed_documents(["a node"]) == plain.embed_documents(["a node"])).all()
    assert (stoppable.embed_query("a node") == plain.embed_query("a node")).all()


def test_what_the_embedder_raises_is_raised() -> None:
    class Failing(FakeEmbedder):
        def embed_documents(self, texts: Sequence[str]) -> Vectors:
            raise EmbeddingError("no")

    with pytest.raises(EmbeddingError, match="no"):
        StoppableEmbedder(Failing(), Future()).embed_documents(["a node"])


def test_a_call_that_waits_is_left_at_the_stop_and_no_other_is_made() -> None:
    held, stopped = HeldEmbedder(), Future[None]()
    stoppable = StoppableEmbedder(held, stopped)
    stopper = threading.Thread(target=lambda: (held.asked.wait(LONGEST), stopped.set_result(None)))
    stopper.start()
    with pytest.raises(Interrupted, match="server was stopped"):
        stoppable.embed_documents(["a node"])
    stopper.join()
    held.asked.clear()
    with pytest.raises(Interrupted):
        stoppable.embed_documents(["a topic"])
    assert not held.asked.is_set()
    held.go_on.set()
