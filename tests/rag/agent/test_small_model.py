"""A real language model, a small one on this machine with all of its bad habits: only with `make test-llm`.

What it writes is not foreseen; what a reader may be shown of it is.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator

import pytest

from rag.agent.tool_loop import CUT_OFF, REPEATS
from rag.grounding.answer_text import NOT_CONFIRMED
from rag.models import AgentResponse
from tests.support.agents import ask, shelf_for
from tests.support.passages import passage
from tests.support.paths import ROOT

PYTHON = os.environ.get("BOOKWISE_TEST_LLM")
"""The interpreter that can run scripts/serve_small_model.py."""

SCRIPT = ROOT / "scripts/serve_small_model.py"
ANSWER_TOKENS = 80
MOST_TOKENS = 2_500
"""For two replies of that length, with the rules and the passages before them: no question may cost more."""

PUMP = passage(
    "The pump runs for five seconds. Then it cools down for one minute.", rank=1, source_file="docs/a.md", id="pump"
)
VALVE = passage(
    "A valve opens before the pump runs. It is closed by hand with the red lever.",
    rank=2,
    source_file="docs/b.md",
    id="valve",
)
PASSAGES = {each.id: each for each in (PUMP, VALVE)}
RAW = re.compile(
    r"[{}]|<\||\|>|</?tool|retrieve_documentation|passage_id|chunk_text|p-[0-9a-f]{6}|You answer questions"
)
WORD = re.compile(r"[a-z]{4,}")
SENTENCES = re.compile(rf"\n+|(?<=\])[.!?\"”]*\s+|(?<={re.escape(NOT_CONFIRMED)})\s*")
MARKED = re.compile(rf"[^\n]*{re.escape(NOT_CONFIRMED)}")
FIGURE = re.compile(r"\b\d{3,}\b|\d\s*(?:euros?|€|dollars?)|[€$]\s*\d")
"""A year or a price: no passage has one."""

ANSWERED = (
    "How long does the pump run?",
    "What opens before the pump runs?",
    "how is the valve closd",
    "Wie lange läuft die pump ?",
)
NOT_ANSWERED = ("Who built the pump and in which year?", "How much does the red lever of the pump cost in euros?")

pytestmark = pytest.mark.skipif(not PYTHON, reason="make test-llm")


@pytest.fixture(scope="module")
def base_url() -> Iterator[str]:
    with subprocess.Popen([str(PYTHON), str(SCRIPT)], stdout=subprocess.PIPE, text=True) as served:
        assert served.stdout
        yield served.stdout.readline().strip()
        served.terminate()


@pytest.fixture(params=[0.0, 0.8], ids=["at temperature 0", "at temperature 0.8"])
def settings(base_url: str, request: pytest.FixtureRequest) -> dict[str, object]:
    return {
        "openai.base_url": base_url,
        "agent.model": "smollm2",
        "agent.answer_tokens": ANSWER_TOKENS,
        "agent.temperature": request.param,
        "agent.timeout": 300,
    }


def check(response: AgentResponse) -> None:
    """Hold what every answer promises: no raw calls, inventions marked, sources that say what they are cited for."""
    assert response.state in ("completed", "low_confidence", "no_results")
    assert response.error in (None, CUT_OFF, REPEATS)
    assert 0 < response.completion_tokens < response.tokens_used < MOST_TOKENS
    assert not RAW.search(response.answer)
    assert response.answer.count(NOT_CONFIRMED) == len(response.unsupported)
    assert response.citations or response.state == "no_results"
    for sentence in filter(None, SENTENCES.split(response.answer)):
        cited = [response.citations[int(number) - 1] for number in re.findall(r"\[(\d)\]", sentence)]
        said = set(WORD.findall(re.sub(r"\[\d\]", "", sentence).lower()))
        held = {word for citation in cited for word in WORD.findall(PASSAGES[citation.chunk_id].text.lower())}
        assert not cited or not said or len(said & held) >= len(said) / 3, sentence


@pytest.mark.parametrize("question", ANSWERED)
def test_a_small_model_answers_from_the_passages_or_the_book_is_quoted(
    settings: dict[str, object], question: str
) -> None:
    response = ask(shelf_for(None, PUMP, VALVE, **settings), question)
    check(response)
    assert not response.replaced or any(each.text.split(".")[0] in response.answer for each in PASSAGES.values())


@pytest.mark.parametrize("question", NOT_ANSWERED)
def test_what_a_small_model_invents_is_refused_replaced_or_marked(settings: dict[str, object], question: str) -> None:
    response = ask(shelf_for(None, PUMP, VALVE, **settings), question)
    check(response)
    assert not FIGURE.search(MARKED.sub("", response.answer))
