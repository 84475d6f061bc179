"""Index a folder of lessons, search it and answer questions from it.

    import bookwise

    with bookwise.open_book("my-book") as book:
        book.ingest()
        for passage in book.search("How do nodes talk?", limit=3).results:
            print(passage.page_title, passage.location)
        answer = book.ask("How do nodes talk?", filters=bookwise.Filters(hardware_tier=2))
        print(answer.answer)
        for source in answer.citations:
            print(source.number, source.page_title, source.source_file, source.line_start)

The names in `__all__` are stable; everything else in `ingestion` and `rag` is private. They are imported at their
first use, so that `import bookwise` itself costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from bookwise.shadowed import other_package

if TYPE_CHECKING:
    from ingestion.errors import BookwiseError as BookwiseError
    from ingestion.errors import ConfigurationError as ConfigurationError
    from ingestion.errors import LessonError as LessonError
    from ingestion.errors import RefusedByGuard as RefusedByGuard
    from ingestion.errors import SourceError as SourceError
    from ingestion.errors import UsageError as UsageError
    from ingestion.report import IngestReport as IngestReport
    from rag.agent.events import Done as Done
    from rag.agent.events import Event as Event
    from rag.agent.events import Replaced as Replaced
    from rag.agent.events import Searched as Searched
    from rag.agent.events import Token as Token
    from rag.conversations.models import Message as Message
    from rag.filters import Filters as Filters
    from rag.library import Book as Book
    from rag.library import open_book as open_book
    from rag.models import AgentResponse as AgentResponse
    from rag.models import Citation as Citation
    from rag.models import SearchResponse as SearchResponse
    from rag.models import SearchResult as SearchResult
    from rag.retrieval.lessons import LessonText as LessonText

_HOMES = {
    "AgentResponse": "rag.models",
    "Book": "rag.library",
    "BookwiseError": "ingestion.errors",
    "Citation": "rag.models",
    "ConfigurationError": "ingestion.errors",
    "Done": "rag.agent.events",
    "Event": "rag.agent.events",
    "Filters": "rag.filters",
    "IngestReport": "ingestion.report",
    "LessonError": "ingestion.errors",
    "LessonText": "rag.retrieval.lessons",
    "Message": "rag.conversations.models",
    "RefusedByGuard": "ingestion.errors",
    "Replaced": "rag.agent.events",
    "SearchResponse": "rag.models",
    "SearchResult": "rag.models",
    "Searched": "rag.agent.events",
    "SourceError": "ingestion.errors",
    "Token": "rag.agent.events",
    "UsageError": "ingestion.errors",
    "open_book": "rag.library",
}

__all__ = [
    "AgentResponse",
    "Book",
    "BookwiseError",
    "Citation",
    "ConfigurationError",
    "Done",
    "Event",
    "Filters",
    "IngestReport",
    "LessonError",
    "LessonText",
    "Message",
    "RefusedByGuard",
    "Replaced",
    "SearchResponse",
    "SearchResult",
    "Searched",
    "SourceError",
    "Token",
    "UsageError",
    "open_book",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'bookwise' has no attribute {name!r}")
    try:
        value = getattr(importlib.import_module(_HOMES[name]), name)
    except ModuleNotFoundError as error:
        package = _HOMES[name].partition(".")[0]
        if (other := other_package(package)) is None:
            raise
        raise ImportError(f"{other} stands in place of bookwise's own package `{package}`: rename it") from error
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
