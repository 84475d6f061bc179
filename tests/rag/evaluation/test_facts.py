"""What of an answer is the fact that was asked for, and what is filler."""

from __future__ import annotations

import pytest

from rag.evaluation.facts import filler, holds_fact
from tests.rag.evaluation.test_questions import question

ASKED = question(expected=("table|desk", "turtle"))


def test_a_fact_is_held_in_any_wording_and_only_whole() -> None:
    assert holds_fact(ASKED, "The Turtle stands on a desk.") is True
    assert holds_fact(ASKED, "The turtle stands.") is False
    assert holds_fact(question(), "The turtle stands.") is None


@pytest.mark.parametrize(
    ("answer", "share"),
    [
        ("A turtle at the table.", 0.0),
        ("A turtle at the table.\n\n0123456789012345678901", 0.5),
        ("```\nturtle\n\ntable\n```", 0.0),
        ("The turtle.\n\nThe table.\n\n012345678901234567890", 0.5),
        ("A turtle walks.\n\nA whale swims.", 1.0),
    ],
)
def test_filler_is_what_stands_outside_of_the_blocks_that_hold_the_fact(answer: str, share: float) -> None:
    assert filler(ASKED, answer) == pytest.approx(share)


def test_filler_is_not_told_where_nothing_is_expected() -> None:
    assert filler(question(), "A turtle.") is None
