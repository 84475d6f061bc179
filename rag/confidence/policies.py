"""The policies by which confidence is judged, one for each embedding model (decision 8 in docs/design.md)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ingestion.versions import same_model
from rag.models import ConfidenceLevel, Evidence

if TYPE_CHECKING:
    from ingestion.settings import Settings

FEW_NAMED = 0.5
"""Share of what a question names up to which passages that lack it are about something else."""

MOSTLY_REACHED = 0.75
"""Share of the question's BM25 score from which passages may answer without its names, as for a pasted message."""

OFF_SUBJECT_KNOWN = 0.5
"""Share of the question's words below which a book that has nothing near the question is about something else."""


WEIGHTS = ("bias", "gap", "known", "named", "reached", "length", "heeded")
"""The order of a fitted policy's weights in the settings; the last three are younger."""


@dataclass(frozen=True, slots=True)
class Sureness:
    """Judges how likely what is quoted holds the answer, once the blocks are ranked: a logistic estimate, 0–1.

    It is made of the policy's own estimate, of the score of the best block, and of its lead over the next section.
    `medium` and `high` are where these levels begin.
    """

    bias: float
    estimate: float
    spot: float
    lead: float
    medium: float
    high: float

    def of(self, estimate: float, spot: float, lead: float) -> float:
        """Return it for an estimate of the policy, 0–1."""
        bounded = min(0.999, max(0.001, estimate))
        odds = math.log(bounded / (1.0 - bounded))
        return 1.0 / (1.0 + math.exp(-(self.bias + self.estimate * odds + self.spot * spot + self.lead * lead)))


@dataclass(frozen=True, slots=True)
class EvidencePolicy:
    """Judges by a logistic estimate that the passages answer, made of pieces of evidence.

    `low`, `medium` and `high` are where each level begins on the estimate's scale of 0–1; where the blocks were
    ranked, `sureness` tells `medium` and `high` instead, if there is one. Passages whose best cosine is below `least`
    have nothing to do with the question, whatever the rest says; from `near` on they are on its subject.
    """

    name: str
    bias: float
    gap: float
    known: float
    named: float
    reached: float = 0.0
    length: float = 0.0
    heeded: float = 0.0
    low: float = 0.39
    medium: float = 0.7
    high: float = 0.85
    least: float = 0.2
    near: float = 0.3
    sureness: Sureness | None = None

    def estimate(self, evidence: Evidence) -> float:
        """Return how likely the passages answer, 0–1; 0 where they lack most of what the question names."""
        is_about_others = evidence.named <= FEW_NAMED and evidence.reached < MOSTLY_REACHED
        if evidence.best < self.least or is_about_others:
            return 0.0
        pieces = (
            self.gap * evidence.gap
            + self.known * evidence.known
            + self.named * evidence.named
            + self.reached * evidence.reached
            + self.length * evidence.length
            + self.heeded * evidence.heeded
        )
        return 1.0 / (1.0 + math.exp(-(self.bias + pieces)))

    @property
    def reads_each_word(self) -> bool:
        """Whether it asks how far the best passage heeds each word of the question."""
        return self.heeded > 0

    def level(self, evidence: Evidence, average: float, count: int) -> ConfidenceLevel:
        """Return the level of a search with `count` passages."""
        estimate = self.estimate(evidence) if count else 0.0
        if estimate < self.low:
            return "insufficient"
        reached, medium, high = estimate, self.medium, self.high
        if self.sureness and evidence.spot is not None and evidence.lead is not None:
            reached = self.sureness.of(estimate, evidence.spot, evidence.lead)
            medium, high = self.sureness.medium, self.sureness.high
        return "high" if reached >= high else "medium" if reached >= medium else "low"

    def is_off_subject(self, evidence: Evidence) -> bool:
        """Return whether the book is plainly about something else: nothing is near, and it lacks the words too."""
        return evidence.best < self.near and evidence.known < OFF_SUBJECT_KNOWN


@dataclass(frozen=True, slots=True)
class AveragePolicy:
    """Judges by the mean cosine of the passages and their number: each level's least cosine and count."""

    name: str
    high: tuple[float, int]
    medium: tuple[float, int]
    low: tuple[float, int]

    @property
    def reads_each_word(self) -> bool:
        """Whether it asks how far the best passage heeds each word: it asks for cosines alone."""
        return False

    def level(self, evidence: Evidence, average: float, count: int) -> ConfidenceLevel:
        """Return the level of `count` passages with this mean cosine."""
        levels: tuple[tuple[ConfidenceLevel, tuple[float, int]], ...] = (
            ("high", self.high),
            ("medium", self.medium),
            ("low", self.low),
        )
        for level, (cosine, least) in levels:
            if average >= cosine and count >= least:
                return level
        return "insufficient"

    def is_off_subject(self, evidence: Evidence) -> bool:
        """Return whether the book lacks most of the question's words."""
        return evidence.known < OFF_SUBJECT_KNOWN and evidence.best < self.low[0]


Policy = EvidencePolicy | AveragePolicy

SPEC = AveragePolicy("spec", high=(0.85, 5), medium=(0.75, 3), low=(0.60, 2))
"""Mean cosines and counts, fitted on nothing: for vectors of text-embedding-3 and where no other policy is known."""

MINILM = EvidencePolicy(
    "minilm",
    bias=-26.287,
    gap=6.388,
    known=2.907,
    named=1.016,
    reached=3.797,
    length=4.976,
    heeded=18.163,
    low=0.279,
    medium=0.61,
    high=0.8,
    sureness=Sureness(bias=-1.83, estimate=0.25, spot=4.5, lead=2.0, medium=0.55, high=0.74),
)
"""Fitted on six books: 207 questions that they answer, many worded unlike the book, and 135 that they do not.

The sureness is fitted to which quotes are right, on 96 answers from two books. `high` begins where nine in ten of
these are right (51 of 56); on five other books it is right for 32 of 35, with 34 % of what they answer. The best
block carries most of it; the lead tells much on one of the books and nothing on the other, so that its weight is half
of what the first one gives it.
"""

WORDS = EvidencePolicy(
    "words", bias=-10.711, gap=0.0, known=5.93, named=1.525, reached=3.788, length=4.675, low=0.39, medium=0.7,
    high=0.85, least=0.0, near=0.0,
)  # fmt: skip
"""For a model whose cosines nobody has measured: the same questions judged by the book's words alone."""

OPENAI = replace(WORDS, name="openai", least=0.1, near=0.25)
"""For OpenAI's embedding models: by words; a cosine next to nothing on their scale is refused whatever they say."""

BY_MODEL = {"all-MiniLM-L6-v2": MINILM, "text-embedding-3": OPENAI}
"""By the beginning of the embedding model's name."""


def policy_of(embedding: str, settings: Settings | None = None) -> Policy:
    """Return the policy for an embedding model such as `all-MiniLM-L6-v2-int8/2`.

    The settings' own one if it was fitted to this model, else the built-in one; a model without any is judged by
    evidence that does not depend on the model.
    """
    if settings is not None:
        confidence = settings.confidence
        if confidence.policy == "spec":
            return SPEC
        own = confidence.fitted
        if own.model is not None and same_model(own.model, embedding) and own.weights and own.levels:
            low, medium, high = own.levels
            weights: dict[str, Any] = dict(zip(WEIGHTS, own.weights, strict=False))
            return EvidencePolicy("fitted", low=low, medium=medium, high=high, **weights)
    return next((policy for name, policy in BY_MODEL.items() if embedding.startswith(name)), WORDS)
