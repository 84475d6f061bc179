"""The policies by which confidence is judged, one for each embedding model (DESIGN decision 8)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rag.models import ConfidenceLevel, Evidence

if TYPE_CHECKING:
    from ingestion.settings import Settings


@dataclass(frozen=True, slots=True)
class EvidencePolicy:
    """Judges by a logistic estimate that the passages answer, made of three pieces of evidence.

    `low`, `medium` and `high` are where each level begins on the estimate's scale of 0–1. Passages whose best cosine
    is below `least` have nothing to do with the question, whatever the rest says.
    """

    name: str
    bias: float
    gap: float
    known: float
    named: float
    low: float
    medium: float
    high: float
    least: float = 0.2

    def estimate(self, evidence: Evidence) -> float:
        """How likely the passages answer, 0–1."""
        if evidence.best < self.least:
            return 0.0
        pieces = self.gap * evidence.gap + self.known * evidence.known + self.named * evidence.named
        return 1.0 / (1.0 + math.exp(-(self.bias + pieces)))

    def level(self, evidence: Evidence, average: float, count: int) -> ConfidenceLevel:
        """The level of a search with `count` passages."""
        estimate = self.estimate(evidence) if count else 0.0
        if estimate >= self.high:
            return "high"
        if estimate >= self.medium:
            return "medium"
        return "low" if estimate >= self.low else "insufficient"


@dataclass(frozen=True, slots=True)
class AveragePolicy:
    """Judges by the mean cosine of the passages and their number (spec 004): each level's least cosine and count."""

    name: str
    high: tuple[float, int]
    medium: tuple[float, int]
    low: tuple[float, int]

    def level(self, evidence: Evidence, average: float, count: int) -> ConfidenceLevel:
        """The level of `count` passages with this mean cosine."""
        levels: tuple[tuple[ConfidenceLevel, tuple[float, int]], ...] = (
            ("high", self.high),
            ("medium", self.medium),
            ("low", self.low),
        )
        for level, (cosine, least) in levels:
            if average >= cosine and count >= least:
                return level
        return "insufficient"


Policy = EvidencePolicy | AveragePolicy

SPEC = AveragePolicy("spec", high=(0.85, 5), medium=(0.75, 3), low=(0.60, 2))
"""The numbers of specification 004."""

MINILM = EvidencePolicy("minilm", bias=-5.4, gap=15.0, known=3.3, named=1.9, low=0.32, medium=0.5, high=0.7)
"""Fitted on five books: 53 questions they answer, worded unlike the book, and 300 they do not (README "Measured")."""

BY_MODEL = {"all-MiniLM-L6-v2": MINILM}
"""By the beginning of the embedding model's name."""


def policy_of(embedding: str, settings: Settings | None = None) -> Policy:
    """The policy for an embedding model such as `all-MiniLM-L6-v2-int8/1`.

    The settings' own one where it was fitted to this model, else the built-in one; a model without any gets that of
    MiniLM, two of whose three pieces of evidence do not depend on the model.
    """
    if settings is not None:
        if settings.confidence.policy == "spec":
            return SPEC
        if settings.confidence.model == embedding and settings.confidence.weights and settings.confidence.levels:
            return EvidencePolicy("fitted", *settings.confidence.weights, *settings.confidence.levels)
    return next((policy for name, policy in BY_MODEL.items() if embedding.startswith(name)), MINILM)
