"""Search results and answers as plain text, ready to be printed."""

from __future__ import annotations

from ingestion.views import View
from rag.models import AgentResponse, Citation, SearchResponse, SearchResult

PREVIEW_CHARS = 300


def search_view(response: SearchResponse) -> View:
    """The ranked passages, each with where it stands and how it begins."""
    if not response.results:
        return [f"Nothing found in {response.book_id} with {_fences(response)}."]
    return [
        *(_passage(result) for result in response.results),
        f"{len(response.results)} of {response.total_found} chunks of {response.book_id}, {_fences(response)}",
    ]


def answer_view(response: AgentResponse) -> View:
    """The answer with its numbered sources (the footer of spec 002)."""
    if not response.citations:
        return [response.answer]
    note = ["(quoted from the book; no language model was used)\n"] if response.model == "extractive" else []
    return [*note, f"{response.answer}\n", "Sources:", *(_source(citation) for citation in response.citations)]


def _fences(response: SearchResponse) -> str:
    module = f", module {response.module_filter}" if response.module_filter else ""
    return f"hardware tier {response.hardware_tier_filter} or lower{module}"


def _passage(result: SearchResult) -> str:
    path = " › ".join(dict.fromkeys((result.page_title, *result.heading_path)))
    body = " ".join(line for line in result.text.split("\n") if not line.startswith("#")).split()
    preview = " ".join(body)
    short = preview if len(preview) <= PREVIEW_CHARS else preview[:PREVIEW_CHARS].rsplit(" ", 1)[0] + " …"
    place = f"{result.module}, tier {result.hardware_tier}, {result.proficiency_level}, {result.layer}"
    return f"{result.rank}. {path}  (score {result.score:.2f}; {place})\n   {result.location}\n   {short}\n"


def _source(citation: Citation) -> str:
    section = citation.section_title
    section = f" › {section}" if section and section != citation.page_title else ""
    where = citation.page_url or f"{citation.source_file}:{citation.line_start}-{citation.line_end}"
    return f"[{citation.number}] {citation.page_title}{section}, {where} (score: {citation.score:.2f})"
