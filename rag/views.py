"""Search results and answers as plain text, ready to be printed."""

from __future__ import annotations

from ingestion.output import Block, Link, Markdown, Part, View
from rag.models import AgentResponse, Citation, SearchResponse, SearchResult

PREVIEW_CHARS = 300

_REASONS = {
    "nothing_indexed": "no lesson of the book is inside these filters",
    "nothing_relevant": "nothing in the book is near this question",
    "nothing_more": "what the book says on this was quoted already",
    "not_answered": "the book has passages about this, but they do not seem to answer; `bookwise search` shows them",
}


def search_view(response: SearchResponse, *, explain: bool = False) -> View:
    """The ranked passages, each with where it stands and how it begins; whole where they were widened."""
    if not response.results:
        return [f"Nothing found in {response.book_id} with {_fences(response)}."]
    return [
        *(part for result in response.results for part in _passage(result, explain=explain)),
        *(_evidence(response) if explain else ()),
        f"{len(response.results)} of {response.total_found} chunks of {response.book_id}, {_fences(response)}",
    ]


def refusal_note(response: AgentResponse) -> str:
    """Why there is no answer."""
    reason = response.metrics.reason if response.metrics else None
    return f"no answer: {response.error or _REASONS[reason or 'not_answered']}"


def answer_view(response: AgentResponse) -> View:
    """The answer with its numbered sources (the footer of spec 002)."""
    note = ["(quoted from the book; no language model was used)", ""] if response.is_quoted else []
    return [*note, Markdown(response.answer), *sources_view(response)]


def sources_view(response: AgentResponse) -> View:
    """The numbered sources, and what of the answer they do not hold."""
    if response.state in ("no_results", "error"):
        return []
    sources = [_source(citation) for citation in response.citations]
    return [*(("", "---", "**Sources:**", *sources) if sources else ()), *_doubts(response)]


def _doubts(response: AgentResponse) -> list[str]:
    """What a reader must check for himself."""
    doubts = [f"Not supported by its source: {sentence}" for sentence in response.unsupported]
    if not response.citations:
        doubts.append("The answer cites nothing from the book.")
    if response.passages.dropped:
        doubts.append(f"{response.passages.dropped} references to something that was not found were left out.")
    if response.error:
        doubts.append(f"Note: {response.error}.")
    return ["", *doubts] if doubts else []


def _fences(response: SearchResponse) -> str:
    module = f", module {response.module_filter}" if response.module_filter else ""
    tier = response.hardware_tier_filter
    return f"hardware tier {tier}{' or lower (--tier 4 sees all)' if tier < 4 else ''}{module}"


def _passage(result: SearchResult, *, explain: bool) -> list[Part]:
    path = " › ".join(dict.fromkeys((result.page_title, *result.heading_path)))
    file = f"{result.source_file}:{result.line_start}-{result.line_end}"
    lines: list[Part] = [f"{result.rank}. {path}  (score {result.score:.2f}; {', '.join(_place(result))})"]
    if result.location != file:
        lines.append(Link(f"   {result.location}", result.location))
    lines.append(f"   {file}")
    if explain:
        lines.append(f"   {_origin(result)}")
    return [*lines, _text(result), ""]


def _place(result: SearchResult) -> list[str]:
    """The module, and of tier, level and layer what the author declared."""
    told = {
        "hardware_tier": f"tier {result.hardware_tier}",
        "proficiency_level": result.proficiency_level,
        "layer": result.layer,
    }
    return [result.module, *(text for name, text in told.items() if name in result.declared)]


def _text(result: SearchResult) -> Part:
    if result.is_widened:
        return Block("\n".join(f"   {line}".rstrip() for line in result.text.split("\n")))
    body = " ".join(line for line in result.text.split("\n") if not line.startswith("#")).split()
    preview = " ".join(body)
    short = preview if len(preview) <= PREVIEW_CHARS else preview[:PREVIEW_CHARS].rsplit(" ", 1)[0] + " …"
    return f"   {short}"


def _origin(result: SearchResult) -> str:
    """How the rank came about."""
    dense = f"{_rank(result.dense_rank)} by meaning (cosine {result.score:.2f})"
    keyword = f"{_rank(result.keyword_rank)} by words"
    if result.keyword_score is not None:
        keyword += f" (BM25 {result.keyword_score:.1f})"
    rerank = f", reranked {result.rerank_score:.2f}" if result.rerank_score is not None else ""
    neighbours = f"chunk {result.chunk_index + 1} of {result.total_chunks}"
    return f"{dense}, {keyword}, relevance {result.relevance:.2f}{rerank}; {neighbours} of its lesson"


def _rank(rank: int | None) -> str:
    return f"rank {rank}" if rank is not None else "unranked"


def _evidence(response: SearchResponse) -> list[str]:
    evidence = response.evidence
    return [
        f"Evidence: best cosine {evidence.best:.2f}, {evidence.gap:.2f} above the next nine; "
        f"{evidence.known:.0%} of the question's words known to the book, "
        f"{evidence.named:.0%} of its names in the passages; diversity {evidence.diversity:.2f}"
    ]


def _source(citation: Citation) -> Part:
    section = citation.section_title
    section = f" › {section}" if section and section != citation.page_title else ""
    doubt = "; not verified" if not citation.verified else ""
    file = f"{citation.source_file}:{citation.line_start}-{citation.line_end}"
    text = f"[{citation.number}] {citation.page_title}{section}, {citation.page_url or file}"
    text += f" (score: {citation.score:.2f}{doubt})"
    return Link(text, citation.page_url) if citation.page_url else text
