"""Search for what was asked and judge whether the book answers it, before anything is generated."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ingestion.embedding.protocol import is_local
from ingestion.languages import DEFAULT_LANGUAGE, language_of, same_language
from ingestion.vector_stores.bm25 import document_vector, query_vector
from rag.confidence import assess, confidence_of
from rag.confidence.policies import Policy, policy_of
from rag.filters import Filters, SearchMode
from rag.grounding.sentences import sentence_spans
from rag.query_text import is_long_enough
from rag.quoting.follow_ups import asks_for_more, leans_back, new_words
from rag.quoting.named_sections import quoted_title, section_among
from rag.quoting.phrases import DISCLAIMER, phrase
from rag.quoting.question_kinds import QuestionKind
from rag.quoting.spots import Spots, defines, rank_spots
from rag.retrieval.retriever import Retriever

if TYPE_CHECKING:
    from rag.models import AnswerState, Confidence, ConfidenceLevel, ConfidenceMetrics, RefusalReason, SearchResponse


MAX_PASSAGES = 20
"""How many passages a search gives at most."""

MOST_WIDENED = 5
"""Beside how many of the best passages the next ones are looked at: as many as a search shows by default."""

STORY_WORDS = 40
STORY_SENTENCES = 3
"""A question with more words, or so many sentences, tells a story, of which one part is what is asked."""

MAX_PARTS = 6
"""How many parts of a story are searched for."""

MIN_SENTENCE_TERMS = 3
"""A sentence with fewer words, stop words left out, asks nothing by itself."""

KNOWN_WORDS = 0.5
"""Share of a question's words that the book must have where cosines tell little: of 30 that it answers 27 have it, of
12 that it does not answer none."""

_LEVELS = ("insufficient", "low", "medium", "high")


@dataclass(frozen=True, slots=True)
class GatedResult:
    """What a search found and how far it can be trusted to answer; `spots` where its blocks were looked at.

    `is_off_subject` where the book is plainly about something else, so that no language model need be asked.
    """

    response: SearchResponse
    metrics: ConfidenceMetrics
    spots: Spots | None = None
    is_off_subject: bool = False

    @property
    def question(self) -> str:
        """What was searched for, typos corrected."""
        return self.response.compared

    def about(self, words: frozenset[int]) -> GatedResult:
        """Return it as it is, but no answer where there are words (BM25 terms) of which no passage has any."""
        held = any(words & set(document_vector(result.text).indices) for result in self.response.results)
        return self if held or not words or not self.metrics.should_answer else self.refused("not_answered")

    def answering(self, level: ConfidenceLevel = "high") -> GatedResult:
        """Return the same passages, taken to answer whatever the policy says."""
        changes = {"confidence_level": level, "should_answer": True, "reason": None}
        return replace(self, metrics=self.metrics.model_copy(update=changes))

    def refused(self, reason: RefusalReason) -> GatedResult:
        """Return the same passages, which do not answer for this reason."""
        changes = {"confidence_level": "insufficient", "should_answer": False, "reason": reason}
        return replace(self, metrics=self.metrics.model_copy(update=changes))

    @property
    def confidence(self) -> Confidence:
        """How sure an answer is, which follows from the level."""
        return confidence_of(self.metrics.confidence_level)

    @property
    def state(self) -> AnswerState:
        """How an answer from it ends."""
        if not self.metrics.should_answer:
            return "no_results"
        return "low_confidence" if self.metrics.confidence_level == "low" else "completed"

    @property
    def disclaimer(self) -> str:
        """What an answer from it begins with, empty unless confidence is low."""
        return phrase(DISCLAIMER, self.question) if self.metrics.confidence_level == "low" else ""


@dataclass(frozen=True, slots=True)
class RetrievalGate:
    """Searches one book for one caller; the filters are the caller's, and nothing asked can widen them.

    Passages with a cosine below `min_score` are left out. With `reads_blocks` the blocks of the passages are judged
    too, as needed for a quotation; a language model reads them itself. With `reads_words` the evidence tells how far
    each word of the question is heeded, exactly and even where the policy does not ask for it.
    """

    retriever: Retriever
    filters: Filters
    top_k: int
    min_score: float
    mode: SearchMode = "hybrid"
    reads_blocks: bool = False
    reads_words: bool = False

    def find(
        self, question: str, *, top_k: int | None = None, min_score: float = 0.0, is_answered: bool = False
    ) -> GatedResult:
        """Return the passages and their judgement; raises UsageError for a question or a filter that cannot be
        used.

        Where another search has found what answers (`is_answered`), its words are not read one by one: that costs an
        embedding per word, and the other judgement counts.
        """
        response = self.retriever.search(
            question,
            limit=top_k or self.top_k,
            filters=self.filters,
            mode=self.mode,
            min_score=max(self.min_score, min_score),
            to_answer=True,
        )
        response, section = self._with_section(response, quoted_title(question))
        spots = None
        if self.reads_blocks:
            response, spots = self._with_spots(self._with_definition(response), section)
        policy = policy_of(self.retriever.embedder.model, self.retriever.settings)
        if not is_answered:
            response = self._with_words_read(response, policy)
        is_foreign = _is_foreign(question, response)
        is_off_subject = not response.results or (policy.is_off_subject(response.evidence) and not is_foreign)
        result = GatedResult(_with_quotable(response, spots), assess(response, policy), spots, is_off_subject)
        return self._decided(question, result, policy, is_foreign=is_foreign, has_section=bool(section))

    def _decided(
        self, question: str, result: GatedResult, policy: Policy, *, is_foreign: bool, has_section: bool
    ) -> GatedResult:
        """Return it as an answer or as a refusal with its reason, given what is known beside the evidence."""
        if has_section and (result.is_off_subject or not result.metrics.should_answer):
            return _judged_by_its_best_block(replace(result.answering(), is_off_subject=False))
        if reason := self._reason_to_refuse(question, result, is_foreign=is_foreign):
            return result.refused(reason)
        if not (result.is_off_subject or is_foreign) and _is_in_its_words(question, result, policy):
            result = result.answering("low")
        return _judged_by_its_best_block(result)

    def _reason_to_refuse(self, question: str, result: GatedResult, *, is_foreign: bool) -> RefusalReason | None:
        """Return why what the policy judged is refused all the same, or for another reason."""
        answers = result.metrics.should_answer
        if is_foreign and not answers and result.response.results:
            return "other_language"
        is_small_talk = self.reads_blocks and QuestionKind(question).is_small_talk
        return "nothing_relevant" if is_small_talk or (result.is_off_subject and answers) else None

    def find_for(self, question: str, topic: str | None) -> GatedResult:
        """See `find`; a question that leans on what was asked, or finds nothing alone, goes on from the topic."""
        if topic is None:
            return self._find_in_story(question)
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
        """Return the same judgement with as many passages as a search gives."""
        wide = self.find(result.response.query, top_k=MAX_PASSAGES)
        return replace(wide, metrics=result.metrics)

    def _with_section(self, response: SearchResponse, title: str | None) -> tuple[SearchResponse, str | None]:
        """Return it with the passage of a section first that the question quotes the title of, and that title; None
        where it quotes none.
        """
        if title is None or not is_long_enough(title):
            return response, None
        found = section_among((*response.results, *response.further), title)
        if found is None:
            by_title = self.retriever.search_words(title, limit=self.top_k, filters=self.filters)
            found = section_among(by_title.results, title)
        if found is None:
            return response, None
        others = [each for each in response.results if each.id != found.id][: max(0, self.top_k - 1)]
        ranked = [each.model_copy(update={"rank": rank}) for rank, each in enumerate((found, *others), 1)]
        return response.model_copy(update={"results": tuple(ranked)}), title

    def _with_spots(self, response: SearchResponse, section: str | None) -> tuple[SearchResponse, Spots]:
        """Return the blocks of what was found and of what stands beside the best of it, and the response weighed by
        them.
        """
        beside = self.retriever.beside(response.results[:MOST_WIDENED])
        beside = tuple(each for each in beside if not each.is_navigation)
        spots = rank_spots(response.compared, response.results, self.retriever.embedder, beside, section=section)
        best = spots.ranked[0].score if spots.ranked else 0.0
        weighed = {"spot": min(1.0, best), "lead": min(1.0, max(0.0, spots.lead))}
        evidence = response.evidence.model_copy(update=weighed)
        return response.model_copy(update={"evidence": evidence}), spots

    def _with_definition(self, response: SearchResponse) -> SearchResponse:
        """Return it with one passage more that defines what is asked for, where none of those found does."""
        kind = QuestionKind(response.compared)
        if kind.term is None or not response.results or any(defines(kind, each) for each in response.results):
            return response
        found = next((each for each in response.further if defines(kind, each)), None)
        return response.model_copy(update={"results": (*response.results, found)}) if found else response

    def _with_words_read(self, response: SearchResponse, policy: Policy) -> SearchResponse:
        """Return it with how far each word is heeded, as exactly as its level depends on it; a service that embeds
        would be asked once per word, so that it never is.
        """
        wanted = self.reads_words or policy.reads_each_word
        if not wanted or not response.results or not is_local(self.retriever.embedder):
            return response

        def is_settled(most: float, least: float) -> bool:
            levels = (assess(_heeding(response, heeded), policy).confidence_level for heeded in (most, least))
            return not self.reads_words and len(set(levels)) == 1

        return _heeding(response, self.retriever.heeded(response.compared, response.results[0], is_settled))

    def _find_in_story(self, question: str) -> GatedResult:
        """See `find`, for a story by whatever part of it finds most: parts are compared by their search alone."""
        parts = _parts_to_ask(question)
        if not parts:
            return self.find(question)
        quick = replace(self, reads_blocks=False, reads_words=False)
        policy = policy_of(self.retriever.embedder.model, self.retriever.settings)
        found = [quick.find(part, is_answered=True) for part in dict.fromkeys((question, *parts))]
        return self.find(max(found, key=lambda result: _strength(result, policy)).response.query)


def _with_quotable(response: SearchResponse, spots: Spots | None) -> SearchResponse:
    """Return it with those passages beside the ones that were found that may be quoted."""
    if spots is None:
        return response
    found = {result.id for result in response.results}
    beside = {spot.passage.id: spot.passage for spot in spots.quotable if spot.passage.id not in found}
    return response.model_copy(update={"results": (*response.results, *beside.values())}) if beside else response


def _heeding(response: SearchResponse, heeded: float) -> SearchResponse:
    return response.model_copy(update={"evidence": response.evidence.model_copy(update={"heeded": heeded})})


def _strength(result: GatedResult, policy: Policy) -> tuple[int, float]:
    evidence = result.response.evidence
    estimate = getattr(policy, "estimate", None)
    return _LEVELS.index(result.metrics.confidence_level), estimate(evidence) if estimate else evidence.best


def _parts_to_ask(question: str) -> Sequence[str]:
    """Return the sentences of a story that can be searched for, each with the one before it, which says what it is
    about; those that end in a question mark first.
    """
    sentences = [question[start:end] for start, end in sentence_spans(question)]
    if len(sentences) < STORY_SENTENCES and len(question.split()) <= STORY_WORDS:
        return ()
    parts = [
        " ".join(sentences[max(0, at - 1) : at + 1])
        for at, sentence in enumerate(sentences)
        if len(query_vector(sentence).indices) >= MIN_SENTENCE_TERMS
    ]
    return sorted(parts, key=lambda each: not re.search(r"[?？؟]\W*$", each))[:MAX_PARTS]


def _is_foreign(question: str, response: SearchResponse) -> bool:
    """Return whether the question is in another language than every passage that was found."""
    language = language_of(question)
    return language is not None and not any(same_language(language, result.language) for result in response.results)


def _is_in_its_words(question: str, result: GatedResult, policy: Policy) -> bool:
    """Return whether a refused question, in another language than the embedding model knows, is asked in the book's
    words: its cosines tell little then, and the best passage is mostly the right one.
    """
    is_unknown = policy.name == "minilm" and language_of(question) not in (None, DEFAULT_LANGUAGE)
    return is_unknown and not result.metrics.should_answer and result.response.evidence.known >= KNOWN_WORDS


def _judged_by_its_best_block(result: GatedResult) -> GatedResult:
    """Return the result, refused where the best place for the question is a section that says nothing yet.

    A block that lists or asks instead of telling, such as release notes, answers with low confidence at most,
    unless a number or a date is asked for.
    """
    spots = result.spots
    if not spots or not result.metrics.should_answer or not spots.ranked:
        return result
    best = spots.ranked[0]
    if not best.text:
        return result.refused("says_nothing_yet")
    block = spots.block(best)
    is_aside = block is not None and block.is_aside
    return result.answering("low") if is_aside and not QuestionKind(result.question).is_number else result
