"""Define what the API takes and returns, checked by pydantic; its documentation shows the examples."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    WithJsonSchema,
    model_validator,
)

from ingestion.embedding.recipient import Recipient
from ingestion.models import IngestionMode, JobStatus
from rag.conversations.models import MAX_DEPTH, MAX_FIELDS, ToolCall
from rag.filters import SearchMode
from rag.models import (
    ConfidenceLevel,
    ConfidenceMetrics,
    FollowUp,
    HiddenPassages,
    LessonId,
    LongEnough,
    Place,
    QuotedExcerpt,
    Score,
    ThreadId,
    UuidText,
)
from rag.retrieval.filter_schema import FilterFields, filter_schema
from rag.valid_text import storable

SESSION = "550e8400-e29b-41d4-a716-446655440000"
MAX_SOURCE_CHARS = 500
NO_NUL = r"^[^\x00]*$"

if TYPE_CHECKING:
    _FilterFields = FilterFields
else:
    _FilterFields = filter_schema()


def _moment(text: str) -> str:
    if datetime.fromisoformat(text).tzinfo is None:
        raise ValueError("a time must have a time zone")
    return text


TimeText = Annotated[str, AfterValidator(_moment), WithJsonSchema({"type": "string", "format": "date-time"})]
Word = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=NO_NUL)]


def _inside(value: Any) -> Iterable[Any]:
    return value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()


def _small(metadata: dict[str, Any]) -> dict[str, Any]:
    """Return metadata of which every value can be stored, written and read again; raises ValueError."""
    level: list[Any] = [metadata]
    for _ in range(MAX_DEPTH):
        level = [inner for each in level for inner in _inside(each)]
    if level:
        raise ValueError(f"values can be nested {MAX_DEPTH} deep")
    try:
        written = json.dumps(metadata, ensure_ascii=False, allow_nan=False)
    except ValueError:
        raise ValueError("numbers must be finite") from None
    if "\\u0000" in written:
        raise ValueError("NUL characters cannot be stored")
    return storable(metadata)


ThreadMetadata = Annotated[dict[str, Any], Field(max_length=MAX_FIELDS), AfterValidator(_small)]
"""Any JSON of a small size, such as `{"user_id": "user123", "tags": ["ros2"]}`."""


class _Question(_FilterFields):
    """A question to one book, with the filters it keeps to; a key's own can only be narrowed."""

    book_id: Word | None = Field(None, description="The book; not needed where there is only one.")
    ranking: SearchMode = Field("hybrid", description="How passages are ranked.")


class ChatRequest(_Question):
    """A question, with the filters that it keeps to."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {
                    "message": "How do ROS 2 nodes communicate?",
                    "session_id": SESSION,
                    "stream": False,
                    "top_k": 5,
                    "similarity_threshold": 0.0,
                }
            ]
        },
    )

    message: Annotated[
        str, StringConstraints(strip_whitespace=True, min_length=1, max_length=1000, pattern=NO_NUL)
    ] = Field(description="The question, 1 to 1000 characters.")
    session_id: ThreadId | None = Field(None, description="The thread to continue; without one a new thread begins.")
    metadata: ThreadMetadata | None = Field(None, description="Fields to set in the thread's metadata; null removes.")
    stream: bool = Field(False, strict=True, description="Answer as a stream of events, as /chat/stream does.")
    top_k: int = Field(5, strict=True, ge=1, le=10, description="Number of passages to retrieve.")
    similarity_threshold: float | None = Field(
        None, strict=True, ge=0.0, le=1.0, description="Lowest cosine of a passage; the default depends on the model."
    )


class Source(BaseModel):
    """A passage that the answer cites. `number` is how the answer refers to it, None if it does not."""

    chunk_text: str = Field(max_length=MAX_SOURCE_CHARS)
    similarity_score: Score
    chapter: str
    section: str
    url: str
    chunk_index: int
    number: int | None = None
    chunk_id: UuidText
    page_title: str
    heading_path: tuple[str, ...]
    source_file: str
    line_start: int
    line_end: int
    content_hash: str | None
    parent_doc_id: UuidText | None
    verified: bool = True


class ChatResponse(BaseModel):
    """An answer; `message_number` names it for feedback.

    `confidence_level` tells how well the book answers, by the evidence of the search. `confidence` is the mean cosine
    of the passages (004), on the scale of the embedding model: it is no probability, and 0.4 may well stand beside
    `high`.
    """

    response: str = Field(min_length=1)
    confidence: Score
    sources: tuple[Source, ...]
    session_id: ThreadId
    timestamp: TimeText
    confidence_level: ConfidenceLevel
    should_answer: bool
    model: str
    tokens_used: int = Field(description="What the language model read and wrote; 0 for an answer without one.")
    completion_tokens: int = Field(0, description="What the language model wrote of `tokens_used`.")
    supported: bool
    metrics: ConfidenceMetrics | None = None
    see_also: tuple[Place, ...] = Field((), description="Other sections on the subject; under a refusal the nearest.")
    follow_ups: tuple[FollowUp, ...] = Field(
        (),
        description="Sections of the cited pages that are not cited, the nearest first, each with a question for it.",
    )
    searched_for: str | None = Field(None, description="The question with its typos corrected.")
    hidden: HiddenPassages | None = Field(None, description="Better passages outside the filters.")
    error: str | None = Field(
        None, description="Why the language model wrote no answer, so that the book is quoted, or no complete one."
    )
    request_id: str | None = Field(None, description="Set with `error`: names the failure in the server's log.")
    replaced: bool = Field(False, description="The book is quoted in place of what the model wrote.")
    retrieval_history: tuple[ToolCall, ...] = Field((), description="What was searched for this answer, and when.")
    excerpts: tuple[QuotedExcerpt, ...] = Field(
        (), description="Where in `response` each quoted excerpt stands, and the sentence in it that answers."
    )
    message_number: int = 0

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> ChatResponse:
        if self.should_answer != (self.confidence_level != "insufficient"):
            raise ValueError("should_answer holds where confidence_level is not insufficient")
        if self.should_answer and not self.sources:
            raise ValueError("sources must not be empty where should_answer holds")
        if self.metrics and self.metrics.confidence_level != self.confidence_level:
            raise ValueError("confidence_level is that of the metrics")
        return self


class ShownAnswer(BaseModel):
    """What belongs to an answer beside its text, as it was when it was given."""

    sources: tuple[Source, ...]
    confidence_level: ConfidenceLevel
    should_answer: bool
    supported: bool
    model: str
    error: str | None = None
    request_id: str | None = None
    see_also: tuple[Place, ...] = ()
    follow_ups: tuple[FollowUp, ...] = ()
    retrieval_history: tuple[ToolCall, ...] = ()
    excerpts: tuple[QuotedExcerpt, ...] = ()


class ShownMessage(BaseModel):
    """A message of a thread; `answer` is there for answers."""

    role: Literal["user", "assistant"]
    content: str
    timestamp: TimeText
    number: int = Field(description="Number of the message in its thread, from 1.")
    confidence: Score | None = None
    answer: ShownAnswer | None = None


class ShownThread(BaseModel):
    """A thread without its messages; `message_count` counts archived ones too, `metadata` has the first question."""

    thread_id: ThreadId
    created_at: TimeText
    updated_at: TimeText
    topic_summary: str | None = Field(None, max_length=200)
    metadata: dict[str, Any]
    message_count: int
    archived: bool


class ThreadChange(BaseModel):
    """What can be changed of a thread: fields of its metadata, merged as RFC 7396 says, so that null removes one.

    `question`, the name of a thread without a topic, is set only.
    """

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"metadata": {"user_id": "user123", "tags": ["ros2", "urdf"]}}]},
    )

    metadata: ThreadMetadata


class MessageList(BaseModel):
    """Messages of a thread, oldest first; `next_before` continues with older ones, null at the beginning."""

    messages: tuple[ShownMessage, ...]
    next_before: int | None = None


class ShownConversation(ShownThread):
    """A thread with its last 50 messages, oldest first."""

    messages: tuple[ShownMessage, ...]


class ThreadList(BaseModel):
    """Threads, the last used first; `next_before` continues the list, null at its end."""

    threads: tuple[ShownThread, ...]
    next_before: str | None = None


class SearchRequest(_Question):
    """A search without an answer."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"query": "quality of service", "limit": 3}]}
    )

    query: Annotated[str, StringConstraints(strip_whitespace=True, max_length=1000, pattern=NO_NUL), LongEnough()]
    limit: int = Field(5, strict=True, ge=1, le=20, description="Number of passages to return.")


class LessonDocument(BaseModel):
    """A whole lesson as indexed; `text` joins its chunks."""

    title: str
    parent_doc_id: LessonId
    text: str
    chunks: tuple[dict[str, Any], ...]


class IngestRequest(BaseModel):
    """A run of the configured book; the folder is set by the server, never by the caller."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"mode": "incremental"}]})

    mode: IngestionMode = "incremental"
    allow_delete: bool = Field(
        False, strict=True, description="Allow deleting more than `index.max_delete` percent of the book."
    )


class IngestJob(BaseModel):
    """A run in the job ledger, with its progress while this server runs it."""

    job_id: int
    book_id: str
    mode: IngestionMode
    status: JobStatus
    started_at: TimeText
    completed_at: TimeText | None = None
    duration_seconds: int | None = None
    lessons_done: int = 0
    lessons_total: int = 0
    files_processed: int
    files_skipped: int
    chunks_created: int
    chunks_deleted: int
    embedded: int
    reused: int
    tokens: int
    cost: float | None = None
    recipient: Recipient | None = Field(
        None,
        description="The service that receives the texts, shown to whoever starts a run; null if none.",
    )
    failures: tuple[dict[str, Any], ...] = ()
    error_message: str | None = None


class Health(BaseModel):
    """Whether the server is alive or ready: each part with `ok` or what is wrong with it."""

    status: Literal["ok", "degraded", "unavailable"]
    checks: dict[str, str] = {}


class Problem(BaseModel):
    """What went wrong (RFC 9457): `type` leads to an explanation, the request id is in the server's log too."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "type": "/problems/not-found",
                    "title": "Not Found",
                    "status": 404,
                    "detail": f"no thread {SESSION}",
                    "instance": f"/threads/{SESSION}",
                    "request_id": "9f3c2a7be01d4c55",
                }
            ]
        }
    )

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    instance: str
    request_id: str
    errors: list[dict[str, Any]] | None = None
