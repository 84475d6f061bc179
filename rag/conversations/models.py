"""Define a conversation and its messages as frozen values that check themselves."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal, TypeVar
from uuid import UUID, uuid4

from ingestion.errors import UsageError

Role = Literal["user", "assistant"]

LIVE_MESSAGES = 50
"""Number of messages in a live thread; older ones are archived."""

TOPIC_EXCHANGES = 5
"""Number of exchanges from which a thread has a topic."""

TOPIC_CHARS = 200


T = TypeVar("T")
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def now() -> datetime:
    """Return the current time in UTC."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Message:
    """Hold one message; `confidence` is None for a question.

    `answer` is what else an answer needs to be shown again (its sources, how well it is supported), as JSON.
    """

    role: Role
    content: str
    timestamp: datetime = field(default_factory=now)
    confidence: float | None = None
    answer: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        """Check the fields; raises ValueError."""
        if self.role not in ("user", "assistant"):
            raise ValueError(f"role {self.role!r}: user or assistant")
        if not self.content.strip():
            raise ValueError("a message must not be empty")
        if self.timestamp.tzinfo is None:
            raise ValueError("the time of a message must name its zone")
        if self.confidence is not None and (self.role == "user" or not 0.0 <= self.confidence <= 1.0):
            raise ValueError("confidence: 0–1, and only of an answer")

    def as_json(self) -> dict[str, Any]:
        """Return one JSON object."""
        shown: dict[str, Any] = {"role": self.role, "content": self.content, "timestamp": iso(self.timestamp)}
        shown |= {} if self.confidence is None else {"confidence": self.confidence}
        return shown if self.answer is None else shown | {"answer": dict(self.answer)}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Message:
        """Return the message that `as_json` wrote."""
        return cls(
            stored["role"],
            stored["content"],
            datetime.fromisoformat(stored["timestamp"]),
            stored.get("confidence"),
            stored.get("answer"),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadSummary:
    """Describe a thread without its messages; `message_count` includes archived ones."""

    thread_id: UUID
    created_at: datetime
    updated_at: datetime
    topic_summary: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    message_count: int = 0
    archived: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationThread(ThreadSummary):
    """Hold a thread with its last messages, oldest first."""

    messages: tuple[Message, ...] = ()

    @property
    def needs_topic(self) -> bool:
        """Whether it is long enough for a topic and has none."""
        return self.topic_summary is None and self.message_count >= 2 * TOPIC_EXCHANGES


def first_question(question: str) -> dict[str, str]:
    """Return the metadata of a thread that begins with this question: lists show it until there is a topic."""
    return {"question": question[:TOPIC_CHARS]}


def storable(value: T) -> T:
    """Return a JSON value whose texts every database takes: without NUL, surrogates paired or replaced."""
    if isinstance(value, str):
        return clean_text(value)  # type: ignore[return-value]
    if isinstance(value, Mapping):
        return {storable(key): storable(item) for key, item in value.items()}  # type: ignore[return-value]
    if isinstance(value, list | tuple):
        return [storable(item) for item in value]  # type: ignore[return-value]
    return value


def clean_text(text: str) -> str:
    """Return the text with NUL and lone surrogates replaced by U+FFFD, and split surrogate pairs joined."""
    if not _UNSTORABLE.search(text):
        return text
    paired = text.replace("\x00", "\ufffd").encode("utf-16-le", "surrogatepass")
    return paired.decode("utf-16-le", "replace")


def iso(time: datetime) -> str:
    """Format a time as ISO 8601 in UTC with milliseconds, as in spec 004."""
    return time.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def check_alternation(last: Role | None, messages: Sequence[Message]) -> None:
    """Raise UsageError unless the roles alternate, the user first."""
    for message in messages:
        expected = "user" if last in (None, "assistant") else "assistant"
        if message.role != expected:
            raise UsageError(f"a message of the {expected} is next in this thread, not of the {message.role}")
        last = message.role


def parse_thread_id(text: str) -> UUID:
    """Parse the id of a thread; raises UsageError unless it is a UUID of version 4."""
    try:
        thread_id = UUID(text)
    except ValueError:
        raise UsageError(f"session id {text[:60]!r}: not a UUID") from None
    if thread_id.version != 4:
        raise UsageError(f"session id {text[:60]!r}: a UUID, but not of version 4")
    return thread_id


def new_thread_id() -> UUID:
    """Return a new id (version 4)."""
    return uuid4()
