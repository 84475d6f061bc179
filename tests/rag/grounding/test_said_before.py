"""What an answer said already is not said again, and no line break is lost with it."""

from __future__ import annotations

import pytest

from rag.grounding.answer_text import NOT_CONFIRMED
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
