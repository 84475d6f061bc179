"""Search for what was asked and judge whether the book answers it, before anything is generated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ingestion.vector_stores.bm25 import document_vector
from rag.agent.follow_ups import asks_for_more, leans_back, new_words
from rag.agent.prompts import DISCLAIMER
from rag.confidence import assess, confidence
from rag.confidence.policies import policy_of
from rag.filters import Filters, SearchMode
from rag.retrieval.retriever import Retriever

if TYPE_CHECKING:
    from rag.models import AnswerState, Confidence, ConfidenceMetrics, SearchResponse


MAX_PASSAGES = 20
"""How many passages a search gives at most (spec 003)."""


@dataclass(frozen=True, slots=True)
class GatedResult:
    """What a search found and how far it can be trusted to answer."""

    response: SearchResponse
    metrics: ConfidenceMetrics

    def about(self, words: frozenset[int]) -> GatedResult:
        """As it is, but no answer where no passage has any of these words (BM25 terms), if there are any."""
        held = any(words & set(document_vector(result.text).indices) for result in self.response.results)
        if held or not words or not self.metrics.should_answer:
            return self
        refused = {"confidence_level": "insufficient", "should_answer": False, "reason": "not_answered"}
        return GatedResult(self.response, self.metrics.model_copy(update=refused))

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
class RetrievalGate:
    """Searches one book for one caller; the filters are the caller's, and nothing asked can widen them.

    Passages with a cosine below `min_score` are left out.
    """

    retriever: Retriever
    filters: Filters
    top_k: int
    min_score: float
    mode: SearchMode = "hybrid"

    def find(self, question: str, *, top_k: int | None = None, min_score: float = 0.0) -> GatedResult:
        """The passages and their judgement; raises UsageError for a question or a filter that cannot be used."""
        response = self.retriever.search(
            question,
            limit=top_k or self.top_k,
            filters=self.filters,
            mode=self.mode,
            min_score=max(self.min_score, min_score),
        )
        return GatedResult(
            response, assess(response, policy_of(self.retriever.embedder.model, self.retriever.settings))
        )

    def find_for(self, question: str, topic: str | None) -> GatedResult:
        """As `find`; a question that leans on what was asked, or finds nothing alone, goes on from the topic."""
        if topic is None:
            return self.find(question)
        if asks_for_more(question, topic):
            return self.find(topic)
        together = f"{topic}\n{question}"
        first, second = (together, question) if leans_back(question) else (question, together)
        for text in (first, second):
            result = self.find(text)
            if text == together:
                result = result.about(new_words(question, topic))
            if result.metrics.should_answer:
                return result
        return result

    def widen(self, result: GatedResult) -> GatedResult:
        """The same judgement with as many passages as a search gives."""
        response = self.find(result.response.query, top_k=MAX_PASSAGES).response
        return GatedResult(response, result.metrics)
