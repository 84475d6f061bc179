"""A conversation in the terminal: its turns, its filters and its slash commands."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import aclosing, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from uuid import UUID

from ingestion.errors import UnknownThread
from ingestion.extras import extra_needed
from ingestion.settings import Settings
from rag.agent.events import Done, Replaced, Searched, Token
from rag.conversations.models import Message, new_thread_id, parse_thread_id
from rag.filters import Filters, SearchMode
from rag.grounding.citations import CiteStyle

if TYPE_CHECKING:
    from rag.agent.agent import Agent
    from rag.conversations.store import ThreadStore
    from rag.models import AgentResponse

NEW = "new"
"""Requests a thread with a new id."""


class KeptThread:
    """One thread of the store, created at the first turn. Raises StateError if the database fails."""

    def __init__(self, store: ThreadStore, thread_id: UUID) -> None:
        self.thread_id = thread_id
        self._store = store

    def messages(self) -> list[Message]:
        """Return the messages so far, oldest first; none in a new thread."""
        try:
            return self._store.all_messages(self.thread_id)
        except UnknownThread:
            return []

    def append(self, messages: Sequence[Message]) -> None:
        """Append one turn."""
        try:
            self._store.append(self.thread_id, messages)
        except UnknownThread:
            self._store.create(self.thread_id)
            self._store.append(self.thread_id, messages)

    def renew(self) -> None:
        """Continue in a new thread; the current one stays."""
        self.thread_id = new_thread_id()


@contextmanager
def open_thread(settings: Settings, session: str) -> Iterator[KeptThread]:
    """Return the thread with this id, or a new one for NEW; raises UsageError for an invalid id."""
    with extra_needed("api", "`chat --session` needs"):
        from rag.conversations.database import database_of
        from rag.conversations.store import ThreadStore

    thread_id = new_thread_id() if session == NEW else parse_thread_id(session)
    database = database_of(settings)
    try:
        with database.write():
            pass  # fail before the first question if nothing can be saved
        yield KeptThread(ThreadStore(database), thread_id)
    finally:
        database.close()


HELP = """\
/sources   the sources of the last answer
/searches  the searches of this conversation
/filters   the filters of every search
/new       start a new conversation
/save FILE write the conversation to a file, as Markdown
/quit      leave (so does the end of input)"""


@dataclass(slots=True)
class ChatSession:
    """One conversation at a time with an agent; `filters` apply to every question.

    `write` gets each piece of an answer as it comes. `thread` stores the conversation.
    """

    agent: Agent
    filters: Filters
    max_turns: int
    write: Callable[[str], None]
    cite_style: CiteStyle = "number"
    thread: KeptThread | None = None
    mode: SearchMode = "hybrid"
    messages: list[Message] = field(default_factory=list)
    searches: list[Searched] = field(default_factory=list)
    last: AgentResponse | None = None

    @property
    def turns(self) -> int:
        """The number of answered questions, including refusals."""
        return len(self.messages) // 2

    @property
    def is_full(self) -> bool:
        """Whether the conversation has reached its turn limit."""
        return self.turns >= self.max_turns

    def begin(self) -> None:
        """Forget the conversation, and store the next one as another thread."""
        if self.thread:
            self.thread.renew()
        self.messages.clear()
        self.searches.clear()
        self.last = None

    async def ask(self, question: str) -> AgentResponse:
        """Answer within the conversation; a failed question leaves it unchanged. Raises as `Agent.run`."""
        searches = []
        async with aclosing(
            self.agent.run(
                question,
                self.messages,
                self.filters,
                mode=self.mode,
                cite_style=self.cite_style,
            )
        ) as events:
            async for event in events:
                if isinstance(event, Searched):
                    searches.append(event)
                elif isinstance(event, Token):
                    self.write(event.text)
                elif isinstance(event, Replaced):
                    self.write(event.preamble + event.text)
                elif isinstance(event, Done):
                    self.last = event.response
        assert self.last is not None
        similarity = self.last.metrics.average_similarity if self.last.metrics else None
        turn = (Message("user", question), Message("assistant", self.last.answer, confidence=similarity))
        self.messages += turn
        self.searches += searches
        if self.thread:
            self.thread.append(turn)
        return self.last

    def as_markdown(self) -> str:
        """Return the conversation as Markdown."""
        names = {"user": "Question", "assistant": "Answer"}
        return "".join(f"## {names[message.role]}\n\n{message.content}\n\n" for message in self.messages)
