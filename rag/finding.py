"""Search for what was asked and judge whether the book answers it, before anything is generated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rag.confidence import assess, confidence
from rag.policies import policy_of
from rag.prompts import DISCLAIMER
from rag.reader import Reader

if TYPE_CHECKING:
    from rag.models import AnswerState, Confidence, ConfidenceMetrics, SearchResponse


@dataclass(frozen=True, slots=True)
class Finding:
    """What a search found and how far it can be trusted to answer."""

    response: SearchResponse
    metrics: ConfidenceMetrics

    @property
    def confidence(self) -> Confidence:
        """Spec 000's scale; never high where the answer is a refusal."""
        if self.metrics.should_answer:
            return confidence(self.response)
        return "low" if self.response.results else "none"

    @property
    def state(self) -> AnswerState:
        """How an answer from it ends (spec 000)."""
        if not self.metrics.should_answer:
            return "no_results"
        return "low_confidence" if self.metrics.confidence_level == "low" else "completed"

    @property
    def disclaimer(self) -> str:
        """What an answer from it begins with, empty unless confidence is low."""
        return DISCLAIMER if self.metrics.confidence_level == "low" else ""


@dataclass(frozen=True, slots=True)
class Finder:
    """Searches one book for one caller; the fences are the caller's, and nothing asked can widen them.

    `fences` are fields of SearchQuery; passages with a cosine below `min_score` are left out.
    """

    reader: Reader
    fences: Mapping[str, Any]
    top_k: int
    min_score: float

    def find(self, question: str, *, top_k: int | None = None, min_score: float = 0.0) -> Finding:
        """The passages and their judgement; raises UsageError for a question or a fence that cannot be used."""
        response = self.reader.search(question, limit=top_k or self.top_k, filters=self.fences)
        least = max(self.min_score, min_score)
        results = tuple(result for result in response.results if result.score >= least)
        if len(results) < len(response.results):
            response = response.model_copy(update={"results": results})
        return Finding(response, assess(response, policy_of(self.reader.embedder.model, self.reader.settings)))

    def find_for(self, question: str, topic: str | None) -> Finding:
        """As `find`; a question that finds no answer by itself is taken to go on from the topic."""
        finding = self.find(question)
        if topic is None or finding.metrics.should_answer:
            return finding
        together = self.find(f"{topic}\n{question}")
        return together if together.metrics.should_answer else finding
