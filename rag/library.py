"""The public Python API behind `import bookwise`: open a book, ingest, search, read, ask."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, aclosing, closing
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Unpack

from ingestion.errors import SourceError, TooShort
from ingestion.settings import Settings
from ingestion.settings.loader import find_config, load
from ingestion.tokens import choose_tokenizer
from rag.filters import NO_FILTERS, Filters

if TYPE_CHECKING:
    from types import TracebackType

    from ingestion.models import IngestionMode
    from ingestion.report import IngestReport
    from rag.agent.events import Event
    from rag.models import AgentResponse, PastMessage, SearchResponse
    from rag.retrieval.lessons import LessonText
    from rag.retrieval.retriever import Retriever, SearchShape


def open_book(folder: str | Path = ".", settings: Mapping[str, Any] | None = None) -> Book:
    """Open the book that `folder` is or lies in, as the command line does.

    Settings come from `settings`, by name such as `{"book.id": "my-book"}`, then from the environment, the book's
    `bookwise.toml` and the user's configuration. The index lies in `.bookwise/` of the book's folder unless they say
    otherwise. Nothing is opened before the first use. Raises SourceError where there is no such folder, and
    ConfigurationError that lists every mistake.
    """
    start = Path(folder).absolute()
    if not start.is_dir():
        raise SourceError(f"{folder}: no such folder; name the folder of the book")
    loaded = load(settings or {}, config=find_config(start), folder=start).settings
    choose_tokenizer(loaded.chunk.tokenizer)
    return Book(loaded)


class Book:
    """A book that can be indexed, searched, read and asked; close it, or use it in a `with` block.

    Failures are raised as BookwiseErrors, whose message says what to do. Without `filters`, what a reader of hardware
    tier 1 sees is searched. Threads may share a book. While it is open for reading, no other process can open an
    embedded index.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._open = ExitStack()
        self._opening = Lock()
        self._retriever: Retriever | None = None

    def __enter__(self) -> Book:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Release the index; the next use opens it again."""
        with self._opening:
            self._retriever = None
            self._open.close()

    def ingest(self, mode: IngestionMode = "incremental", *, allow_delete: bool = False) -> IngestReport:
        """Make the index equal to the lessons; lessons that fail keep their old passages and are in the report.

        `incremental` looks at what changed, `full` at every lesson, `recreate` builds a new index and switches to it
        at the end. A run that would delete much of the book needs `allow_delete`.
        """
        return self._run(mode, dry_run=False, allow_delete=allow_delete)

    def plan(self, mode: IngestionMode = "incremental") -> IngestReport:
        """Return what `ingest` would do and what embedding would cost; change nothing."""
        return self._run(mode, dry_run=True, allow_delete=True)

    def search(
        self, question: str, *, limit: int = 5, filters: Filters = NO_FILTERS, **shape: Unpack[SearchShape]
    ) -> SearchResponse:
        """Return the best passages, best first, in `results`.

        `mode` ranks by meaning and words (`hybrid`) or one of them (`dense`, `keyword`); `expand` adds neighbouring
        chunks, `whole_lesson` shows whole lessons, `diverse` avoids passages that say the same. For a question of one
        or two characters that is no word of the book there are none.
        """
        reader = self._reader()
        try:
            return reader.search(question, limit=limit, filters=filters, **shape)
        except TooShort:
            return reader.nothing(question, filters)

    def lesson(self, reference: str, *, filters: Filters = NO_FILTERS) -> LessonText:
        """Return a lesson as it is indexed, by its path or parent id, within the filters."""
        from rag.retrieval.filters import where_of
        from rag.retrieval.lessons import read_lesson

        reader = self._reader()
        return read_lesson(
            reader.store, reader.book_id, reference, where_of(reader.book_id, filters, reader.settings.modules)
        )

    def ask(
        self,
        question: str,
        *,
        filters: Filters = NO_FILTERS,
        history: Sequence[PastMessage] = (),
        use_model: bool = True,
    ) -> AgentResponse:
        """Return an answer with its citations; its `state` is `no_results` if the book does not answer.

        `history` is the conversation so far, as `Message` or anything with `role` and `content`. Without a language
        model, or with `use_model` false, the book is quoted. Waits for the answer also where an
        event loop is running, as in a notebook; code of a server uses `stream`.
        """
        answering = self._ask(question, filters, history, use_model)
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return asyncio.run(answering)
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(asyncio.run, answering).result()

    async def stream(
        self,
        question: str,
        *,
        filters: Filters = NO_FILTERS,
        history: Sequence[PastMessage] = (),
        use_model: bool = True,
    ) -> AsyncGenerator[Event]:
        """Yield each search, the pieces of the answer as they come, and last `Done` with the whole answer."""
        from rag.agent.agent import build_agent

        reader = await asyncio.to_thread(self._reader)
        agent = build_agent(reader, with_model=use_model)
        async with aclosing(agent), aclosing(agent.run(question, history, filters)) as events:
            async for event in events:
                yield event

    async def _ask(
        self, question: str, filters: Filters, history: Sequence[PastMessage], use_model: bool
    ) -> AgentResponse:
        from rag.agent.events import Done

        events = self.stream(question, filters=filters, history=history, use_model=use_model)
        async with aclosing(events):
            async for event in events:
                if isinstance(event, Done):
                    return event.response
        raise AssertionError("an agent ends with Done")

    def _run(self, mode: IngestionMode, *, dry_run: bool, allow_delete: bool) -> IngestReport:
        from ingestion.books import book_to_write, lessons_of
        from ingestion.factory import build_parts
        from ingestion.sync.pipeline import ingest

        # The embedded index is open once only: for reading or for writing.
        self.close()
        with closing(build_parts(self._settings, new_index=mode == "recreate")) as parts:
            root = lessons_of(self._settings.folder, self._settings.book.docs)
            book_id = book_to_write(self._settings, root, parts.states, parts.generations)
            return ingest(parts, root, book_id=book_id, mode=mode, dry_run=dry_run, allow_delete=allow_delete)

    def _reader(self) -> Retriever:
        with self._opening:
            if self._retriever is None:
                from rag.retrieval.retriever import open_retriever

                self._retriever = self._open.enter_context(open_retriever(self._settings, only_searches=False))
            return self._retriever
