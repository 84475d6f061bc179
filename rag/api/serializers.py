"""An agent's answer in the form of the HTTP API (docs/reference/http-api.md)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from uuid import UUID

from rag.agent.events import Searched
from rag.api.http.context import current_request
from rag.api.schemas import MAX_SOURCE_CHARS, ChatResponse, Source
from rag.conversations.models import ToolCall, iso, now
from rag.models import AgentResponse, Citation, SearchResult
from rag.quoting.next_sections import next_sections

_CHAPTER_FOLDER = re.compile(r"chapter[-_ ]?(\d{1,4})[-_. ]+(.+)", re.IGNORECASE)

ANSWERED = ("completed", "low_confidence")

SUFFICIENT_SCORE = 0.75
SUFFICIENT_COUNT = 3
"""What `has_sufficient_context` says of a search; whether there is an answer is what the policy decides."""


def chat_response(
    response: AgentResponse, found: Mapping[str, SearchResult], session_id: UUID, searches: Sequence[ToolCall] = ()
) -> ChatResponse:
    """Return the answer; `found` are the passages that were retrieved, by id, `searches` how they were."""
    metrics = response.metrics
    sources = tuple(_sources(response, found)) if response.state in ANSWERED else ()
    answered = bool(sources)
    level = metrics.confidence_level if metrics and answered else "insufficient"
    if metrics:
        metrics = metrics.model_copy(update={"confidence_level": level, "should_answer": answered})
    return ChatResponse(
        response=response.answer or response.error or "No answer.",
        confidence=metrics.average_similarity if metrics else 0.0,
        sources=sources,
        session_id=session_id,
        timestamp=iso(response.created_at),
        confidence_level=level,
        should_answer=answered,
        model=response.model,
        tokens_used=response.tokens_used,
        completion_tokens=response.completion_tokens,
        supported=response.supported,
        metrics=metrics,
        see_also=response.see_also,
        follow_ups=next_sections(found.values(), response.citations, response.see_also, question=response.query)
        if answered
        else (),
        searched_for=response.searched_for,
        hidden=response.hidden,
        error=response.error,
        request_id=current_request().request_id if response.error else None,
        replaced=response.replaced,
        retrieval_history=tuple(searches),
        excerpts=response.excerpts,
    )


def retrieval_of(event: Searched) -> dict[str, Any]:
    """Return what a search found as JSON, a chunk with its score and metadata in one object."""
    average = event.average_score
    return {
        "query": event.query,
        "passages": [source_of(passage).model_dump(mode="json") for passage in event.passages],
        "average_score": average,
        "has_sufficient_context": average >= SUFFICIENT_SCORE and len(event.passages) >= SUFFICIENT_COUNT,
    }


def tool_call_of(event: Searched) -> ToolCall:
    """Return a search that has just been made as an entry of the answer's history."""
    return ToolCall(event.query, len(event.passages), round(event.average_score, 4), iso(now()))


def source_of(passage: SearchResult, citation: Citation | None = None) -> Source:
    """Return a passage as a source; as much of its text as is displayed."""
    text = passage.text
    return Source(
        chunk_text=text if len(text) <= MAX_SOURCE_CHARS else text[: MAX_SOURCE_CHARS - 1] + "…",
        similarity_score=passage.score,
        chapter=chapter_of(passage),
        section=(citation.section_title if citation else None) or passage.section_title or passage.page_title,
        url=_address_of(passage, citation),
        chunk_index=passage.chunk_index,
        number=citation.number if citation else None,
        chunk_id=passage.id,
        page_title=passage.page_title,
        heading_path=heading_path_of(passage, citation),
        source_file=passage.source_file,
        line_start=citation.line_start if citation else passage.line_start,
        line_end=citation.line_end if citation else passage.line_end,
        content_hash=passage.content_hash,
        parent_doc_id=passage.parent_doc_id,
        verified=citation.verified if citation else True,
    )


def _address_of(passage: SearchResult, citation: Citation | None) -> str:
    """Return where what is cited stands; two sections of one passage have two addresses, on a site or in the file."""
    if citation is None:
        return passage.location
    return citation.page_url or f"{passage.source_file}:{citation.line_start}-{citation.line_end}"


def chapter_of(passage: SearchResult) -> str:
    """Return the chapter as the book's contents name it, else its folder, such as `Chapter 2: Robot systems`."""
    if passage.chapter is None or passage.chapter_title:
        return passage.chapter_title or passage.page_title
    folders = passage.source_file.split("/")[:-1]
    names = (_CHAPTER_FOLDER.fullmatch(folder) for folder in folders)
    found = next((name[2] for name in names if name and int(name[1]) == passage.chapter), "")
    words = " ".join(found.replace("-", " ").replace("_", " ").split())
    return f"Chapter {passage.chapter}: {words[0].upper()}{words[1:]}" if words else f"Chapter {passage.chapter}"


def heading_path_of(passage: SearchResult, citation: Citation | None) -> tuple[str, ...]:
    """Return the headings above what is cited; those of the passage itself stand above all of its sections only."""
    path, section = passage.heading_path, citation.section_title if citation else None
    if section is None:
        return path
    return path[: path.index(section) + 1] if section in path else (*path, section)


def _sources(response: AgentResponse, found: Mapping[str, SearchResult]) -> Iterable[Source]:
    """Return what is cited; an answer that cites nothing still shows what it was made from."""
    cited = [
        source_of(found[citation.chunk_id], citation) for citation in response.citations if citation.chunk_id in found
    ]
    shown = [passage for passage in response.passages.shown if passage in found]
    return cited or _without_repeats(source_of(found[passage]) for passage in shown or found)


def _without_repeats(sources: Iterable[Source]) -> list[Source]:
    """Return the sources, each place once: the same lines may be shown as parts of several passages."""
    return list(
        {
            (source.source_file, source.line_start, source.line_end, source.section): source for source in sources
        }.values()
    )
