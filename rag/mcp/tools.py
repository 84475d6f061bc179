"""The tools for agents over one book: their arguments, their results, and filters that no call can widen."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from ingestion.errors import ChatModelError
from ingestion.output import Table, View
from rag.agent.agent import FailureTeller, build_agent
from rag.agent.events import Done, Searched, Token
from rag.agent.rehearsal import rehearse
from rag.agent.tool_loop import NO_ANSWER
from rag.api.schemas import LessonDocument
from rag.filters import Filters
from rag.models import AgentResponse, LongEnough, SearchResponse, SearchResult
from rag.retrieval.abandonment import in_thread
from rag.retrieval.catalogue import LessonEntry, list_lessons
from rag.retrieval.filter_schema import FilterFields, filter_schema
from rag.retrieval.filters import check_values, narrowed, where_of
from rag.retrieval.lessons import read_lesson
from rag.retrieval.retriever import Retriever
from rag.serving.shared_index import SharedIndex
from rag.views import answer_view, refusal_note

logger = logging.getLogger(__name__)


def passages_text(response: SearchResponse) -> str:
    """Return each passage with its place and full text; this may be all that a client passes to its model."""
    if not response.results:
        return f"Nothing found in {response.book_id} inside these filters."
    return "\n\n".join(map(_passage, response.results))


def lessons_text(listed: LessonList) -> str:
    """Return one line per lesson, and how to get the next page."""
    if not listed.lessons:
        return f"No lessons of {listed.book_id} inside these filters, or none after this offset."
    lines = [f"- {lesson.title} (source_file: {lesson.source_file})" for lesson in listed.lessons]
    more = (
        []
        if listed.next_offset is None
        else [f"{listed.total} lessons in all; go on with offset {listed.next_offset}."]
    )
    return "\n".join([*lines, *more])


def answer_text(response: AgentResponse) -> str:
    """Return the answer and its sources, or why there is none."""
    text = _lines(answer_view(response))
    return f"{text}\n({refusal_note(response)})" if response.state in ("no_results", "error") else text


def _passage(result: SearchResult) -> str:
    file = f"{result.source_file}:{result.line_start}-{result.line_end}"
    url = "" if result.location == file else f"{result.location}\n"
    return f"{result.rank}. {result.path} (score {result.score:.2f})\n{url}source_file: {file}\n\n{result.text}"


def _lines(view: View) -> str:
    return "\n".join(str(part) for part in view if not isinstance(part, Table))


NARROWING = ("hardware_tier", "module", "proficiency_levels", "language", "docs_version")
"""The filters that a caller may set inside those of the server."""

if TYPE_CHECKING:
    _FilterFields = FilterFields
else:
    _FilterFields = filter_schema(*NARROWING, is_narrowing=True)


class _Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class SearchArguments(_FilterFields):
    """Arguments of `search_lessons`."""

    query: Annotated[str, Field(max_length=4000, description="What to look for, in plain words."), LongEnough()]
    limit: Annotated[int, Field(strict=True, ge=1, le=20, description="Maximum number of passages.")] = 5


class ListArguments(_FilterFields):
    """Arguments of `list_lessons`."""

    offset: Annotated[
        int,
        Field(strict=True, ge=0, description="Number of lessons to skip: `next_offset` of the previous page."),
    ] = 0
    limit: Annotated[int, Field(strict=True, ge=1, le=500, description="Maximum number of lessons.")] = 100


class ReadArguments(_Arguments):
    """Arguments of `read_lesson`."""

    reference: Annotated[
        str,
        Field(
            min_length=1, max_length=1000, description="`source_file` or `parent_doc_id` of a passage or citation."
        ),
    ]


class AskArguments(_FilterFields):
    """Arguments of `ask`."""

    question: Annotated[str, Field(max_length=4000, description="One self-contained question."), LongEnough()]


class LessonList(BaseModel):
    """Lessons in the order of the book; `total` counts all inside the filters."""

    book_id: str
    total: int
    lessons: tuple[LessonEntry, ...]
    next_offset: int | None = Field(description="`offset` of the next page; null on the last page.")


def tell_all(failure: ChatModelError) -> str:
    """Log a failure and return its full message, for agents of the user who started the server."""
    logger.warning("%s", failure)
    return str(failure)


Progress = Callable[[str], Awaitable[None]]
"""Sends the client a progress message."""


async def no_progress(_: str) -> None:
    """Send no progress."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Result of a tool: the document for programs, the text for readers."""

    document: BaseModel
    text: str


class BookTools:
    """The tools over one book, inside filters; used from one event loop.

    Every tool raises BookwiseErrors. The book is the configured one, or the only one in the index at the first call.
    `tell_failure` takes a failure of the language model and returns the message for the agent.
    """

    def __init__(
        self, index: SharedIndex, filters: Filters, *, with_model: bool, tell_failure: FailureTeller = tell_all
    ) -> None:
        self._index = index
        self._settings = index.settings
        self._filters = filters
        self._with_model = with_model
        self._tell_failure = tell_failure
        self.book_id = index.settings.book.id

    async def check(self) -> None:
        """Open the index once; raises UsageError for a filter value that the book does not have."""
        async with self._index.retriever(self.book_id, self._filters) as retriever:
            self.book_id = retriever.book_id
            await asyncio.to_thread(self._check, retriever)

    async def prepare(self) -> None:
        """Load what the first call needs; raises BookwiseErrors."""
        await rehearse(self._index)

    async def settled_book(self) -> str:
        """Return the id of the server's book, which may be known only from the index."""
        if self.book_id is None:
            async with self._index.retriever(None, self._filters) as retriever:
                self.book_id = retriever.book_id
        return self.book_id

    async def lessons(self, filters: Filters | None = None) -> list[LessonEntry]:
        """Return the lessons inside these filters, or inside the server's, in the order of the book."""
        modules = self._settings.modules
        async with self._index.retriever(self.book_id, self._filters) as retriever:
            self.book_id = retriever.book_id
            where = where_of(retriever.book_id, filters or self._filters, modules)
            entries = await in_thread(list_lessons, retriever.store, where, modules)
            if not entries and filters is not None:
                await asyncio.to_thread(
                    check_values, retriever.book_id, filters, retriever.store, modules, self._filters
                )
        return entries

    async def list_lessons(self, asked: ListArguments, _: Progress = no_progress) -> Answer:
        """Return a page of the lessons inside the filters."""
        entries = await self.lessons(self._narrowed(asked))
        end = asked.offset + asked.limit
        document = LessonList(
            book_id=await self.settled_book(),
            total=len(entries),
            lessons=tuple(entries[asked.offset : end]),
            next_offset=end if end < len(entries) else None,
        )
        return Answer(document, lessons_text(document))

    async def search_lessons(self, asked: SearchArguments, _: Progress = no_progress) -> Answer:
        """Return the passages nearest to a query."""
        filters = self._narrowed(asked)
        async with self._index.retriever(self.book_id, self._filters) as retriever:
            self.book_id = retriever.book_id
            found = await in_thread(retriever.search, asked.query, limit=asked.limit, filters=filters)
        return Answer(found, passages_text(found))

    async def read_lesson(self, asked: ReadArguments, _: Progress = no_progress) -> Answer:
        """Return a whole lesson; one outside the filters does not exist."""
        async with self._index.retriever(self.book_id, self._filters) as retriever:
            self.book_id = retriever.book_id
            within = where_of(retriever.book_id, self._filters, self._settings.modules)
            read = await in_thread(read_lesson, retriever.store, retriever.book_id, asked.reference, within)
        text = read.text()
        document = LessonDocument(
            title=read.title, parent_doc_id=read.chunks[0]["parent_doc_id"], text=text, chunks=read.chunks
        )
        return Answer(document, text)

    async def ask(self, asked: AskArguments, progress: Progress = no_progress) -> Answer:
        """Return an answer with numbered sources, or a refusal; reports each search and the start of the answer."""
        filters = self._narrowed(asked)
        async with self._index.retriever(self.book_id, self._filters) as retriever:
            self.book_id = retriever.book_id
            agent = build_agent(retriever, with_model=self._with_model, tell_failure=self._tell_failure)
            async with aclosing(agent), aclosing(agent.run(asked.question, filters=filters)) as events:
                is_writing = False
                async for event in events:
                    if isinstance(event, Searched):
                        await progress(f"searched for {event.query!r}: {len(event.passages)} passages")
                    elif isinstance(event, Token) and not is_writing:
                        is_writing = True
                        await progress("writing the answer")
                    elif isinstance(event, Done):
                        response = self._refused(event.response)
                        return Answer(response, answer_text(response))
        raise AssertionError("an agent ends with Done")

    def _refused(self, response: AgentResponse) -> AgentResponse:
        """Return the response without the service's own error text, which not every caller may read."""
        if response.state != "error":
            return response
        return response.model_copy(update={"error": self._tell_failure(ChatModelError(response.error or NO_ANSWER))})

    def _narrowed(self, asked: FilterFields) -> Filters:
        return narrowed(self._filters, asked.given_filters(), self._settings.modules)

    def _check(self, retriever: Retriever) -> None:
        modules = self._settings.modules
        if not retriever.store.count(where_of(retriever.book_id, self._filters, modules)):
            check_values(retriever.book_id, self._filters, retriever.store, modules)


@dataclass(frozen=True, slots=True)
class ToolKind:
    """How a tool is described to agents, and what runs it."""

    title: str
    description: str
    arguments: type[BaseModel]
    document: type[BaseModel]
    run: Callable[[BookTools, Any, Progress], Awaitable[Answer]]
    is_question: bool = False


TOOLS: Mapping[str, ToolKind] = {
    "search_lessons": ToolKind(
        "Search the lessons",
        "Find the passages of the book nearest to a query, best first, by meaning and by words. Use it to look "
        "something up, or to find a lesson for `read_lesson`.",
        SearchArguments,
        SearchResponse,
        BookTools.search_lessons,
    ),
    "list_lessons": ToolKind(
        "List the lessons",
        "List the lessons of the book in its order, with title, path, address and tier. Use it to see what the book "
        "covers, or to find a lesson by its place.",
        ListArguments,
        LessonList,
        BookTools.list_lessons,
    ),
    "read_lesson": ToolKind(
        "Read a lesson",
        "Read one whole lesson as Markdown, by the `source_file` or `parent_doc_id` of a passage.",
        ReadArguments,
        LessonDocument,
        BookTools.read_lesson,
    ),
    "ask": ToolKind(
        "Ask the book",
        "Answer one question from the book alone, with numbered sources, or say that the book does not answer it "
        "(state `no_results`). Earlier questions are not remembered.",
        AskArguments,
        AgentResponse,
        BookTools.ask,
        is_question=True,
    ),
}
