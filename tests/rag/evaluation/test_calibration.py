"""Fitting the policy to a run, and judging each book by the policy of the others."""

from __future__ import annotations

from rag.evaluation.calibration import HeldOut, calibrate, held_out_document, held_out_table, hold_out
from rag.evaluation.run import Asked
from rag.models import Evidence
from tests.rag.evaluation.test_metrics import outcome


def asked(book: str, number: int, *, answerable: bool, gap: float, is_right: bool | None = None) -> Asked:
    made = outcome(id=f"{book}-{number}", book=book, answerable=answerable, kind="" if answerable else "nearmiss")
    evidence = Evidence(best=0.5, gap=gap, known=0.9, named=1.0, reached=0.5)
    return Asked(made, evidence, is_right)


def book(name: str, *, good_gap: float = 0.2) -> list[Asked]:
    good = [asked(name, at, answerable=True, gap=good_gap + at / 500, is_right=True) for at in range(12)]
    bad = [asked(name, at + 100, answerable=False, gap=0.02 + at / 500) for at in range(12)]
    return [*good, *bad]


def test_each_book_is_judged_by_the_policy_fitted_to_the_others() -> None:
    # What stands out in these two books is next to nothing in the third one, which no other policy would know.
    odd = book("odd", good_gap=0.0)
    held_out = {each.name: each.outcomes for each in hold_out([*book("one"), *book("two"), *odd])}
    assert set(held_out) == {"odd", "one", "two"}
    refused = {name: sum(each.refused for each in some if each.answerable) for name, some in held_out.items()}
    assert refused["odd"] > 6, "it was not fitted to itself"


def test_a_single_book_is_judged_in_parts_each_of_which_has_both_kinds() -> None:
    parts = hold_out([*book("one"), *book("one")])
    assert [each.name for each in parts] == [f"part {number}" for number in range(1, 6)]
    assert all({each.answerable for each in part.outcomes} == {True, False} for part in parts)


def test_too_few_questions_give_no_held_out_figures() -> None:
    assert hold_out([*book("one")[:3], *book("two")[:3]]) == []


def test_the_table_tells_each_book_and_all_of_them_with_intervals() -> None:
    held_out = hold_out([*book("one"), *book("two")])
    table = held_out_table(held_out)
    assert [row[0] for row in table.rows] == ["one", "two", "all"]
    near = table.columns.index("near misses refused")
    assert all("–" in str(row[near]) for row in table.rows)
    assert set(held_out_document(held_out)) == {"one", "two"}
    assert held_out_document(held_out)["one"]["wrongly refused"] == 0.0
    assert held_out_table([HeldOut("one", held_out[0].outcomes)]).rows[0][0] == "one"


def test_a_question_refused_for_its_language_does_not_spoil_the_fit() -> None:
    foreign = asked("one", 500, answerable=True, gap=0.0)
    told = outcome(id="foreign", book="one", refused=True, told_language=True)
    spoiled = Asked(told, foreign.evidence, False)
    questions = [*book("one"), *book("two")]
    assert calibrate([*questions, *[spoiled] * 10]) == calibrate(questions)
