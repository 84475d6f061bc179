"""What a tool's answer says to a reader: passages whole, answers with their sources."""

from __future__ import annotations

from ingestion.views import View
from rag.models import AgentResponse, SearchResponse, SearchResult
from rag.views import answer_view, refusal_note


def passages_text(response: SearchResponse) -> str:
    """Each passage with its place and its whole text; a client may hand its model nothing but this."""
    if not response.results:
        return f"Nothing found in {response.book_id} inside these fences."
    return "\n\n".join(map(_passage, response.results))


def answer_text(response: AgentResponse) -> str:
    """The answer and its sources, or why there is none."""
    text = _lines(answer_view(response))
    return f"{text}\n({refusal_note(response)})" if response.state in ("no_results", "error") else text


def _passage(result: SearchResult) -> str:
    path = " › ".join(dict.fromkeys((result.page_title, *result.heading_path)))
    file = f"{result.source_file}:{result.line_start}-{result.line_end}"
    url = "" if result.location == file else f"{result.location}\n"
    return f"{result.rank}. {path} (score {result.score:.2f})\n{url}source_file: {file}\n\n{result.text}"


def _lines(view: View) -> str:
    return "\n".join(part for part in view if isinstance(part, str))
