"""The outcome of one question of an evaluation, and the measures over many."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from rag.evaluation.answer_metrics import AnswerOutcome

DEPTHS = (1, 3, 5, 10)
"""The k of recall@k."""

DEEPEST = DEPTHS[-1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One question asked of one book.

    `page_rank` and `section_rank` are those of the first right passage, None if none of the first DEEPEST is right;
    `section_rank` also if the question names no section. `passages` were checked against the filters, `leaks` lay
    outside. `answered_right` is None if no answer was requested or none is expected, `answer` if no model was asked.
    `is_quoted` says whether answers were quoted. `found` is the place of the first passage, right or not: its page,
    and its section if any.
    """

    id: str
    book: str
    language: str
    answerable: bool
    has_section: bool
    page_rank: int | None
    section_rank: int | None
    refused: bool
    level: str
    passages: int
    leaks: int
    milliseconds: float
    answered_right: bool | None = None
    kind: str = ""
    quoted_right: bool | None = None
    filler: float | None = None
    told_language: bool | None = None
    is_quoted: bool = True
    answer: AnswerOutcome | None = None
    question: str = ""
    found: str | None = None

    @property
    def key(self) -> tuple[str, str]:
        """The key by which two runs are paired."""
        return self.id, self.book


Measure = Callable[[Outcome], float | None]
"""Returns a figure of one outcome, None if it does not apply; the figure of many is their mean."""


def _recall(rank: int | None, depth: int) -> float:
    return float(rank is not None and rank <= depth)


def _page_recall(depth: int) -> Measure:
    return lambda outcome: _recall(outcome.page_rank, depth) if outcome.answerable else None


def _section_recall(depth: int) -> Measure:
    return lambda outcome: _recall(outcome.section_rank, depth) if outcome.has_section else None


def _reciprocal(rank: int | None) -> float:
    return 1.0 / rank if rank else 0.0


def _gain(rank: int | None) -> float:
    """Return nDCG for a single right passage."""
    return 1.0 / math.log2(1 + rank) if rank else 0.0


def _of_answer(figure: Callable[[AnswerOutcome], float | None]) -> Measure:
    """Return a measure over the answers of a language model."""
    return lambda outcome: figure(outcome.answer) if outcome.answer and outcome.answer.ending == "answered" else None


def _cites_right_page(outcome: Outcome) -> float | None:
    if outcome.answer is None or not outcome.answerable or outcome.answer.ending != "answered":
        return None
    return float(outcome.answer.cites_right_page)


def _support(answer: AnswerOutcome) -> float | None:
    return answer.supported_sentences / answer.cited_sentences if answer.cited_sentences else None


def _model_refused(*, answerable: bool) -> Measure:
    """Return whether the model refused, None if it was not asked."""

    def measure(outcome: Outcome) -> float | None:
        if (
            outcome.answer is None
            or outcome.answerable != answerable
            or outcome.answer.ending not in ("answered", "refused")
        ):
            return None
        return float(outcome.answer.ending == "refused")

    return measure


NEAR_MISS = "nearmiss"
"""Kind of question: on the book's subject, but not answered in it."""


def _right_at(level: str) -> Measure:
    """Return the measure of whether answers with this confidence are right, where that is known."""

    def measure(outcome: Outcome) -> float | None:
        is_given = outcome.is_quoted and outcome.level == level and not outcome.refused
        is_known = not outcome.answerable or outcome.quoted_right is not None
        return float(outcome.quoted_right or False) if is_given and is_known else None

    return measure


MEASURES: dict[str, Measure] = {
    **{f"file recall@{depth}": _page_recall(depth) for depth in DEPTHS},
    "file MRR": lambda outcome: _reciprocal(outcome.page_rank) if outcome.answerable else None,
    "file nDCG@10": lambda outcome: _gain(outcome.page_rank) if outcome.answerable else None,
    **{f"section recall@{depth}": _section_recall(depth) for depth in DEPTHS},
    "section MRR": lambda outcome: _reciprocal(outcome.section_rank) if outcome.has_section else None,
    "section nDCG@10": lambda outcome: _gain(outcome.section_rank) if outcome.has_section else None,
    "refusal precision": lambda outcome: float(not outcome.answerable) if outcome.refused else None,
    "refusal recall": lambda outcome: float(outcome.refused) if not outcome.answerable else None,
    "wrongly refused": lambda outcome: float(outcome.refused) if outcome.answerable else None,
    "near misses refused": lambda outcome: float(outcome.refused) if outcome.kind == NEAR_MISS else None,
    "quoted answers right": lambda outcome: None if outcome.quoted_right is None else float(outcome.quoted_right),
    "filler": lambda outcome: outcome.filler,
    "high is right": _right_at("high"),
    "medium is right": _right_at("medium"),
    "typos answered": lambda outcome: float(not outcome.refused) if outcome.kind == "typo" else None,
    "stories answered": lambda outcome: float(not outcome.refused) if outcome.kind == "long" else None,
    "other languages told truly": lambda outcome: (
        None if outcome.told_language is None else float(outcome.told_language)
    ),
    "answered right": lambda outcome: None if outcome.answered_right is None else float(outcome.answered_right),
    "cited sentences supported": _of_answer(_support),
    "answers with a true citation": _of_answer(lambda answer: float(answer.true_citations > 0)),
    "answers citing a right page": _cites_right_page,
    "refused by the model": _model_refused(answerable=False),
    "wrongly refused by the model": _model_refused(answerable=True),
}
"""By name; a page or section counts once, at the rank of its first passage."""

GATE = "file recall@5"
"""The measure that `--min-recall` checks."""


def mean_of(name: str, outcomes: Iterable[Outcome]) -> float | None:
    """Return a measure's mean over outcomes; None if it applies to none of them."""
    values = [value for outcome in outcomes if (value := MEASURES[name](outcome)) is not None]
    return fmean(values) if values else None


def leak_rate(outcomes: Sequence[Outcome]) -> float:
    """Return the share of passages outside the filters."""
    checked = sum(outcome.passages for outcome in outcomes)
    return sum(outcome.leaks for outcome in outcomes) / checked if checked else 0.0


def latency(milliseconds: Iterable[float], percent: int) -> float:
    """Return this percentile of the milliseconds per search or answer; 0 if there are none."""
    times = sorted(milliseconds)
    return times[min(len(times) - 1, math.ceil(len(times) * percent / 100) - 1)] if times else 0.0
