"""Thoughts and marks of chat formats are no part of an answer, however they are cut; all other text stays."""

from __future__ import annotations

import pytest

from rag.chat_model.unspoken import Unspoken


def read(text: str, size: int) -> str:
    unspoken = Unspoken()
    return "".join(unspoken.feed(text[at : at + size]) for at in range(0, len(text), size)) + unspoken.end()


@pytest.mark.parametrize("size", [1, 3, 1000])
@pytest.mark.parametrize(
    "text",
    [
        "<think>Built in 1987?</think>It runs.",
        "<thinking>\na < b\n</thinking>\n\nIt runs.",
        "<reasoning>x</reasoning>It runs.",
        "It runs.<|im_end|>",
        "It runs.<|eot_id|><|start_header_id|>assistant<|end_header_id|>",
        "<|channel|>analysis<|message|>Built in 1987?<|end|><|start|>assistant<|channel|>final<|message|>It runs.",
        "It runs.<think>and so on, without an end",
    ],
)
def test_thoughts_and_marks_are_left_out(text: str, size: int) -> None:
    assert read(text, size) == "It runs."


@pytest.mark.parametrize("size", [1, 3, 1000])
@pytest.mark.parametrize(
    "text", ["a < b and c > d", "Use `<T>` or <b>bold</b>.", "x <| y |> z", "I think <think", "<", "thinking > doing"]
)
def test_other_text_stays_as_it_is(text: str, size: int) -> None:
    assert read(text, size) == text
