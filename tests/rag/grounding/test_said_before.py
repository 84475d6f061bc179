"""What an answer said already is not said again, and no line break is lost with it."""

from __future__ import annotations

import pytest

from rag.grounding.answer_text import NOT_CONFIRMED
from rag.grounding.said_before import goes_in_circles
from tests.rag.grounding.test_answer_text import written

PUMP = "The pump runs well today."
LONG = "The pump runs well today and for all of the night."
HELD = "The pump runs well today [1]."


@pytest.mark.parametrize("size", [1, 3, 1000])
@pytest.mark.parametrize(
    ("text", "told"),
    [
        (f"{PUMP} {PUMP} {PUMP}", HELD),
        (f"{PUMP} {PUMP}\n\n- Now the pump waits.", f"{HELD} \n\n- Now the pump waits [2]."),
        (f"{PUMP} {PUMP} The pump runs", HELD),
        (f"{PUMP} Now the pump waits. {PUMP}", f"{HELD} Now the pump waits [2]. {HELD}"),
        (f"{LONG} Now the pump waits. {LONG}", f"{LONG[:-1]} [1]. Now the pump waits [2]."),
        (f"{PUMP} Now the pump waits. " * 3, f"{HELD} Now the pump waits [2]. {HELD} Now the pump waits [2]."),
        ("The pump runs. The pump runs.", "The pump runs [1]. The pump runs [1]."),
        ("```\nx\n```\n```\nx\n```", f"```\nx\n```\n{NOT_CONFIRMED}\n```\nx\n```\n{NOT_CONFIRMED}"),
    ],
    ids=["in a row", "before a list", "begun again at the end", "once more", "long", "a third time", "short", "code"],
)  # fmt: skip
def test_a_sentence_is_said_once_in_a_row(text: str, told: str, size: int) -> None:
    assert written(text, sizes=(size,)).text.strip() == told


@pytest.mark.parametrize(
    ("sentence", "circles"),
    [
        ("The 2018 edition of the 2015 edition of the 2021 edition of the 2024 edition of the 2018 edition", True),
        ("It is a pump that is a pump that is a pump that is a pump, which is a pump", True),
        ("The pump, the valve and the tank of the first, the second and the third house are the same.", False),
        ("`a` to `b`, `b` to `c`, `c` to `d`, `d` to `e`, `e` to `f`, `f` to `g`", False),
        ("No, no, no, no, no", False),
        ("| 0 | 0 | 0 | 1 | 0 | 0 | 0 | 0 | 0 | 0 | 1 | 0 | 0 | 0 | 0 |", False),
    ],
)
def test_a_sentence_of_the_same_few_words_goes_in_circles(sentence: str, circles: bool) -> None:
    assert goes_in_circles(sentence) is circles
