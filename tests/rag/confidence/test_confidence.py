"""Confidence: the metrics, the policies, and the reasons for a refusal."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingestion.settings.loader import load_settings
from rag.confidence import assess
from rag.confidence.policies import MINILM, OPENAI, SPEC, WORDS, EvidencePolicy, policy_of
from rag.models import ConfidenceMetrics, Evidence, HiddenPassages, SearchResponse
from tests.support.passages import passage

MODEL = "all-MiniLM-L6-v2-int8/2"
UNIT = st.floats(0, 1)
STRONG = Evidence(best=0.7, gap=0.2, known=1.0, named=1.0, diversity=0.4)
MIDDLING = Evidence(best=0.5, gap=0.1, known=1.0, named=1.0, reached=0.6, length=0.5, heeded=1.0)
WEAK = Evidence(best=0.35, gap=0.02, known=0.5, named=0.0, reached=0.3, diversity=0.4)


def found(*scores: float, evidence: Evidence = STRONG, total: int = 100) -> SearchResponse:
    return SearchResponse(
        query="q",
        results=tuple(passage(score=score, rank=rank) for rank, score in enumerate(scores, 1)),
        total_found=total,
        hardware_tier_filter=1,
        module_filter=None,
        book_id="b",
        evidence=evidence,
    )


def test_the_metrics_are_of_the_cosines_of_the_passages() -> None:
    metrics = assess(found(0.9, 0.6, 0.3), MINILM)
    assert metrics.average_similarity == pytest.approx(0.6)
    assert (metrics.min_similarity, metrics.max_similarity, metrics.num_chunks) == (0.3, 0.9, 3)
    assert metrics.chunk_diversity == 0.4


@given(st.lists(UNIT, max_size=20))
def test_the_average_lies_between_the_lowest_and_the_highest_also_to_the_last_bit(scores: list[float]) -> None:
    metrics = assess(found(*scores), MINILM)
    assert metrics.min_similarity <= metrics.average_similarity <= metrics.max_similarity


def test_metrics_whose_average_lies_elsewhere_are_refused() -> None:
    metrics = assess(found(0.9, 0.6), MINILM).model_dump()
    with pytest.raises(ValueError, match="lies between"):
        ConfidenceMetrics.model_validate(metrics | {"average_similarity": 0.95})


@pytest.mark.parametrize(
    ("scores", "level"),
    [
        ((0.9,) * 5, "high"),
        ((0.9,) * 4, "medium"),
        ((0.76,) * 3, "medium"),
        ((0.76,) * 2, "low"),
        ((0.61,) * 2, "low"),
        ((0.61,), "insufficient"),
        ((0.59,) * 9, "insufficient"),
        ((), "insufficient"),
    ],
)
def test_the_policy_spec_has_the_numbers_of_the_specification(scores: tuple[float, ...], level: str) -> None:
    metrics = assess(found(*scores), SPEC)
    assert metrics.confidence_level == level
    assert metrics.should_answer == (level != "insufficient")


def test_strong_evidence_answers_and_weak_evidence_refuses() -> None:
    assert assess(found(0.7, 0.5), MINILM).confidence_level == "high"
    assert not assess(found(0.35, evidence=WEAK), MINILM).should_answer


@pytest.mark.parametrize(
    ("response", "reason"),
    [
        (found(total=0, evidence=WEAK).model_copy(update={"is_book_indexed": False}), "nothing_indexed"),
        (found(total=0, evidence=WEAK), "nothing_within_filters"),
        (found(0.1, evidence=WEAK.model_copy(update={"best": 0.1, "known": 0.2})), "nothing_relevant"),
        (found(0.5, evidence=WEAK), "not_answered"),
        (found(0.7), None),
    ],
)
def test_the_reasons_of_a_refusal_are_told_apart(response: SearchResponse, reason: str | None) -> None:
    assert assess(response, MINILM).reason == reason


def test_passages_about_something_else_are_refused_whatever_else_speaks_for_them() -> None:
    assert MINILM.estimate(STRONG.model_copy(update={"best": 0.1})) == 0.0


@given(UNIT, UNIT, UNIT, UNIT, UNIT)
def test_more_evidence_never_lowers_the_estimate(
    gap: float, known: float, named: float, reached: float, more: float
) -> None:
    less = Evidence(best=0.5, gap=gap, known=known, named=named, reached=reached)
    for field in ("gap", "known", "named", "reached"):
        raised = less.model_copy(update={field: max(getattr(less, field), more)})
        assert 0.0 <= MINILM.estimate(less) <= MINILM.estimate(raised) <= 1.0


def settings(**values: Any) -> Any:
    return load_settings(values, environ={})


def test_the_policy_is_that_of_the_embedding_model_unless_the_settings_say_otherwise() -> None:
    own = {"model": MODEL, "weights": [1, 2, 3, 4], "levels": [0.1, 0.2, 0.3]}
    fitted = {"confidence.fitted": own}
    assert policy_of(MODEL) is policy_of(MODEL, settings()) is MINILM
    assert policy_of(MODEL, settings(**{"confidence.policy": "spec"})) is SPEC
    before = EvidencePolicy("fitted", 1, 2, 3, 4, low=0.1, medium=0.2, high=0.3)
    assert policy_of(MODEL, settings(**fitted)) == before
    assert policy_of(MODEL, settings(**{"confidence.fitted": own | {"weights": [1, 2, 3, 4, 5, 6]}})) == replace(
        before, reached=5, length=6
    )
    assert policy_of("another/1", settings(**fitted)) is WORDS
    assert policy_of("text-embedding-3-small/1") is OPENAI


def test_a_model_whose_cosines_nobody_measured_is_judged_by_words_alone() -> None:
    far, near = (STRONG.model_copy(update={"best": best, "gap": gap}) for best, gap in ((0.1, 0.0), (0.9, 0.3)))
    assert WORDS.estimate(far) == WORDS.estimate(near) > 0.0


def test_an_answer_is_not_sure_where_a_filter_hides_far_better_passages() -> None:
    shown = found(0.7, evidence=STRONG)
    best = max(result.relevance for result in shown.results)
    hidden = HiddenPassages(count=2, filter="hardware_tier", value="3", best_relevance=best)
    dim = shown.model_copy(
        update={"results": tuple(r.model_copy(update={"relevance": best / 2}) for r in shown.results)}
    )
    assert assess(shown.model_copy(update={"hidden": hidden}), MINILM).confidence_level == "high"
    assert assess(dim.model_copy(update={"hidden": hidden}), MINILM).confidence_level == "low"


@given(st.floats(0.2, 1), UNIT)
def test_only_what_is_neither_near_nor_worded_is_off_the_subject(best: float, known: float) -> None:
    evidence = Evidence(best=best, known=known)
    assert MINILM.is_off_subject(evidence) == (best < MINILM.near and known < 0.5)


def test_the_level_of_a_quote_goes_by_its_best_block_and_by_the_lead_of_that_over_the_next_section() -> None:
    def level(**ranked: float) -> str:
        return assess(found(0.7, evidence=MIDDLING.model_copy(update=ranked)), MINILM).confidence_level

    assert [level(spot=spot, lead=0.0) for spot in (0.2, 0.55, 0.8)] == ["low", "medium", "high"]
    assert level(spot=0.55, lead=0.0) == "medium" and level(spot=0.55, lead=0.3) == "high"


def test_ranked_blocks_turn_no_refusal_into_an_answer() -> None:
    weak = WEAK.model_copy(update={"spot": 1.0, "lead": 1.0})
    assert not assess(found(0.35, evidence=weak), MINILM).should_answer


@given(UNIT, UNIT, UNIT, UNIT)
def test_a_better_block_or_a_larger_lead_never_lowers_the_sureness(
    estimate: float, spot: float, lead: float, more: float
) -> None:
    assert MINILM.sureness is not None
    sure = MINILM.sureness.of(estimate, spot, lead)
    assert sure <= MINILM.sureness.of(estimate, max(spot, more), lead)
    assert sure <= MINILM.sureness.of(estimate, spot, max(lead, more))
