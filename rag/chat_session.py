"""A conversation in the terminal: its turns, its filters, and the words that begin with a slash."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rag.conversation import Message
from rag.events import CiteStyle, Done, Searched, Token

if TYPE_CHECKING:
    from rag.agent import Agent
    from rag.kept_thread import KeptThread
    from rag.models import AgentResponse

HELP = """\
/sources   the sources of the last answer
/searches  what was searched for in this conversation
/filters   the filters that every search keeps to
/new       begin a new conversation
/save FILE write the conversation to a file, as Markdown
/quit      leave (so does the end of input)"""


@dataclass(frozen=True, slots=True)
class PastSearch:
    """One search of the conversation (spec 001 `ToolCall`)."""

    query: str
    results_count: int
    average_similarity: float


@dataclass(slots=True)
class ChatSession:
    """One conversation at a time with an agent; `filters` are the fences of every question.

    `write` takes each piece of an answer as it comes. `thread` keeps the conversation beyond the process.
    """

    agent: Agent
    filters: Mapping[str, Any]
    max_turns: int
    write: Callable[[str], None]
    cite_style: CiteStyle = "number"
    thread: KeptThread | None = None
    messages: list[Message] = field(default_factory=list)
    searches: list[PastSearch] = field(default_factory=list)
    last: AgentResponse | None = None

    @property
    def turns(self) -> int:
        """How many questions were answered, refusals included."""
        return len(self.messages) // 2

    @property
    def is_full(self) -> bool:
        """Whether the conversation has all the turns it may have (spec 002: 100 messages)."""
        return self.turns >= self.max_turns

    def begin(self) -> None:
        """Forget the conversation, and keep the next one as another thread."""
        if self.thread:
            self.thread.renew()
        self.messages.clear()
        self.searches.clear()
        self.last = None

    async def ask(self, question: str) -> AgentResponse:
        """Answer within the conversation; a question that fails leaves it as it was. Raises as `Agent.run`."""
        searches = []
        async with aclosing(
            self.agent.run(question, self.messages, self.filters, cite_style=self.cite_style)
        ) as events:
            async for event in events:
                if isinstance(event, Searched):
                    searches.append(_past(event))
                elif isinstance(event, Token):
                    self.write(event.text)
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
        """The conversation as a document."""
        names = {"user": "Question", "assistant": "Answer"}
        return "".join(f"## {names[each.role]}\n\n{each.content}\n\n" for each in self.messages)


def _past(event: Searched) -> PastSearch:
    scores = [passage.score for passage in event.passages]
    return PastSearch(event.query, len(scores), sum(scores) / len(scores) if scores else 0.0)
