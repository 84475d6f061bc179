"""Fit the confidence policy to a run's questions, and report how it does on books it was not fitted to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from ingestion.errors import UsageError
from ingestion.output import Table
from rag.confidence.calibration import Judged, fit_policy
from rag.confidence.policies import EvidencePolicy
from rag.evaluation.comparison import interval_of
from rag.evaluation.metrics import Outcome, mean_of
from rag.evaluation.run import Asked

FOLDS = 5
"""Number of parts into which a single book's questions are divided, each judged by the policy of the others."""

JUDGED_BY = (
    "wrongly refused",
    "refusal recall",
    "near misses refused",
    "high is right",
    "medium is right",
)
"""Measures that depend on the policy."""


@dataclass(frozen=True, slots=True)
class HeldOut:
    """Outcomes of questions under a policy that never saw them; `name` is their book, or the part of it."""

    name: str
    outcomes: tuple[Outcome, ...]


def calibrate(asked: Sequence[Asked]) -> EvidencePolicy:
    """Return the policy fitted to all questions; raises UsageError if there are too few."""
    return fit_policy(_judged(asked))


def hold_out(asked: Sequence[Asked]) -> list[HeldOut]:
    """Judge each book by the policy fitted to the other books, a single book in parts.

    A part is left out if the others have too few questions to fit. The figures of a policy on the questions it was
    fitted to say little about other questions.
    """
    parts = _parts(asked)
    held_out: list[HeldOut] = []
    for name, part in parts.items():
        others = [question for other, some in parts.items() if other != name for question in some]
        try:
            policy = fit_policy(_judged(others))
        except UsageError:
            continue
        held_out.append(HeldOut(name, tuple(_judged_by(policy, question) for question in part)))
    return held_out


def held_out_table(held_out: Sequence[HeldOut]) -> Table:
    """Return a table of each part's measures with their intervals, the total last."""
    rows = [_row(part) for part in held_out]
    if len(held_out) > 1:
        rows.append(_row(HeldOut("all", tuple(outcome for part in held_out for outcome in part.outcomes))))
    return Table("Held out (judged by a policy fitted to the others)", ("book", "asked", *JUDGED_BY, "high"), rows)


def held_out_document(held_out: Sequence[HeldOut]) -> dict[str, dict[str, float]]:
    """Return the measures of each part, as a JSON object."""
    return {
        part.name: {name: figure for name in JUDGED_BY if (figure := mean_of(name, part.outcomes)) is not None}
        for part in held_out
    }


def _row(part: HeldOut) -> tuple[str | int | None, ...]:
    high = fmean(outcome.level == "high" for outcome in part.outcomes)
    return part.name, len(part.outcomes), *(_figure(name, part.outcomes) for name in JUDGED_BY), f"{high:.0%}"


def _figure(name: str, outcomes: Sequence[Outcome]) -> str | None:
    figure, interval = mean_of(name, outcomes), interval_of(name, outcomes)
    return f"{figure:.2f} ({interval[0]:.2f}–{interval[1]:.2f})" if figure is not None and interval else None


def _parts(asked: Sequence[Asked]) -> dict[str, list[Asked]]:
    books = sorted({question.outcome.book for question in asked})
    if len(books) > 1:
        return {book: [question for question in asked if question.outcome.book == book] for book in books}
    # Answerable and unanswerable questions are spread evenly over the parts, whatever the order of the file.
    spread = sorted(asked, key=lambda question: question.outcome.answerable)
    return {f"part {number + 1}": spread[number::FOLDS] for number in range(FOLDS)}


def _judged(asked: Sequence[Asked]) -> list[Judged]:
    """Return the questions to fit to: without those refused for being in another language than the book."""
    own = (question for question in asked if not (question.outcome.told_language and question.outcome.refused))
    return [Judged(question.evidence, question.outcome.answerable, question.is_right) for question in own]


def _judged_by(policy: EvidencePolicy, asked: Asked) -> Outcome:
    """Return the outcome under this policy."""
    level = policy.level(asked.evidence, 0.0, 1)
    refused = level == "insufficient"
    return replace(asked.outcome, level=level, refused=refused, quoted_right=None if refused else asked.is_right)
