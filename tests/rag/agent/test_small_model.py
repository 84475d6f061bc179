"""One run with a real language model, a small one on this machine: only with `make test-llm`."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator

import pytest

from rag.grounding.answer_text import NOT_HELD
from tests.support.agents import ask, shelf_for
from tests.support.passages import passage
from tests.support.paths import ROOT

PYTHON = os.environ.get("BOOKWISE_TEST_LLM")
"""The interpreter that can run scripts/serve_small_model.py."""

SCRIPT = ROOT / "scripts/serve_small_model.py"
PUMP = passage("The pump runs for five seconds. Then it cools down for one minute.", source_file="docs/a.md")

pytestmark = pytest.mark.skipif(not PYTHON, reason="make test-llm")


@pytest.fixture(scope="module")
def base_url() -> Iterator[str]:
    with subprocess.Popen([str(PYTHON), str(SCRIPT)], stdout=subprocess.PIPE, text=True) as served:
        assert served.stdout
        yield served.stdout.readline().strip()
        served.terminate()


def test_a_small_model_answers_from_the_passages_or_is_marked(base_url: str) -> None:
    settings = {"openai.base_url": base_url, "agent.model": "smollm2", "agent.answer_tokens": 60}
    shelf = shelf_for(None, PUMP, **settings)
    response = ask(shelf, "How long does the pump run ?")
    assert response.passages.shown == ("1",) and response.tokens_used > response.completion_tokens > 0
    assert response.state in ("completed", "low_confidence", "no_results")
    assert "{" not in response.answer and "retrieve_documentation" not in response.answer
    assert response.answer.count(NOT_HELD) == len(response.unsupported)
    # It answers from the passage, or the passage stands in place of what it made up; else it refused in words.
    assert response.citations or response.state == "no_results"
    assert not response.replaced or "five seconds" in response.answer
