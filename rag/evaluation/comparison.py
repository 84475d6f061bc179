"""Compare two runs over the same questions, and decide whether the difference is more than chance.

Paired bootstrap (Sakai 2006, "Evaluating evaluation metrics based on the bootstrap"): questions are drawn again and
again with replacement, and the mean difference is taken each time.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from rag.evaluation.metrics import MEASURES, Outcome

DRAWS = 10_000
FEWER_DRAWS = 1_000
SEED = 20_231
COMPARED = (
    "file recall@1",
    "file recall@5",
    "file nDCG@10",
    "section recall@5",
    "section nDCG@10",
    "refusal recall",
    "wrongly refused",
    "near misses refused",
    "quoted answers right",
    "high is right",
    "answered right",
    "cited sentences supported",
    "answers with a true citation",
    "answers citing a right page",
    "refused by the model",
    "wrongly refused by the model",
)


@dataclass(frozen=True, slots=True)
class Comparison:
    """A measure of two runs: 95 % of the drawn differences lie between `low` and `high`; `pairs` were compared."""

    measure: str
    before: float
    after: float
    low: float
    high: float
    pairs: int

    @property
    def difference(self) -> float:
        """The change of the measure."""
        return self.after - self.before

    @property
    def is_certain(self) -> bool:
        """Whether zero lies outside the interval."""
        return self.low > 0 or self.high < 0


def compare(before: Sequence[Outcome], after: Sequence[Outcome]) -> list[Comparison]:
    """Return each measure over the questions that both runs asked of the same book."""
    earlier = {outcome.key: outcome for outcome in before}
    pairs = [(earlier[outcome.key], outcome) for outcome in after if outcome.key in earlier]
    return [made for name in COMPARED if (made := _compare(name, pairs)) is not None]


def _compare(name: str, pairs: Sequence[tuple[Outcome, Outcome]]) -> Comparison | None:
    measure = MEASURES[name]
    both = [(measure(old), measure(new)) for old, new in pairs]
    values = [(old, new) for old, new in both if old is not None and new is not None]
    if not values:
        return None
    low, high = _interval([new - old for old, new in values])
    return Comparison(name, fmean(old for old, _ in values), fmean(new for _, new in values), low, high, len(values))


def _interval(differences: Sequence[float], draws: int = DRAWS) -> tuple[float, float]:
    if not any(differences):
        return 0.0, 0.0
    source = random.Random(SEED)
    means = sorted(fmean(source.choices(differences, k=len(differences))) for _ in range(draws))
    return means[int(0.025 * draws)], means[int(0.975 * draws) - 1]


def interval_of(name: str, outcomes: Sequence[Outcome]) -> tuple[float, float] | None:
    """Return the 95 % bootstrap interval of a measure's mean, None if it never applies."""
    values = [value for outcome in outcomes if (value := MEASURES[name](outcome)) is not None]
    return _interval(values, FEWER_DRAWS) if values else None


def as_json(comparisons: Sequence[Comparison]) -> list[Mapping[str, object]]:
    """Return the comparisons as a JSON object, for `--json`."""
    return [
        {
            "measure": comparison.measure,
            "before": comparison.before,
            "after": comparison.after,
            "difference": comparison.difference,
            "interval": [comparison.low, comparison.high],
            "pairs": comparison.pairs,
        }
        for comparison in comparisons
    ]
