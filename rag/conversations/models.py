"""A conversation and its messages (spec 004 `ConversationThread`), as frozen values that hold their invariants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal
from uuid import UUID, uuid4

from ingestion.errors import UsageError

Role = Literal["user", "assistant"]

LIVE_MESSAGES = 50
"""How many messages a thread keeps at hand; older ones are archived."""

TOPIC_EXCHANGES = 5
"""From how many exchanges on a thread has a summary."""

TOPIC_CHARS = 200


def now() -> datetime:
    """This moment in UTC."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Message:
    """One message; `confidence` is the answer's, None for a question.

    `answer` is what else belongs to an answer that is shown again (its sources, how far it is supported), as JSON.
    """

    role: Role
    content: str
    timestamp: datetime = field(default_factory=now)
    confidence: float | None = None
    answer: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        """Raise ValueError for what no thread may hold."""
        if self.role not in ("user", "assistant"):
            raise ValueError(f"role {self.role!r}: user or assistant")
        if not self.content.strip():
            raise ValueError("a message must not be empty")
        if self.timestamp.tzinfo is None:
            raise ValueError("the time of a message must name its zone")
        if self.confidence is not None and (self.role == "user" or not 0.0 <= self.confidence <= 1.0):
            raise ValueError("confidence: 0–1, and only of an answer")

    def as_json(self) -> dict[str, Any]:
        """One JSON object (spec 004)."""
        shown: dict[str, Any] = {"role": self.role, "content": self.content, "timestamp": iso(self.timestamp)}
        shown |= {} if self.confidence is None else {"confidence": self.confidence}
        return shown if self.answer is None else shown | {"answer": dict(self.answer)}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Message:
        """The message that `as_json` wrote."""
        return cls(
            stored["role"],
            stored["content"],
            datetime.fromisoformat(stored["timestamp"]),
            stored.get("confidence"),
            stored.get("answer"),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadSummary:
    """A thread without its messages; `message_count` counts archived ones too."""

    thread_id: UUID
    created_at: datetime
    updated_at: datetime
    topic_summary: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    message_count: int = 0
    archived: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationThread(ThreadSummary):
    """A thread with its last messages, oldest first."""

    messages: tuple[Message, ...] = ()

    @property
    def needs_topic(self) -> bool:
        """Whether it is long enough for a summary and has none."""
        return self.topic_summary is None and self.message_count >= 2 * TOPIC_EXCHANGES


def first_question(question: str) -> dict[str, str]:
    """The metadata of a thread that begins with it: lists show it, since a summary comes later, or never."""
    return {"question": question[:TOPIC_CHARS]}


def iso(time: datetime) -> str:
    """ISO 8601 in UTC to the millisecond, as in spec 004."""
    return time.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def check_alternation(last: Role | None, messages: Sequence[Message]) -> None:
    """Raise UsageError unless the roles alternate, the user first."""
    for message in messages:
        expected = "user" if last in (None, "assistant") else "assistant"
        if message.role != expected:
            raise UsageError(f"a message of the {expected} is next in this thread, not of the {message.role}")
        last = message.role


def parse_thread_id(text: str) -> UUID:
    """The id of a thread; raises UsageError unless it is a UUID of version 4."""
    try:
        thread_id = UUID(text)
    except ValueError:
        raise UsageError(f"session id {text[:60]!r}: not a UUID") from None
    if thread_id.version != 4:
        raise UsageError(f"session id {text[:60]!r}: a UUID, but not of version 4")
    return thread_id


def new_thread_id() -> UUID:
    """A new id (version 4)."""
    return uuid4()
