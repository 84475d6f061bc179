"""Thoughts in lines of their own are no part of an answer, however the reply is cut; all other text stays."""

from __future__ import annotations

import pytest

from rag.chat_model.react import ReactLines

CALL = 'Action: retrieve_documentation\nAction Input: {"query": "pump"}\n'


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("Thought: I know it now.\nFinal Answer: The pump runs for 5 s.\n", "The pump runs for 5 s.\n"),
        ("Thought: I must search.\n" + CALL, CALL),
        ("The pump runs.\nThought: Is that all?\nStill thinking.", "The pump runs.\n"),
        ("Thought: one.\nAnswer: Two.\nThree.", "Two.\nThree."),
        ("I thought: why not? A final answer: none.", "I thought: why not? A final answer: none."),
        ("- Thoughts are free.\n- The rest.\nTho", "- Thoughts are free.\n- The rest.\nTho"),
    ],
)
@pytest.mark.parametrize("size", [1, 3, 1000])
def test_thoughts_are_left_out_and_the_answer_loses_its_label(written: str, said: str, size: int) -> None:
    lines = ReactLines()
    shown = "".join(lines.feed(written[at : at + size]) for at in range(0, len(written), size))
    assert shown + lines.end() == said
