"""A question, an answer or a passage of four times the length takes about four times the work, whatever it holds."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

import pytest

from ingestion.markdown.links import own_ids
from rag.chat_model.text_calls import TextCalls
from rag.grounding.answer_text import AnswerText
from rag.grounding.sentences import sentence_spans
from rag.grounding.shown_passages import ShownPassages
from rag.quoting.question_kinds import QuestionKind
from rag.retrieval.query_terms import names_in
from rag.retrieval.spelling import suspects
from tests.support.passages import passage

SMALL, LARGE = 8 << 10, 32 << 10
MOST = 10.0
"""Times the work for four times the length: linear work takes 4, quadratic 16."""

SOON = 0.1
"""Seconds of CPU below which a ratio tells nothing."""


def answer(text: str) -> None:
    shown = ShownPassages()
    shown.show(passage())
    told = AnswerText(shown)
    told.add(text)
    told.end()
    while sentence := told.next_sentence():
        told.close(sentence, None)


def tool_calls(text: str) -> None:
    calls = TextCalls()
    for start in range(0, len(text), 40):
        calls.feed(text[start : start + 40])
    calls.end()


def asked(text: str) -> None:
    kind = QuestionKind(f"What is {text}")
    assert not (kind.is_why and kind.is_number and kind.is_small_talk and kind.term)


def passage_about(text: str) -> None:
    kind = QuestionKind("What is a node?")
    assert kind.weight(text, "paragraph", section=text, opens_section=True)


WORK: Mapping[str, Callable[[str], object]] = {
    "answer": answer,
    "tool calls": tool_calls,
    "question": asked,
    "passage": passage_about,
    "names": names_in,
    "sentences": sentence_spans,
    "spelling": lambda text: suspects(text, lambda word: True),
    "ids": own_ids,
}
UNITS = (
    "a",
    "A ",
    "Aa. ",
    "Yes! ",
    "e.g. ",
    "。",
    "\n",
    " ",
    "\t",
    "x\n\n",
    "(",
    "`",
    "*",
    '"',
    "p-1",
    "[1] ",
    "{",
    "<",
    "1 ",
)


def seconds(work: Callable[[str], object], text: str) -> float:
    best = 60.0
    for _ in range(2):
        began = time.process_time()
        work(text)
        best = min(best, time.process_time() - began)
        if best < SOON:
            break
    return best


@pytest.mark.timeout(120)
@pytest.mark.parametrize("name", WORK)
def test_a_text_of_four_times_the_length_takes_four_times_the_work(name: str) -> None:
    steep: dict[str, tuple[float, float]] = {}
    for unit in UNITS:
        large = seconds(WORK[name], unit * (LARGE // len(unit)))
        if large >= SOON and large > MOST * (small := seconds(WORK[name], unit * (SMALL // len(unit)))):
            steep[unit] = small, large
    assert not steep
