"""Fitting the confidence policy."""

from __future__ import annotations

import pytest

from ingestion.errors import UsageError
from rag.confidence.calibration import Judged, fit_policy
from rag.models import Evidence

GOOD = [Evidence(best=0.5, gap=0.10 + number / 200, known=0.9, named=1.0) for number in range(20)]
BAD = [Evidence(best=0.4, gap=0.02 + number / 1000, known=0.4, named=number % 2) for number in range(20)]


def judged(good: list[Evidence], bad: list[Evidence]) -> list[Judged]:
    return [*(Judged(each, True) for each in good), *(Judged(each, False) for each in bad)]


def test_a_fitted_policy_tells_the_two_kinds_apart() -> None:
    policy = fit_policy(judged(GOOD, BAD))
    refused = [policy.level(each, 0.5, 5) == "insufficient" for each in (*GOOD, *BAD)]
    assert sum(refused[:20]) <= 1 and all(refused[20:])
    assert policy.low <= policy.medium <= policy.high
    assert min(policy.gap, policy.known, policy.named) >= 0


def test_high_begins_where_the_quotes_are_right() -> None:
    # The weaker half of the answers quotes the wrong block, though the book answers all of them.
    right = [Judged(each, True, number >= 10) for number, each in enumerate(GOOD)]
    policy = fit_policy([*right, *(Judged(each, False) for each in BAD)])
    high = [each.is_right for each in right if policy.level(each.evidence, 0.5, 5) == "high"]
    assert high and sum(high) / len(high) >= 0.9
    assert len(high) < sum(policy.level(each, 0.5, 5) != "insufficient" for each in GOOD)


def test_nothing_is_high_where_no_quote_is_right() -> None:
    policy = fit_policy([*(Judged(each, True, False) for each in GOOD), *(Judged(each, False) for each in BAD)])
    assert {policy.level(each, 0.5, 5) for each in GOOD} <= {"low", "insufficient"}


def test_a_word_that_the_passage_ignores_speaks_against_it() -> None:
    good = [each.model_copy(update={"heeded": 1.0 - number / 400}) for number, each in enumerate(GOOD)]
    bad = [each.model_copy(update={"heeded": 0.9 - number / 400}) for number, each in enumerate(GOOD)]
    policy = fit_policy(judged(good, bad))
    assert policy.reads_each_word
    assert policy.estimate(good[5]) > policy.estimate(bad[5])


def test_evidence_that_speaks_against_itself_gets_no_weight() -> None:
    upside_down = [each.model_copy(update={"named": 0.0}) for each in GOOD]
    named = [each.model_copy(update={"named": 1.0}) for each in BAD]
    assert fit_policy(judged(upside_down, named)).named == 0.0


def test_too_few_questions_are_refused() -> None:
    with pytest.raises(UsageError, match="10 answerable and 10 unanswerable"):
        fit_policy(judged(GOOD, BAD[:9]))
