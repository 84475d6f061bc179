"""The measures of an evaluation, and the comparison of two."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingestion.errors import UsageError
from rag.evaluation.answer_metrics import AnswerOutcome
from rag.evaluation.comparison import compare, interval_of
from rag.evaluation.metrics import MEASURES, Outcome, latency, leak_rate, mean_of
from rag.evaluation.views import evaluation_document, evaluation_view, markdown, outcomes_of

RANKS = st.none() | st.integers(1, 10)


def outcome(number: int = 1, **changes: Any) -> Outcome:
    values: dict[str, Any] = {
        "id": f"q{number}", "book": "b", "language": "en", "answerable": True, "has_section": True, "page_rank": 1,
        "section_rank": 1, "refused": False, "level": "high", "passages": 10, "leaks": 0, "milliseconds": 5.0,
        "answered_right": None,
    }  # fmt: skip
    return Outcome(**(values | changes))


def unanswerable(number: int, *, refused: bool) -> Outcome:
    nothing = {"answerable": False, "has_section": False, "page_rank": None, "section_rank": None}
    return outcome(number, refused=refused, **nothing)


def test_recall_counts_the_questions_whose_page_is_among_the_first() -> None:
    outcomes = [outcome(1), outcome(2, page_rank=4), outcome(3, page_rank=None), unanswerable(4, refused=True)]
    assert mean_of("file recall@1", outcomes) == pytest.approx(1 / 3)
    assert mean_of("file recall@5", outcomes) == pytest.approx(2 / 3)


def test_mrr_and_ndcg_are_of_the_first_right_passage() -> None:
    outcomes = [outcome(1, section_rank=3), outcome(2, section_rank=None)]
    assert mean_of("section MRR", outcomes) == pytest.approx(1 / 6)
    assert mean_of("section nDCG@10", outcomes) == pytest.approx(1 / math.log2(4) / 2)


def test_refusals_have_a_precision_and_a_recall() -> None:
    outcomes = [outcome(1, refused=True), outcome(2), unanswerable(3, refused=True), unanswerable(4, refused=False)]
    assert mean_of("refusal precision", outcomes) == 0.5
    assert mean_of("refusal recall", outcomes) == 0.5
    assert mean_of("wrongly refused", outcomes) == 0.5


def test_a_measure_that_applies_to_no_question_has_no_figure() -> None:
    assert mean_of("refusal recall", [outcome()]) is None
    assert mean_of("answered right", [outcome()]) is None


def test_the_leak_rate_is_a_share_of_all_passages() -> None:
    assert leak_rate([outcome(passages=10, leaks=1), outcome(passages=10)]) == 0.05
    assert leak_rate([]) == 0.0


def test_latency_is_a_percentile() -> None:
    times = [float(number) for number in range(1, 101)]
    assert (latency(times, 50), latency(times, 99), latency(times[:1], 99), latency([], 50)) == (50.0, 99.0, 1.0, 0.0)


@given(RANKS, RANKS)
def test_every_measure_is_from_0_to_1(page: int | None, section: int | None) -> None:
    for name in MEASURES:
        figure = mean_of(name, [outcome(page_rank=page, section_rank=section)])
        assert figure is None or 0.0 <= figure <= 1.0


def answered(ending: Any = "answered", **changes: Any) -> AnswerOutcome:
    return AnswerOutcome(**{"model": "m", "ending": ending, "milliseconds": 10.0} | changes)


def test_answers_are_measured_where_there_are_any() -> None:
    full = answered(cited_sentences=4, supported_sentences=3, true_citations=1, cites_right_page=True, tokens=7)
    outcomes = [
        outcome(1, answer=full),
        outcome(2, answer=answered(dropped=2)),
        outcome(3, answer=answered("failed")),
    ]
    assert mean_of("cited sentences supported", outcomes) == 0.75
    assert (
        mean_of("answers with a true citation", outcomes) == mean_of("answers citing a right page", outcomes) == 0.5
    )
    document = evaluation_document(outcomes)["answers"]
    assert document["endings"] == {"answered": 2, "refused": 0, "not_asked": 0, "failed": 1}
    assert (document["dropped"], document["tokens"], document["latency_ms"]["p50"]) == (2, 7, 10.0)
    assert "3 of 4 cited sentences supported, 2 references dropped, 7 tokens" in markdown(evaluation_view(outcomes))


def test_refusals_of_the_model_are_counted_over_the_questions_it_was_asked() -> None:
    refused, not_asked = answered("refused"), answered("not_asked")
    nothing = unanswerable(1, refused=False)
    outcomes = [replace(nothing, answer=refused), replace(nothing, answer=not_asked), outcome(2, answer=answered())]
    assert mean_of("refused by the model", outcomes) == 1.0
    assert mean_of("wrongly refused by the model", outcomes) == 0.0


def test_without_a_model_answer_support_is_said_to_be_unmeasured() -> None:
    assert evaluation_document([outcome()])["answers"] is None
    assert "answer support: not measured" in markdown(evaluation_view([outcome()]))


def test_a_clear_difference_is_certain_and_a_single_question_may_be_chance() -> None:
    before = [outcome(number, page_rank=None) for number in range(40)]
    after = [outcome(number) for number in range(40)]
    by_name = {each.measure: each for each in compare(before, after)}
    assert by_name["file recall@5"].difference == 1.0 and by_name["file recall@5"].is_certain
    one_better = [outcome(0), *before[1:]]
    assert not {each.measure: each for each in compare(before, one_better)}["file recall@5"].is_certain


def test_only_questions_of_both_runs_are_compared_and_equal_runs_do_not_differ() -> None:
    some = [outcome(number) for number in range(3)]
    for each in compare([*some, outcome(9)], some):
        assert (each.pairs, each.difference, each.low, each.high) == (3, 0.0, 0.0, 0.0)
    assert compare([outcome(8)], some) == []


def test_a_document_gives_its_outcomes_back() -> None:
    outcomes = [outcome(1, answer=answered()), unanswerable(2, refused=True)]
    document = evaluation_document(outcomes)
    assert outcomes_of(document, "run.json") == outcomes
    assert document["books"]["b"]["refusal recall"] == 1.0
    with pytest.raises(UsageError, match=r"run\.json"):
        outcomes_of({}, "run.json")


def test_markdown_has_a_table_a_part_and_the_leak_rate() -> None:
    outcomes = [outcome(1), outcome(2, page_rank=None, refused=True)]
    shown = markdown(evaluation_view(outcomes, compare(outcomes, outcomes)))
    assert "| file recall@5 | 0.500 | 0.00–1.00 | 2 |" in shown
    assert "| q2 | b | right page not in the top five |" in shown
    assert "leak rate 0 over 20 passages" in shown


def test_a_measure_has_an_interval_that_holds_it_and_narrows_with_more_questions() -> None:
    base = outcome()
    few = [replace(base, page_rank=rank) for rank in (1, None) * 4]
    low, high = interval_of("file recall@5", few) or (1.0, 0.0)
    narrow = interval_of("file recall@5", few * 20) or (0.0, 1.0)
    assert low <= 0.5 <= high and narrow[1] - narrow[0] < high - low
    assert interval_of("typos answered", few) is None
