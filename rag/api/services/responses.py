"""Translate OpenAI's Responses API into questions to a book, and answers back."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Annotated, Any, Literal
from uuid import UUID, uuid4

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StrictBool, field_validator

from ingestion.errors import UsageError
from ingestion.tokens import count_tokens
from rag.agent.history import CHAT_ENCODING, tokens_of
from rag.api.http.sse import event
from rag.api.schemas import ChatRequest, ChatResponse, ThreadMetadata
from rag.api.services.chat_turns import OwnConversation
from rag.api.services.completions import (
    MAX_MESSAGES,
    CompletionMessage,
    ContentPart,
    ToolChoice,
    about,
    asked_in,
    cited_at,
    finish,
    last_text,
)
from rag.api.services.text_limits import TextLimit
from rag.conversations.models import new_thread_id
from rag.valid_text import valid_text

PREFIX = "resp_"
TEXT_PARTS = ("input_text", "output_text", "text")
ROLES = ("system", "developer", "user", "assistant")


class InputItem(BaseModel):
    """An item of the input; only messages can be asked about, calls of tools are left out."""

    model_config = ConfigDict(extra="allow")

    type: str = "message"
    role: str | None = None
    content: str | list[ContentPart] | None = None


class ResponseRequest(BaseModel):
    """A response. Sampling parameters and tools are ignored; filters are extra fields as for `/chat/run`.

    With `previous_response_id` the conversation goes on that the server keeps; with `store` false nothing is kept.
    """

    model_config = ConfigDict(
        extra="allow",
        json_schema_extra={
            "examples": [
                {"model": "physical-ai-robotics", "input": "How do ROS 2 nodes communicate?", "stream": False}
            ]
        },
    )

    model: str = Field(min_length=1, max_length=200, description="Id of the book.")
    input: str | list[InputItem] = Field(description="The question, or the conversation that ends with it.")
    instructions: Annotated[str, AfterValidator(valid_text)] | None = Field(
        None, description="Tone and form; the rules of the book hold all the same."
    )
    stream: StrictBool | None = False
    store: StrictBool | None = True
    previous_response_id: str | None = Field(None, max_length=200)
    max_output_tokens: int | None = Field(None, strict=True, ge=1)
    metadata: ThreadMetadata | None = None
    text: dict[str, Any] | None = Field(None, description="Only the format `text`: answers are never JSON.")
    tool_choice: ToolChoice = None

    @field_validator("text")
    @classmethod
    def _text_only(cls, value: dict[str, Any] | None) -> dict[str, Any] | None:
        form = (value or {}).get("format")
        if isinstance(form, Mapping) and form.get("type") not in (None, "text"):
            raise ValueError("answers are text; JSON is not supported")
        return value

    def messages(self) -> list[CompletionMessage]:
        """Return what was said, the instructions first; raises UsageError."""
        items = [InputItem(role="user", content=self.input)] if isinstance(self.input, str) else self.input
        if len(items) > MAX_MESSAGES:
            raise UsageError(f"input: at most {MAX_MESSAGES} items")
        said = [_message(item) for item in items if item.type == "message"]
        style = [CompletionMessage(role="system", content=self.instructions)] if self.instructions else []
        return [*style, *said]

    def previous_thread(self) -> UUID | None:
        """Return the thread of the response before; raises LookupError where the id is none of this server's."""
        if self.previous_response_id is None:
            return None
        try:
            thread = UUID(self.previous_response_id.removeprefix(PREFIX)[:32])
        except ValueError:
            raise LookupError(self.previous_response_id) from None
        return thread

    def question(self, headers: Mapping[str, str]) -> tuple[ChatRequest, OwnConversation]:
        """Return the question with its filters, and the conversation before it; raises UsageError."""
        asked, own = asked_in(self.model, self.messages(), self.model_extra or {}, headers)
        thread = self.previous_thread()
        if thread is None and (own.history or self.store is False):
            return asked, own
        # The first question of a thread gets its id here, so that the response's leads to it.
        kept = {"session_id": thread or new_thread_id(), "metadata": self.metadata}
        return asked.model_copy(update=kept), OwnConversation(style=own.style, is_kept_here=True)


def _message(item: InputItem) -> CompletionMessage:
    if item.role not in ROLES:
        raise UsageError(f"input: unsupported role {str(item.role)[:40]!r}; one of {', '.join(ROLES)}")
    content = item.content
    if isinstance(content, list):
        content = [
            ContentPart(type="text" if part.type in TEXT_PARTS else part.type, text=part.text) for part in content
        ]
    role: Literal["system", "user", "assistant"] = "system"
    if item.role in ("user", "assistant"):
        role = "user" if item.role == "user" else "assistant"
    return CompletionMessage(role=role, content=content)


@dataclass(slots=True)
class Reply:
    """A response that is being given; its events are numbered as they come."""

    request: ResponseRequest
    created: int = field(default_factory=lambda: int(time.time()))
    id: str = field(default_factory=lambda: f"{PREFIX}{uuid4().hex}")
    message_id: str = field(default_factory=lambda: f"msg_{uuid4().hex}")
    limit: TextLimit = field(default_factory=TextLimit)
    _numbers: Iterator[int] = field(default_factory=count)

    @classmethod
    def begin(cls, request: ResponseRequest, thread: UUID | None) -> Reply:
        """Return a new one; one that is kept in a thread has an id that leads to it."""
        reply = cls(request, limit=TextLimit(request.max_output_tokens))
        reply.id = f"{PREFIX}{thread.hex if thread else uuid4().hex}_{uuid4().hex[:8]}"
        return reply

    def event(self, kind: str, **fields: Any) -> str:
        """Return one event of the stream."""
        return event(kind, {"type": kind, "sequence_number": next(self._numbers)} | fields)

    def begins(self) -> Iterator[str]:
        """Yield the events before the text."""
        for kind in ("response.created", "response.in_progress"):
            yield self.event(kind, response=self._document("in_progress", []))
        item = self._item("", [], status="in_progress") | {"content": []}
        yield self.event("response.output_item.added", output_index=0, item=item)
        yield self.event("response.content_part.added", **self._place(), part=_part("", []))

    def delta(self, text: str) -> str:
        """Return a piece of the text."""
        return self.event("response.output_text.delta", **self._place(), delta=text, logprobs=[])

    def ends(self, response: ChatResponse, begins_at: int = 0) -> Iterator[str]:
        """Yield the events after the text, the whole response last."""
        if rest := self.limit.rest():
            yield self.delta(rest)
        text, annotations = self.limit.text, self._annotations(response, begins_at)
        for index, annotation in enumerate(annotations):
            place = self._place() | {"annotation_index": index}
            yield self.event("response.output_text.annotation.added", **place, annotation=annotation)
        yield self.event("response.output_text.done", **self._place(), text=text, logprobs=[])
        yield self.event("response.content_part.done", **self._place(), part=_part(text, annotations))
        document = self.document(response, begins_at)
        yield self.event("response.output_item.done", output_index=0, item=document["output"][0])
        yield self.event(f"response.{document['status']}", response=document)

    def fails(self, error: Mapping[str, Any]) -> str:
        """Return the event of a response that failed; `error` is one as OpenAI's clients know it."""
        code = "rate_limit_exceeded" if error["code"] == "rate_limit_exceeded" else "server_error"
        failed = self._document("failed", []) | {"error": {"code": code, "message": error["message"]}}
        return self.event("response.failed", response=failed)

    def document(self, response: ChatResponse, begins_at: int = 0) -> dict[str, Any]:
        """Return the whole response; its text is what the limit has taken."""
        is_cut = finish(response, self.limit) == "length"
        status = "incomplete" if is_cut else "completed"
        item = self._item(self.limit.text, self._annotations(response, begins_at), status=status)
        document = self._document(status, [item]) | {"usage": self._usage(response), "bookwise": about(response)}
        return document | {"incomplete_details": {"reason": "max_output_tokens"} if is_cut else None}

    def plain_document(self, text: str) -> dict[str, Any]:
        """Return a text that no model wrote and no source carries as a response."""
        usage = _usage_of(self._read(), count_tokens([text], CHAT_ENCODING)[0])
        return self._document("completed", [self._item(text, [])]) | {"usage": usage}

    def _usage(self, response: ChatResponse) -> dict[str, Any]:
        if response.tokens_used:
            return _usage_of(response.tokens_used - response.completion_tokens, response.completion_tokens)
        return _usage_of(self._read(), count_tokens([self.limit.text], CHAT_ENCODING)[0])

    def _read(self) -> int:
        return tokens_of(last_text(self.request.messages()))

    def _annotations(self, response: ChatResponse, begins_at: int) -> list[dict[str, Any]]:
        cited = cited_at(response, self.limit.text[begins_at:], begins_at=begins_at)
        return [{"type": "url_citation"} | each for each in cited]

    def _place(self) -> dict[str, Any]:
        return {"item_id": self.message_id, "output_index": 0, "content_index": 0}

    def _item(self, text: str, annotations: list[dict[str, Any]], *, status: str = "completed") -> dict[str, Any]:
        part = _part(text, annotations)
        return {
            "id": self.message_id,
            "type": "message",
            "status": status,
            "role": "assistant",
            "content": [part],
        }

    def _document(self, status: str, output: list[dict[str, Any]]) -> dict[str, Any]:
        asked = self.request
        return {
            "id": self.id,
            "object": "response",
            "created_at": self.created,
            "status": status,
            "error": None,
            "incomplete_details": None,
            "instructions": asked.instructions,
            "max_output_tokens": asked.max_output_tokens,
            "metadata": asked.metadata or {},
            "model": asked.model,
            "output": output,
            "parallel_tool_calls": False,
            "previous_response_id": asked.previous_response_id,
            "store": asked.store is not False,
            "temperature": None,
            "text": {"format": {"type": "text"}},
            "tool_choice": "auto",
            "tools": [],
            "top_p": None,
            "truncation": "disabled",
            "usage": None,
        }


def _part(text: str, annotations: list[dict[str, Any]]) -> dict[str, Any]:
    return {"type": "output_text", "text": text, "annotations": annotations, "logprobs": []}


def _usage_of(read: int, written: int) -> dict[str, Any]:
    return {
        "input_tokens": read,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": written,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": read + written,
    }
