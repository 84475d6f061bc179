"""What the peers find is judged by the measures of `bookwise eval`."""

from __future__ import annotations

import json
import math
import urllib.request
from dataclasses import replace

import numpy as np
import pytest

from benchmarks.peers.search import MEASURES, minilm_service, outcome
from benchmarks.peers.splitting import Chunk, Page, row
from ingestion.embedding.minilm import MiniLm
from rag.evaluation.metrics import mean_of
from rag.evaluation.questions import EvalQuestion

QUESTION = EvalQuestion(
    id="q", text="How?", language="en", book="book", pages=("book/docs/a.md",), section=None, answerable=True,
    expected=(), tier=4,
)  # fmt: skip


@pytest.mark.parametrize(
    ("found", "figures"),
    [
        (["a.md", "b.md"], (1.0, 1.0, 1.0)),
        (["b.md", "b.md", "a.md", "a.md"], (0.0, 1.0, 1 / math.log2(4))),
        (["b.md"] * 6 + ["a.md"], (0.0, 0.0, 1 / math.log2(8))),
        (["b.md"] * 10, (0.0, 0.0, 0.0)),
    ],
)
def test_a_page_counts_at_the_rank_of_its_first_passage(found: list[str], figures: tuple[float, ...]) -> None:
    told = outcome(QUESTION, found, "book/docs/")
    assert [mean_of(name, [told]) for name in MEASURES] == pytest.approx(figures)


def test_a_page_that_is_also_right_counts() -> None:
    also = replace(QUESTION, pages=("book/docs/a.md", "book/docs/c.md"))
    assert outcome(also, ["b.md", "c.md"], "book/docs/").page_rank == 2


def test_the_service_gives_the_vectors_of_the_embedded_model() -> None:
    with minilm_service() as url:
        body = json.dumps({"model": "m", "input": ["load the model", "a servo"]}).encode()
        with urllib.request.urlopen(urllib.request.Request(f"{url}/embeddings", body)) as reply:
            data = json.load(reply)["data"]
    expected = MiniLm().embed_documents(["load the model", "a servo"])
    assert np.allclose([each["embedding"] for each in data], expected, atol=1e-6)


def test_a_row_tells_what_each_chunk_lost() -> None:
    page = Page(["# Title", "", "```", "x", "```"], {"title"})
    chunks = [Chunk("a.md", "# Title\n\n```", 1), Chunk("a.md", "x\n```", 4, anchor="title")]
    assert row("some", chunks, {"a.md": page}, 1.0).startswith("| some | 2 | 4 | 0 | 2 | 0 | 1 | 100% | 50% | ")
