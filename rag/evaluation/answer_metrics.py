"""Measures of a language model's answers to the questions of an evaluation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

if TYPE_CHECKING:
    from rag.models import AgentResponse

Ending = Literal["answered", "refused", "not_asked", "failed"]
"""`refused`: the model read the passages and refused; `not_asked`: the search found nothing that could answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerOutcome:
    """One answer. Of its `cited_sentences`, `supported_sentences` are supported by the passages they cite.

    `dropped` counts references to passages that were not shown. `cites_right_page` follows the question's own labels,
    whatever the check of the sentences says.
    """

    model: str
    ending: Ending
    cited_sentences: int = 0
    supported_sentences: int = 0
    true_citations: int = 0
    cites_right_page: bool = False
    dropped: int = 0
    tokens: int = 0
    milliseconds: float = 0.0


def answer_outcome(response: AgentResponse, is_right_page: Callable[[str], bool]) -> AnswerOutcome:
    """Return the outcome of an answer; `is_right_page` says whether a source file answers the question."""
    return AnswerOutcome(
        model=response.model,
        ending=_ending(response),
        cited_sentences=response.cited_sentences,
        supported_sentences=response.cited_sentences - len(response.unsupported or ()),
        true_citations=sum(citation.verified for citation in response.citations),
        cites_right_page=any(is_right_page(citation.source_file) for citation in response.citations),
        dropped=response.passages.dropped,
        tokens=response.tokens_used,
        milliseconds=response.total_time_ms,
    )


def _ending(response: AgentResponse) -> Ending:
    if response.state == "error":
        return "failed"
    if response.state != "no_results":
        return "answered"
    return "refused" if response.metrics and response.metrics.should_answer else "not_asked"


def answer_totals(answers: Sequence[AnswerOutcome]) -> dict[str, Any]:
    """Return the counts over all answers, as a JSON object; `endings` counts each way an answer ended."""
    endings = [answer.ending for answer in answers]
    return {
        "model": ", ".join(sorted({answer.model for answer in answers})),
        "endings": {ending: endings.count(ending) for ending in get_args(Ending)},
        "cited_sentences": sum(answer.cited_sentences for answer in answers),
        "supported_sentences": sum(answer.supported_sentences for answer in answers),
        "dropped": sum(answer.dropped for answer in answers),
        "tokens": sum(answer.tokens for answer in answers),
    }
