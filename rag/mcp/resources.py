"""Lessons as MCP resources: their URIs, the paged list, and the text of each."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote, unquote

from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextResourceContents,
)

from ingestion.errors import UsageError
from rag.mcp.tools import BookTools, ReadArguments
from rag.retrieval.catalogue import LessonEntry

MARKDOWN = "text/markdown"
PER_PAGE = 200
"""Resources per page of the list."""
COMPLETIONS = 100
"""Maximum completions per reply, a limit of the protocol."""


def lesson_uri(book_id: str, path: str) -> str:
    """Return the URI with which a client reads a lesson."""
    return f"{_prefix(book_id)}{quote(path)}"


async def list_resources(tools: BookTools, cursor: str | None) -> ListResourcesResult:
    """Return the next page of lessons inside the server's filters; raises MCPError for an invalid cursor."""
    start = _position(cursor)
    entries = await tools.lessons()
    book_id = await tools.settled_book()
    shown = entries[start : start + PER_PAGE]
    more = start + PER_PAGE < len(entries)
    return ListResourcesResult(
        resources=[_resource(book_id, entry) for entry in shown],
        next_cursor=str(start + PER_PAGE) if more else None,
    )


async def list_templates(tools: BookTools) -> ListResourceTemplatesResult:
    """Return the only template: that of lesson URIs."""
    template = ResourceTemplate(
        name="lesson",
        title="A lesson",
        uri_template=f"{_prefix(await tools.settled_book())}{{+lesson}}",
        description="A whole lesson as Markdown, by its path (`source_file`) or its `parent_doc_id`.",
        mime_type=MARKDOWN,
    )
    return ListResourceTemplatesResult(resource_templates=[template])


async def read_resource(tools: BookTools, uri: str) -> ReadResourceResult:
    """Return the text of a lesson; raises MCPError where there is none inside the server's filters."""
    reference = _reference(await tools.settled_book(), uri)
    return ReadResourceResult(contents=[await lesson_contents(tools, reference, uri)])


async def lesson_contents(tools: BookTools, reference: str, uri: str | None = None) -> TextResourceContents:
    """Return a lesson as the contents of a resource; raises MCPError where there is none inside the filters."""
    try:
        read = await tools.read_lesson(ReadArguments(reference=reference))
    except UsageError as error:
        raise MCPError(INVALID_PARAMS, str(error)) from error
    address = uri or lesson_uri(await tools.settled_book(), reference)
    return TextResourceContents(uri=address, mime_type=MARKDOWN, text=read.text)


def matching_paths(entries: Sequence[LessonEntry], begun: str) -> list[str]:
    """Return the paths that match a partial value: first those that begin with it, then those that contain it."""
    begins = [entry.source_file for entry in entries if entry.source_file.startswith(begun)]
    wanted = begun.casefold()
    contains = [entry.source_file for entry in entries if wanted in f"{entry.source_file} {entry.title}".casefold()]
    return list(dict.fromkeys((*begins, *contains)))


def _prefix(book_id: str) -> str:
    return f"bookwise://{quote(book_id, safe='')}/lessons/"


def _reference(book_id: str, uri: str) -> str:
    prefix = _prefix(book_id)
    # A client's URL library may write the host in lower case.
    if uri[: len(prefix)].casefold() != prefix.casefold() or len(uri) == len(prefix):
        raise MCPError(INVALID_PARAMS, f"no resource {uri!r}; lessons are at {prefix}PATH")
    return unquote(uri[len(prefix) :])


def _position(cursor: str | None) -> int:
    if cursor is None:
        return 0
    if not (cursor.isascii() and cursor.isdecimal() and len(cursor) < 10):
        raise MCPError(INVALID_PARAMS, f"invalid cursor {cursor[:40]!r}: pass `nextCursor` of the page before")
    return int(cursor)


def _resource(book_id: str, entry: LessonEntry) -> Resource:
    return Resource(
        name=entry.source_file,
        title=entry.title,
        uri=lesson_uri(book_id, entry.source_file),
        description=entry.description or None,
        mime_type=MARKDOWN,
    )
