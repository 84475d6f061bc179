"""Fitting the confidence policy."""

from __future__ import annotations

import pytest

from ingestion.errors import UsageError
from rag.confidence.calibration import fit_policy
from rag.models import Evidence

GOOD = [Evidence(best=0.5, gap=0.10 + number / 200, known=0.9, named=1.0) for number in range(20)]
BAD = [Evidence(best=0.4, gap=0.02 + number / 1000, known=0.4, named=number % 2) for number in range(20)]


def test_a_fitted_policy_tells_the_two_kinds_apart() -> None:
    policy = fit_policy(GOOD, BAD)
    refused = [policy.level(each, 0.5, 5) == "insufficient" for each in (*GOOD, *BAD)]
    assert sum(refused[:20]) <= 1 and all(refused[20:])
    assert policy.low <= policy.medium <= policy.high
    assert min(policy.gap, policy.known, policy.named) >= 0


def test_evidence_that_speaks_against_itself_gets_no_weight() -> None:
    upside_down = [each.model_copy(update={"named": 0.0}) for each in GOOD]
    named = [each.model_copy(update={"named": 1.0}) for each in BAD]
    assert fit_policy(upside_down, named).named == 0.0


def test_too_few_questions_are_refused() -> None:
    with pytest.raises(UsageError, match="10 answerable and 10 unanswerable"):
        fit_policy(GOOD, BAD[:9])
