"""Fit the confidence policy to questions of which it is known whether the books answer them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

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

TRUSTED = {"medium": 0.2, "high": 0.05}
"""Share of the unanswerable questions that may reach a level."""

PIECES = WEIGHTS[1:]
"""The pieces of evidence that have a weight."""

_STEPS, _RATE, _RIDGE = 2_000, 0.5, 0.03


def fit_policy(answerable: Sequence[Evidence], unanswerable: Sequence[Evidence]) -> EvidencePolicy:
    """Return the policy that tells the two apart best, both counted alike; raises UsageError if there are too few.

    Logistic regression with a small ridge on standardised evidence; a weight is never negative, since more evidence
    must not lower the estimate.
    """
    if min(len(answerable), len(unanswerable)) < LEAST:
        raise UsageError(
            f"calibrating needs {LEAST} answerable and {LEAST} unanswerable questions, "
            f"there are {len(answerable)} and {len(unanswerable)}"
        )
    import numpy as np

    rows = np.array([[getattr(evidence, name) for name in PIECES] for evidence in (*answerable, *unanswerable)])
    expected = np.repeat([1.0, 0.0], [len(answerable), len(unanswerable)])
    bias, weights = _fit(rows, expected)
    estimates = 1.0 / (1.0 + np.exp(-(rows @ weights + bias)))
    good, bad = np.sort(estimates[: len(answerable)]), np.sort(estimates[len(answerable) :])
    low = float(good[int(REFUSED * len(good))])
    levels = [low]
    for share in TRUSTED.values():
        above = float(bad[min(len(bad) - 1, int((1 - share) * len(bad)))])
        levels.append(max(levels[-1], above))
    # Rounded down, so that the question that set the lowest level still reaches it.
    low, medium, high = (int(level * 1_000) / 1_000 for level in levels)
    pieces = {name: round(float(weight), 3) for name, weight in zip(PIECES, weights, strict=True)}
    return EvidencePolicy("fitted", bias=round(float(bias), 3), **pieces, low=low, medium=medium, high=high)


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
