"""Define a conversation and its messages as frozen, self-validating values."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal, get_args
from uuid import UUID, uuid4

from ingestion.errors import UsageError

Role = Literal["user", "assistant", "system", "tool"]
"""Threads store only user and assistant messages; a conversation sent to a model has the others too."""

LIVE_MESSAGES = 50
"""Number of messages in a live thread; older ones are archived."""

TOPIC_EXCHANGES = 5
"""Number of exchanges from which a thread has a topic."""

TOPIC_CHARS = 200

MAX_FIELDS = 20
MAX_METADATA_CHARS = 4000
MAX_DEPTH = 20
"""Limits of a thread's metadata, as JSON: lists show all of it."""

NAME = "question"
"""The metadata field that names a thread until it has a topic."""


def now() -> datetime:
    """Return the current time in UTC."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One search for an answer: the query, the number of results, their mean score, and the time."""

    query: str
    results_count: int
    avg_similarity: float
    timestamp: str
    tool_name: str = "retrieve_documentation"


@dataclass(frozen=True, slots=True)
class Message:
    """Represent one message; `confidence` is None for a question.

    `answer` is what else is needed to show an answer again (its sources, how well it is supported), as JSON.
    `tool_calls` are the assistant's calls in the form of OpenAI's API, `tool_call_id` the call that a tool answers.
    """

    role: Role
    content: str
    timestamp: datetime = field(default_factory=now)
    confidence: float | None = None
    answer: Mapping[str, Any] | None = None
    tool_calls: tuple[Mapping[str, Any], ...] = ()
    tool_call_id: str | None = None

    def __post_init__(self) -> None:
        """Check the fields; raises ValueError."""
        is_answer, is_tool = self.role == "assistant", self.role == "tool"
        is_sure = self.confidence is None or (is_answer and 0.0 <= self.confidence <= 1.0)
        for is_right, fault in (
            (self.role in get_args(Role), f"role {self.role!r}: one of {', '.join(get_args(Role))}"),
            (self.content.strip() or self.tool_calls or is_tool, "a message must not be empty"),
            (self.timestamp.tzinfo is not None, "the time of a message must name its zone"),
            (is_sure, "confidence: 0–1, and only of an answer"),
            (is_answer or not self.tool_calls, "tool_calls: only of an answer"),
            (is_tool or self.tool_call_id is None, "tool_call_id: only of what a tool returned"),
        ):
            if not is_right:
                raise ValueError(fault)

    def as_json(self) -> dict[str, Any]:
        """Return one JSON object."""
        shown: dict[str, Any] = {"role": self.role, "content": self.content, "timestamp": iso(self.timestamp)}
        shown |= {} if self.confidence is None else {"confidence": self.confidence}
        return shown if self.answer is None else shown | {"answer": dict(self.answer)}

    def to_openai(self) -> dict[str, Any]:
        """Return the message in the form of OpenAI's API."""
        sent: dict[str, Any] = {"role": self.role, "content": self.content}
        sent |= {"tool_calls": [dict(call) for call in self.tool_calls]} if self.tool_calls else {}
        return sent if self.tool_call_id is None else sent | {"tool_call_id": self.tool_call_id}

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
    """Represent a thread with its last messages, oldest first."""

    messages: tuple[Message, ...] = ()

    def to_openai_messages(self, system: str | None = None) -> list[dict[str, Any]]:
        """Return the messages in the form of OpenAI's API, after the system message if one is given."""
        return to_openai_messages([*([Message("system", system)] if system else []), *self.messages])

    @property
    def needs_topic(self) -> bool:
        """Whether it is long enough for a topic and has none."""
        return self.topic_summary is None and self.message_count >= 2 * TOPIC_EXCHANGES


def to_openai_messages(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Return messages in the form of OpenAI's API."""
    return [message.to_openai() for message in messages]


def first_question(question: str) -> dict[str, str]:
    """Return the metadata of a thread that begins with this question; lists show it until there is a topic."""
    return {NAME: question[:TOPIC_CHARS]}


SHARED = "shared"
"""The metadata field with the secret of each shared answer, by the answer's number."""


def merged(metadata: Mapping[str, Any], change: Mapping[str, Any]) -> dict[str, Any]:
    """Return metadata with a change merged in (RFC 7396: null removes a field); the name is kept.

    Raises UsageError if the result would be too large.
    """
    result: dict[str, Any] = _merge_patch(
        metadata, {name: each for name, each in change.items() if name != NAME or each}
    )
    if len(result) > MAX_FIELDS:
        raise UsageError(f"metadata: a thread can have at most {MAX_FIELDS} fields")
    if len(json.dumps(result, ensure_ascii=False)) > MAX_METADATA_CHARS:
        raise UsageError(f"metadata: a thread can have at most {MAX_METADATA_CHARS} characters of JSON")
    return result


def _merge_patch(target: Any, change: Any) -> Any:
    if not isinstance(change, Mapping):
        return change
    result = dict(target) if isinstance(target, Mapping) else {}
    for name, value in change.items():
        if value is None:
            result.pop(name, None)
        else:
            result[name] = _merge_patch(result.get(name), value)
    return result


def iso(time: datetime) -> str:
    """Format a time as ISO 8601 in UTC with milliseconds."""
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
        raise UsageError(f"session id {text[:60]!r}: not a version 4 UUID")
    return thread_id


def new_thread_id() -> UUID:
    """Return a new id (version 4)."""
    return uuid4()
