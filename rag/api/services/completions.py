"""Translate chat completions, as OpenAI's clients ask for them, into questions to a book, and answers back."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal
from uuid import uuid4

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StrictBool,
    StringConstraints,
    ValidationError,
    field_validator,
)

from ingestion.errors import UsageError
from ingestion.tokens import count_tokens
from rag.agent.events import Replaced
from rag.agent.history import CHAT_ENCODING, tokens_of
from rag.api.http.problems import in_json_terms
from rag.api.schemas import ChatRequest, ChatResponse, Source
from rag.api.services.chat_turns import OwnConversation
from rag.api.services.client_tasks import is_merge, reader_words, without_material
from rag.api.services.text_limits import Cut, TextLimit
from rag.conversations.models import Message
from rag.filters import QUERY_FIELDS
from rag.models import EXTRACTIVE
from rag.valid_text import valid_text

MAX_QUESTION_CHARS = 4000
MAX_MESSAGES = 500
HEADER_PREFIX = "x-bookwise-"
FIELDS = (*QUERY_FIELDS, "top_k", "similarity_threshold", "ranking")
"""What may be set beside the messages: body fields by these names, or headers such as `X-Bookwise-Hardware-Tier`."""

CHUNK = "chat.completion.chunk"
FOOTER = "\n\nSources:\n"
_FOOTER = re.compile(rf"(?:\n\nNote: .*)?{FOOTER}\d+\. .*(?:\n\d+\. .*)*\Z")
EXTRAS = ("sources", "follow_ups", "confidence_level", "should_answer", "supported", "error", "request_id")
"""What a completion has of a ChatResponse beyond OpenAI's fields."""

STYLE_ROLES = ("system", "developer")
LISTS = ("proficiency_levels", "doc_types")
NUMBERS = ("hardware_tier", "chapter_min", "chapter_max", "lesson", "top_k")


class ContentPart(BaseModel):
    """A part of a message; only text can be asked about."""

    model_config = ConfigDict(extra="allow")

    type: str
    text: str | None = None


class CompletionMessage(BaseModel):
    """A message of the client's conversation."""

    model_config = ConfigDict(extra="allow")

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | list[ContentPart] | None = None


class StreamOptions(BaseModel):
    """What a stream tells beside the answer."""

    model_config = ConfigDict(extra="allow")

    include_usage: StrictBool = False


def _no_forced_tool(value: Any) -> Any:
    if value not in (None, "auto", "none"):
        raise ValueError("forced tool calls are not supported; send auto, none or nothing")
    return value


ToolChoice = Annotated[
    str | dict[str, Any] | None,
    Field(description="Tools of the client are never called."),
    AfterValidator(_no_forced_tool),
]

StopText = Annotated[str, StringConstraints(min_length=1, max_length=100)]


class CompletionRequest(BaseModel):
    """A chat completion. Sampling parameters are accepted and ignored: the server sets its own.

    Filters are extra fields by the names of `/chat/run`; `sources_footer` false leaves the list of sources out of
    the text.
    """

    model_config = ConfigDict(
        extra="allow",
        json_schema_extra={
            "examples": [
                {
                    "model": "physical-ai-robotics",
                    "messages": [{"role": "user", "content": "How do ROS 2 nodes communicate?"}],
                    "stream": False,
                    "hardware_tier": 1,
                }
            ]
        },
    )

    model: str = Field(min_length=1, max_length=200, description="Id of the book.")
    messages: list[CompletionMessage] = Field(min_length=1, max_length=MAX_MESSAGES)
    stream: StrictBool | None = False
    stream_options: StreamOptions | None = None
    n: int | None = Field(None, strict=True, ge=1, le=1)
    response_format: dict[str, Any] | None = Field(None, description="Only text: answers are never JSON.")
    tool_choice: ToolChoice = None
    sources_footer: StrictBool = True
    max_tokens: int | None = Field(None, strict=True, ge=1)
    max_completion_tokens: int | None = Field(None, strict=True, ge=1)
    stop: StopText | Annotated[list[StopText], Field(max_length=4)] | None = Field(
        None, description="The text ends before the first of these."
    )

    def limit(self) -> TextLimit:
        """Return the bounds of the text."""
        stops = [self.stop] if isinstance(self.stop, str) else self.stop or []
        return TextLimit(self.max_completion_tokens or self.max_tokens, stops)

    @field_validator("response_format")
    @classmethod
    def _text_only(cls, value: dict[str, Any] | None) -> dict[str, Any] | None:
        if value and value.get("type") != "text":
            raise ValueError("answers are text; JSON is not supported")
        return value


@dataclass(frozen=True, slots=True)
class Completion:
    """A completion that is being answered."""

    id: str
    created: int
    request: CompletionRequest

    @classmethod
    def begin(cls, request: CompletionRequest) -> Completion:
        """Return a new one with an id of its own."""
        return cls(f"chatcmpl-{uuid4().hex}", int(time.time()), request)

    def document(self, response: ChatResponse) -> dict[str, Any]:
        """Return the whole answer as one document."""
        limit = self.request.limit()
        answer = limit.take(response.response) + limit.rest()
        text = answer + self.footer(response, limit)
        document = self.plain_document(text, finish(response, limit), annotations=url_citations(response, answer))
        return document | {"usage": self.usage(response, limit), "bookwise": about(response)}

    def plain_document(self, text: str, ended: str = "stop", **more: Any) -> dict[str, Any]:
        """Return a text that no model wrote and no source carries as one document."""
        message = {"role": "assistant", "content": text, "refusal": None} | more
        choice = {"index": 0, "message": message, "finish_reason": ended, "logprobs": None}
        return self._head("chat.completion") | {"choices": [choice], "usage": self.counted_usage(text)}

    def chunk(self, delta: Mapping[str, Any], *, finish: str | None = None, **more: Any) -> dict[str, Any]:
        """Return a piece of a stream."""
        choice = {"index": 0, "delta": dict(delta), "finish_reason": finish, "logprobs": None}
        return self._head(CHUNK) | {"choices": [choice]} | more

    def usage_chunk(self, usage: Mapping[str, int]) -> dict[str, Any]:
        """Return the last piece of a stream whose client asks for the usage."""
        return self._head(CHUNK) | {"choices": [], "usage": usage}

    def usage(self, response: ChatResponse, limit: TextLimit) -> dict[str, int]:
        """Return the language model's tokens; counted from the texts where the book answers without one."""
        if response.tokens_used:
            return _usage(response.tokens_used - response.completion_tokens, response.completion_tokens)
        return self.counted_usage(limit.text)

    def counted_usage(self, text: str) -> dict[str, int]:
        """Return the tokens of the client's messages and of the text that answers them."""
        written = count_tokens([text], CHAT_ENCODING)[0]
        return _usage(sum(tokens_of(_text_parts(message)) for message in self.request.messages), written)

    def footer(self, response: ChatResponse, limit: TextLimit) -> str:
        """Return what ends the text, since most clients show nothing else, where it fits within the limit."""
        text = footer_of(response) if self.request.sources_footer else ""
        return text if text and limit.fits(text) else ""

    def _head(self, kind: str) -> dict[str, Any]:
        return {"id": self.id, "object": kind, "created": self.created, "model": self.request.model}


def footer_of(response: ChatResponse) -> str:
    """Return that the model failed, and the list of sources."""
    note = f"\n\nNote: {response.error}" if response.error else ""
    cited = [f"{source.number}. {_link(source)}" for source in response.sources if source.number]
    return note + FOOTER + "\n".join(cited) if cited else note


def finish(response: ChatResponse, limit: TextLimit) -> Cut:
    """Return why a text ends where it does: `length` also where the model broke off."""
    if limit.cut:
        return limit.cut
    is_broken_off = response.error is not None and response.model != EXTRACTIVE and not response.replaced
    return "length" if is_broken_off else "stop"


def asked_in(
    model: str, messages: Sequence[CompletionMessage], fields: Mapping[str, Any], headers: Mapping[str, str]
) -> tuple[ChatRequest, OwnConversation]:
    """Return the last message of a conversation as a question with its filters, and what was said before it.

    What a client put around the reader's words is left out. Raises UsageError.
    """
    turns = [message for message in messages if message.role in ("user", "assistant")]
    sent = last_text(messages)
    question = reader_words(sent)
    if not 1 <= len(question) <= MAX_QUESTION_CHARS:
        raise UsageError(f"messages: the question must have 1 to {MAX_QUESTION_CHARS} characters")
    style = "\n".join(without_material(_text(message)) for message in messages if message.role in STYLE_ROLES)
    history = _alternating(turns[:-1])
    given = _filters_in_headers(headers) | {name: value for name, value in fields.items() if name in FIELDS}
    try:
        asked = ChatRequest.model_validate(given | {"book_id": model, "message": "question"})
    except ValidationError as error:
        faults = (f"{'.'.join(map(str, fault['loc']))}: {in_json_terms(fault['msg'])}" for fault in error.errors())
        raise UsageError("; ".join(faults)) from None
    own = OwnConversation(history, valid_text(style), is_recorded=not is_merge(sent))
    return asked.model_copy(update={"message": valid_text(question)}), own


def last_text(messages: Sequence[CompletionMessage]) -> str:
    """Return the text of the last message; raises UsageError unless it is the user's."""
    said = [message for message in messages if message.role not in STYLE_ROLES]
    if not said or said[-1].role != "user":
        raise UsageError("messages: the last one must be the user's question")
    return _text(said[-1]).strip()


def cited_at(response: ChatResponse, answer: str, *, begins_at: int = 0) -> list[dict[str, Any]]:
    """Return where the answer, as much as was sent of it, refers to which address.

    `begins_at` is where the answer begins in the text that the client has.
    """
    found = []
    for source in response.sources:
        mark = f"[{source.number}]"
        at = answer.find(mark) if source.number else -1
        if at >= 0:
            start = begins_at + at
            place = {"start_index": start, "end_index": start + len(mark)}
            found.append(place | {"title": _place(source), "url": source.url})
    return found


def url_citations(response: ChatResponse, answer: str, *, begins_at: int = 0) -> list[dict[str, Any]]:
    """Return the references as OpenAI tells them of web searches in chat completions."""
    cited = cited_at(response, answer, begins_at=begins_at)
    return [{"type": "url_citation", "url_citation": each} for each in cited]


def _usage(prompt: int, completion: int) -> dict[str, int]:
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}


def about(response: ChatResponse) -> dict[str, Any]:
    """Return what the answer has beyond OpenAI's fields."""
    document = response.model_dump(mode="json", exclude_none=True)
    return {name: document[name] for name in EXTRAS if name in document}


def _place(source: Source) -> str:
    """Return page and section: clients show nothing else of a citation, and two may be of one page."""
    return source.page_title if source.section == source.page_title else f"{source.page_title} › {source.section}"


def _link(source: Source) -> str:
    is_address = source.url.startswith(("http://", "https://"))
    return f"[{_place(source)}]({source.url})" if is_address else f"{_place(source)} ({source.url})"


def _text(message: CompletionMessage) -> str:
    if isinstance(message.content, list) and any(part.type != "text" for part in message.content):
        raise UsageError("messages: only text is supported, not images, audio or files")
    return _text_parts(message)


def _text_parts(message: CompletionMessage) -> str:
    if message.content is None or isinstance(message.content, str):
        return message.content or ""
    return "\n".join(part.text or "" for part in message.content)


def _alternating(messages: Sequence[CompletionMessage]) -> tuple[Message, ...]:
    """Return the exchanges before the question; a message that nobody answered is left out."""
    kept: list[Message] = []
    for message in messages:
        role: Literal["user", "assistant"] = "user" if message.role == "user" else "assistant"
        text = _said_by(role, valid_text(_text(message)).strip())
        if not text:
            continue
        if kept and kept[-1].role == role:
            kept.pop()
        if kept or role == "user":
            kept.append(Message(role, text))
    return tuple(kept[:-1] if kept and kept[-1].role == "user" else kept)


def _said_by(role: Literal["user", "assistant"], text: str) -> str:
    return reader_words(text) if role == "user" else _answer_in(text)


def _answer_in(text: str) -> str:
    """Return a client's copy of an answer as it was given: without what it replaced and the list of sources."""
    return _FOOTER.sub("", text.rpartition(Replaced.preamble)[2])


def _filters_in_headers(headers: Mapping[str, str]) -> dict[str, Any]:
    given: dict[str, Any] = {}
    for name in FIELDS:
        value = headers.get(HEADER_PREFIX + name.replace("_", "-"))
        if value is None:
            continue
        if name in LISTS:
            given[name] = [part.strip() for part in value.split(",")]
        elif name in NUMBERS or name == "similarity_threshold":
            given[name] = _number(name, value)
        else:
            given[name] = value
    return given


def _number(name: str, value: str) -> int | float:
    try:
        return float(value) if name == "similarity_threshold" else int(value)
    except ValueError:
        raise UsageError(f"header X-Bookwise-{name.replace('_', '-').title()}: {value[:40]!r} is no number") from None
