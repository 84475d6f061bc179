"""Fit the confidence policy to questions of which it is known whether the books answer them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ingestion.errors import UsageError
from rag.confidence.policies import WEIGHTS, EvidencePolicy
from rag.models import Evidence

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

LEAST = 10
"""Fewer answerable or unanswerable questions fit noise."""

REFUSED = 0.03
"""Share of the answerable questions that may be refused."""

RIGHT = {"medium": 0.75, "high": 0.9}
"""Share of the quoted answers that must be right from a level on; an unanswerable question's is wrong."""

PIECES = WEIGHTS[1:]
"""The pieces of evidence that have a weight."""

_STEPS, _RATE, _RIDGE = 2_000, 0.5, 0.03


@dataclass(frozen=True, slots=True)
class Judged:
    """A question's evidence, whether the book answers it, and whether the quote does.

    `is_right` is None where nobody knows: the quote then counts as right if the book answers.
    """

    evidence: Evidence
    is_answerable: bool
    is_right: bool | None = None

    @property
    def counts_as_right(self) -> bool:
        """Whether an answer is counted as right."""
        return self.is_answerable if self.is_right is None else self.is_right


def fit_policy(judged: Sequence[Judged]) -> EvidencePolicy:
    """Return the policy that tells the two kinds apart best, both counted alike; raises UsageError if too few.

    Logistic regression with a small ridge on standardised evidence; a weight is never negative, since more evidence
    must not lower the estimate. The levels follow from which quotes are right.
    """
    answerable = sum(question.is_answerable for question in judged)
    if min(answerable, len(judged) - answerable) < LEAST:
        raise UsageError(
            f"calibrating needs {LEAST} answerable and {LEAST} unanswerable questions, "
            f"there are {answerable} and {len(judged) - answerable}"
        )
    import numpy as np

    rows = np.array([[getattr(question.evidence, name) for name in PIECES] for question in judged])
    bias, weights = _fit(rows, np.array([float(question.is_answerable) for question in judged]))
    estimates = 1.0 / (1.0 + np.exp(-(rows @ weights + bias)))
    # Rounded down, so that the question that set the lowest level still reaches it.
    levels = _levels(list(zip(map(float, estimates), judged, strict=True)))
    low, medium, high = (int(level * 1_000) / 1_000 for level in levels)
    pieces: dict[str, Any] = {name: round(float(weight), 3) for name, weight in zip(PIECES, weights, strict=True)}
    return EvidencePolicy("fitted", bias=round(float(bias), 3), **pieces, low=low, medium=medium, high=high)


def _levels(pairs: Sequence[tuple[float, Judged]]) -> list[float]:
    """Return the estimates from which confidence is low, medium and high."""
    good = sorted(estimate for estimate, question in pairs if question.is_answerable)
    levels = [good[int(REFUSED * len(good))]]
    known = [(estimate, question.counts_as_right) for estimate, question in pairs]
    for share in RIGHT.values():
        levels.append(max(levels[-1], _level_from(known, share)))
    return levels


def _level_from(known: Sequence[tuple[float, bool]], share: float) -> float:
    """Return the lowest estimate from which on this share is right, one right and one wrong added; 1 if none."""
    level, right = 1.0, 0
    for count, (estimate, is_right) in enumerate(sorted(known, reverse=True), 1):
        right += is_right
        if (right + 1) / (count + 2) >= share:
            level = estimate
    return level


def _fit(rows: Numbers, expected: Numbers) -> tuple[float, Numbers]:
    import numpy as np

    mean, spread = rows.mean(axis=0), rows.std(axis=0)
    spread[spread == 0] = 1.0
    scaled = (rows - mean) / spread
    share = np.where(expected == 1, 0.5 / expected.sum(), 0.5 / (1 - expected).sum())
    bias, weights = 0.0, np.zeros(rows.shape[1])
    for _ in range(_STEPS):
        wrong = (1.0 / (1.0 + np.exp(-(scaled @ weights + bias))) - expected) * share
        bias -= _RATE * float(wrong.sum())
        weights = np.maximum(weights - _RATE * (scaled.T @ wrong + _RIDGE * weights), 0.0)
    raw: Numbers = weights / spread
    return bias - float(raw @ mean), raw
