"""Ask questions with known answers, and record the outcome of each."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

from ingestion.errors import UsageError
from ingestion.markdown.cleaner import searchable
from ingestion.vector_stores.filters import of_book
from rag.evaluation.answer_metrics import answer_outcome
from rag.evaluation.facts import filler, holds_fact
from rag.evaluation.metrics import DEEPEST, Outcome
from rag.evaluation.questions import (
    EvalQuestion,
    as_title,
    check_pages,
    check_sections,
    folder_of,
    is_right_page,
    titles_of,
)
from rag.filters import Filters
from rag.models import EXTRACTIVE, AgentResponse, Evidence, SearchResponse, SearchResult
from rag.quoting.extractive import quote
from rag.quoting.follow_ups import topic_of
from rag.quoting.search_gate import GatedResult, RetrievalGate
from rag.retrieval.retriever import Retriever
from rag.serving.embedders import SharedEmbedder

Answerer = Callable[[str, Retriever, Filters], AgentResponse]
"""Answers a question inside the filters, with or without a language model."""

LOOKED_AT = 1_000
"""Number of characters within which an answer must contain the expected fact."""

OTHER_LANGUAGE = "lang"
"""Kind of question: not in the language of the book."""

OPEN_TIER = 1
"""Each question is asked again with the narrowest filter, so that a leak through it shows."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question's outcome with the evidence for its confidence.

    `is_right` says whether the quote is right, or would be if the question was refused; None if unknown.
    """

    outcome: Outcome
    evidence: Evidence
    is_right: bool | None = None


def evaluate(
    questions: Sequence[EvalQuestion],
    retrievers: Sequence[Retriever],
    *,
    answer: Answerer | None = None,
    quotes: bool = True,
    calibrates: bool = False,
) -> list[Asked]:
    """Ask each question of its book, and an unanswerable one without a book of all; skips questions of other books.

    With `quotes` the answer without a language model is judged too, which embeds the blocks of the passages;
    otherwise only the question is embedded, once. With `calibrates` all evidence that a policy may use is computed.
    Raises UsageError if no question is about any of the books, or a question does not say which book it is about or
    names a page or section that is not in the index.
    """
    _check_books(questions, retrievers)
    looking = _Looking(quotes, calibrates)
    asked = [each for retriever in retrievers for each in _ask_of(retriever, questions, answer, looking)]
    if not asked:
        named = sorted({question.book for question in questions if question.book})
        books = ", ".join(retriever.book_id for retriever in retrievers)
        raise UsageError(f"the questions are about {', '.join(named)}, the index holds {books}; see --corpus")
    return asked


def _check_books(questions: Sequence[EvalQuestion], retrievers: Sequence[Retriever]) -> None:
    if len(retrievers) > 1 and any(question.answerable and question.book is None for question in questions):
        raise UsageError("the questions do not name a book and the index has several; choose one with --book")


@dataclass(frozen=True, slots=True)
class _Looking:
    """How thoroughly a question's passages are examined."""

    quotes: bool
    words: bool


def _ask_of(
    retriever: Retriever, questions: Sequence[EvalQuestion], answer: Answerer | None, looking: _Looking
) -> Iterator[Asked]:
    """Ask a book its questions, if it answers any, after checking that all pages they name are in the index."""
    own = [question for question in questions if question.book in (retriever.book_id, None)]
    written_for = [question for question in own if question.answerable]
    if not written_for:
        return
    paths = list(retriever.store.values("source_file", of_book(retriever.book_id)))
    folder = folder_of(written_for, paths)
    check_pages(written_for, folder, paths)
    check_sections(written_for, folder, titles_of(retriever.store, retriever.book_id))
    remembering = replace(retriever, embedder=SharedEmbedder(retriever.embedder))
    for question in own:
        yield _ask(question, remembering, folder, answer, looking)


def _ask(
    question: EvalQuestion, retriever: Retriever, folder: str, answer: Answerer | None, looking: _Looking
) -> Asked:
    filters = Filters(hardware_tier=question.tier)
    started = time.perf_counter()
    retriever.embedder.embed_query(searchable(question.text))
    milliseconds = (time.perf_counter() - started) * 1000
    gated, quoted = _quoted(question, retriever, filters, looking)
    started = time.perf_counter()
    response = retriever.search(gated.response.query, limit=DEEPEST, filters=filters)
    milliseconds += (time.perf_counter() - started) * 1000
    narrow = retriever.search(question.text, limit=DEEPEST, filters=Filters(hardware_tier=OPEN_TIER))
    is_right = partial(is_right_page, question, folder=folder)
    right = [question.answerable and is_right(result.source_file) for result in response.results]
    in_section = [ok and _is_of_section(question, each) for ok, each in zip(right, response.results, strict=True)]
    answered = answer(question.text, retriever, filters) if answer else None
    metrics = gated.metrics
    outcome = Outcome(
        id=question.id,
        book=retriever.book_id,
        language=question.language,
        answerable=question.answerable,
        has_section=question.answerable and question.section is not None,
        page_rank=_first(right),
        section_rank=_first(in_section),
        refused=not metrics.should_answer,
        level=metrics.confidence_level,
        passages=len(response.results) + len(narrow.results),
        leaks=len([*_leaks(response, retriever.book_id), *_leaks(narrow, retriever.book_id)]),
        milliseconds=milliseconds,
        kind=question.kind,
        **_of_quote(question, quoted),
        answered_right=_is_answered(question, answered) if answered else None,
        is_quoted=looking.quotes,
        question=question.text,
        found=next(map(_place, response.results), None),
        answer=answer_outcome(answered, is_right) if answered and answered.model != EXTRACTIVE else None,
    )
    return Asked(outcome, gated.response.evidence, _is_right(question, gated, quoted, retriever))


def _place(result: SearchResult) -> str:
    return " › ".join((result.source_file, *result.heading_path))


def _quoted(
    question: EvalQuestion, retriever: Retriever, filters: Filters, looking: _Looking
) -> tuple[GatedResult, AgentResponse | None]:
    """Return the search result, and the answer without a language model as `ask` gives it; None without `quotes`."""
    agent = retriever.settings.agent
    gate = RetrievalGate(
        retriever,
        filters,
        agent.top_k,
        agent.score_threshold,
        reads_blocks=looking.quotes,
        reads_words=looking.words,
    )
    started = time.perf_counter()
    gated = gate.find_for(question.text, topic_of([Earlier(turn) for turn in question.history]))
    return gated, quote(question.text, gated, retriever, started=started) if looking.quotes else None


def _is_right(
    question: EvalQuestion, gated: GatedResult, quoted: AgentResponse | None, retriever: Retriever
) -> bool | None:
    """Return whether the quote contains the fact; a refused question is quoted as well, to judge other policies."""
    if quoted is None or not question.answerable:
        return None
    if not quoted.citations:
        quoted = quote(question.text, gated.answering(), retriever, started=time.perf_counter())
    return holds_fact(question, quoted.answer[:LOOKED_AT])


@dataclass(frozen=True, slots=True)
class Earlier:
    """An earlier question of the conversation."""

    content: str
    role: Literal["user"] = "user"


def _of_quote(question: EvalQuestion, quoted: AgentResponse | None) -> dict[str, Any]:
    """Return the fields of the outcome about the quoted answer, none without one."""
    if quoted is None:
        return {}
    return {
        "quoted_right": holds_fact(question, quoted.answer[:LOOKED_AT]) if quoted.citations else None,
        "filler": filler(question, quoted.answer) if quoted.citations else None,
        "told_language": _told_language(question, quoted),
    }


def _told_language(question: EvalQuestion, quoted: AgentResponse) -> bool | None:
    """Return whether a question in another language than the book is answered, or refused for that reason."""
    if question.kind != OTHER_LANGUAGE or not question.answerable:
        return None
    if quoted.citations:
        return holds_fact(question, quoted.answer) is not False
    return quoted.metrics is not None and quoted.metrics.reason == "other_language"


def _first(right: Sequence[bool]) -> int | None:
    return right.index(True) + 1 if True in right else None


def _is_of_section(question: EvalQuestion, result: SearchResult) -> bool:
    """Return whether the passage lies in the section, or the section begins in it."""
    titles = (*result.heading_path, *result.section_titles, result.page_title)
    return question.section is not None and as_title(question.section) in map(as_title, titles)


def _leaks(response: SearchResponse, book_id: str) -> Iterator[SearchResult]:
    for result in response.results:
        if result.book_id != book_id or result.hardware_tier > response.hardware_tier_filter:
            yield result


def _is_answered(question: EvalQuestion, answer: AgentResponse) -> bool | None:
    """Return whether the answer has the expected facts, or refuses as expected; None if nothing is expected."""
    if not question.answerable:
        return not answer.citations
    return holds_fact(question, answer.answer)
