"""The tool that a language model searches with: its schema, its arguments, its results."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rag.models import SearchResult

from ingestion.errors import InvalidToolCall
from rag.chat_model.tool_names import ALIAS, MAX_ARGUMENT_CHARS, TOOL_ARGUMENTS, TOOL_NAME
from rag.query_text import TOO_SHORT, may_be_searched

MAX_QUERY_CHARS = 1_000
"""Maximum length of a search; a longer one is an invalid call."""

MAX_TOP_K = 20

TOOL: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": TOOL_NAME,
        "description": (
            "Search the book documentation for relevant information based on a question or topic. "
            "Returns chunks of text from the book with metadata about their source."
        ),
        "parameters": {
            "type": "object",
            "properties": {
                "query": {
                    "type": "string",
                    "description": "The question or topic to search for in the documentation",
                },
                "top_k": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": MAX_TOP_K,
                    "description": "Number of most relevant chunks to retrieve (default: 5)",
                    "default": 5,
                },
                "similarity_threshold": {
                    "type": "number",
                    "minimum": 0.0,
                    "maximum": 1.0,
                    "description": "Minimum similarity score for results (0.0-1.0, default: 0.0)",
                    "default": 0.0,
                },
            },
            "required": ["query"],
        },
    },
}


@dataclass(frozen=True, slots=True)
class SearchCall:
    """A valid call; `top_k` is None if the model did not set it."""

    query: str
    top_k: int | None
    similarity_threshold: float


def parse_call(name: str, arguments: str) -> SearchCall:
    """Return the call with its arguments, `top_k` clamped to 1 to 20; raises InvalidToolCall."""
    if name not in (TOOL_NAME, ALIAS):
        raise InvalidToolCall(f"unknown tool {name!r}; use {TOOL_NAME}")
    given = _object(arguments)
    query = given.get("query")
    said = query.strip() if isinstance(query, str) else ""
    if not may_be_searched(said) or len(said) > MAX_QUERY_CHARS:
        raise InvalidToolCall(f"query must be text of {TOO_SHORT}, and at most {MAX_QUERY_CHARS}", said[:80])
    unknown = sorted(given.keys() - set(TOOL_ARGUMENTS))
    if unknown:
        known = ", ".join(TOOL_ARGUMENTS)
        raise InvalidToolCall(f"unknown argument {', '.join(unknown)[:200]}; known are {known}", said)
    return SearchCall(said, _top_k(given.get("top_k"), said), _threshold(given, said))


def results_json(passages: Sequence[tuple[str, SearchResult]], query: str) -> str:
    """Return the results of a search as JSON, each with the id to cite."""
    results = [
        {
            "passage_id": passage_id,
            "chunk_text": passage.text,
            "page_title": passage.page_title,
            **({"chapter": passage.chapter_title} if passage.chapter_title else {}),
            "section_heading": passage.section_title,
            "source_url": passage.location,
            "similarity_score": round(passage.score, 3),
            "rank": rank,
        }
        for rank, (passage_id, passage) in enumerate(passages, 1)
    ]
    return json.dumps({"results": results, "total_results": len(results), "query": query}, ensure_ascii=False)


def error_json(message: str, query: str) -> str:
    """Return the reply to a failed call."""
    return json.dumps({"error": message, "query": query}, ensure_ascii=False)


def _object(arguments: str) -> dict[str, Any]:
    if len(arguments) > MAX_ARGUMENT_CHARS:
        raise InvalidToolCall("the arguments are too long")
    try:
        given = json.loads(arguments)
    except (ValueError, RecursionError):
        given = None
    if not isinstance(given, dict):
        raise InvalidToolCall('the arguments must be one JSON object, for example {"query": "what to search for"}')
    return given


def _top_k(raw: Any, query: str) -> int | None:
    if raw is None:
        return None
    if isinstance(raw, bool) or not isinstance(raw, int | float) or raw != raw:
        raise InvalidToolCall(f"top_k must be a whole number from 1 to {MAX_TOP_K}", query)
    return int(min(MAX_TOP_K, max(1, raw)))


def _threshold(given: dict[str, Any], query: str) -> float:
    raw = given.get("similarity_threshold") or 0.0
    if isinstance(raw, bool) or not isinstance(raw, int | float) or not 0.0 <= raw <= 1.0:
        raise InvalidToolCall("similarity_threshold must be a number from 0 to 1", query)
    return float(raw)
