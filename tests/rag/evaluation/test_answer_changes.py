"""What a change of the lessons does to answers."""

from __future__ import annotations

from typing import Any

from rag.evaluation.answer_changes import answer_changes, changes_view
from rag.evaluation.metrics import Outcome
from rag.evaluation.views import report_markdown


def outcome(question: str = "How long does the pump run?", **changes: Any) -> Outcome:
    values: dict[str, Any] = {
        "id": question,
        "book": "robots",
        "language": "en",
        "answerable": True,
        "has_section": False,
        "page_rank": 1,
        "section_rank": None,
        "refused": False,
        "level": "high",
        "passages": 10,
        "leaks": 0,
        "milliseconds": 1.0,
        "question": question,
        "found": "pump.md",
    }
    return Outcome(**values | changes)


def kinds(before: Outcome, after: Outcome) -> list[str]:
    return [change.kind for change in answer_changes([before], [after])]


def test_the_same_answers_are_no_change() -> None:
    assert kinds(outcome(), outcome(milliseconds=9.0, level="low")) == []


def test_each_kind_of_change_is_told_apart() -> None:
    assert kinds(outcome(), outcome(refused=True)) == ["lost"]
    assert kinds(outcome(refused=True), outcome()) == ["gained"]
    assert kinds(outcome(), outcome(page_rank=3, found="lamp.md")) == ["wrong page"]
    assert kinds(outcome(page_rank=None, found="lamp.md"), outcome()) == ["right page"]
    assert kinds(outcome(), outcome(found="pump.md › Running")) == ["other page"]


def test_two_refusals_are_alike_whatever_was_found() -> None:
    assert kinds(outcome(refused=True), outcome(refused=True, found="lamp.md")) == []


def test_a_question_that_only_one_run_asked_is_left_out() -> None:
    assert answer_changes([outcome("old")], [outcome("new", refused=True)]) == []


def test_a_refusal_has_no_place() -> None:
    [change] = answer_changes([outcome()], [outcome(refused=True)])
    assert (change.before, change.after) == ("pump.md", None)


def test_the_report_shows_the_questions_as_code_that_calls_nobody() -> None:
    hostile = outcome("@team | `x` <img src=x>")
    changes = answer_changes([hostile], [outcome("@team | `x` <img src=x>", refused=True)])
    text = report_markdown([hostile], [], changes)
    assert "| ``@team \\| `x` <img src=x>`` | no longer answered | `pump.md` | `-` |" in text


def test_without_a_change_one_line_says_so() -> None:
    assert changes_view([], 7) == ["0 of 7 answers changed."]
