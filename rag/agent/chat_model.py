"""The language model: chat completions of OpenAI, and of every service that speaks that API, as a stream."""

from __future__ import annotations

import sys
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from ingestion.errors import ChatModelError
from rag.agent.tools import MAX_ARGUMENT_CHARS

if TYPE_CHECKING:
    import openai

    from ingestion.openai_client.access import Failure
    from ingestion.openai_client.sdk import Service

Message = dict[str, Any]
"""A message in the form of the API."""

ToolChoice = Literal["auto", "required", "none"]

MAX_RETRIES = 2
"""How often the SDK tries again before an answer has begun; it waits as long as the service asks."""

MAX_REPLY_BYTES = 1 << 25
"""How large the stream of one reply may be: an event is some 300 bytes for each token."""

MAX_TIMEOUTS = 10.0
"""How long a whole reply may take, in timeouts of one pause: small models write slowly."""

CHARACTERS_PER_TOKEN = 16
"""More than a token has in any text: a reply beyond that is not the one that was asked for."""

FREE_CHARACTERS = 20_000

MAX_TOKENS = 2**31 - 1
"""What a service may say that a reply cost; beyond it is no count that a database takes."""

MAX_CALLS = 32
"""Calls of one reply that are kept; far fewer are answered."""

NOT_A_COMPLETION = "the answer is no chat completion; check OPENAI_BASE_URL"


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call that the model asks for; `arguments` is whatever it wrote, which need not be JSON."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Reply:
    """One whole reply. `refusal` is what the model says instead of an answer.

    `tokens` is what prompt and reply cost, `completion_tokens` the reply's part; 0 where the service does not say.
    """

    text: str
    tool_calls: tuple[ToolCall, ...]
    is_cut_off: bool
    refusal: str | None
    tokens: int = 0
    completion_tokens: int = 0


class ChatModel:
    """Streams replies. `base_url` names another service than OpenAI, which may need no key.

    `timeout` is in seconds, for the connection and for each pause in an answer. No connection is opened before the
    first call. With `many` replies at once a token costs half as much time; that needs the extra `api`.
    """

    def __init__(
        self,
        name: str,
        *,
        api_key: str | None,
        base_url: str | None,
        temperature: float,
        max_answer_tokens: int,
        timeout: float,
        many: bool = False,
    ) -> None:
        self.name = name
        self._api_key = api_key
        self._base_url = base_url
        self._temperature = temperature
        self._max_answer_tokens = max_answer_tokens
        self._timeout = timeout
        self._many = many

    async def reply(
        self, messages: Sequence[Message], *, tools: Sequence[Mapping[str, Any]], tool_choice: ToolChoice
    ) -> AsyncGenerator[str | Reply]:
        """Yield the pieces of the reply's text as they come, then the Reply; closing the iterator ends the request.

        Raises ChatModelError where the service fails for good, or breaks off in mid-answer.
        """
        import openai

        limit = "max_tokens" if self._base_url else "max_completion_tokens"
        asked = {
            "model": self.name,
            "messages": _sendable(messages),
            "temperature": self._temperature,
            "stream": True,
            "stream_options": {"include_usage": True},
            limit: self._max_answer_tokens,
        }
        if tools:
            asked |= {"tools": tools, "tool_choice": tool_choice}
        reply = _Assembly()
        try:
            # Plain JSON: to build the SDK's models costs more, a token, than everything else that is done with one.
            stream = await self._client.post(
                "/chat/completions", body=asked, cast_to=object, stream=True, stream_cls=openai.AsyncStream[object]
            )
            async with aclosing(stream):
                async for chunk in stream:
                    if text := reply.add(chunk):
                        yield text
                    if len(reply.text) > CHARACTERS_PER_TOKEN * self._max_answer_tokens + FREE_CHARACTERS:
                        raise self._error("the answer is far longer than it may be; check OPENAI_BASE_URL")
        except openai.OpenAIError as exc:
            reason = self._service.explain(exc, _advice(self.name))
            raise self._error(reason) from self._service.cause(exc)
        except _not_a_completion() as exc:
            raise self._error(NOT_A_COMPLETION) from exc
        if reply.finish is None:
            raise self._error("the answer broke off; ask again")
        yield reply.whole()

    def prepare(self) -> None:
        """Import the SDK now, a second, instead of at the first call; opens no connection."""
        assert self._client

    async def close(self) -> None:
        """Close the connections, if any were opened."""
        if "_client" in self.__dict__:
            await self._client.close()

    @cached_property
    def _client(self) -> openai.AsyncOpenAI:
        return self._service.open_async(many=self._many)

    @cached_property
    def _service(self) -> Service:
        from ingestion.openai_client.sdk import Service

        return Service(
            self._api_key,
            self._base_url,
            self._timeout,
            MAX_RETRIES,
            max_reply_bytes=MAX_REPLY_BYTES,
            total_timeout=self._timeout * MAX_TIMEOUTS,
        )

    def _error(self, reason: str) -> ChatModelError:
        return ChatModelError(f"language model {self.name} at {self._service.host}: {reason}")


@dataclass(slots=True)
class _Assembly:
    """A reply while its chunks come in."""

    text: str = ""
    refusal: str = ""
    finish: str | None = None
    tokens: int = 0
    completion_tokens: int = 0
    calls: dict[int, list[str]] = field(default_factory=dict)
    half: str = ""

    def add(self, chunk: Any) -> str:
        """Take in one chunk, as parsed; returns its text."""
        if usage := chunk.get("usage"):
            self.tokens, self.completion_tokens = _tokens_of_usage(usage)
        if not chunk.get("choices"):
            return ""
        choice = chunk["choices"][0]
        delta = choice.get("delta") or {}
        self.finish = choice.get("finish_reason") or self.finish
        if len(self.refusal) < FREE_CHARACTERS:
            self.refusal += delta.get("refusal") or ""
        for part in delta.get("tool_calls") or ():
            self._add_call(part)
        text = self.half + (delta.get("content") or "")
        # An emoji may come as two halves in two chunks; alone a half is no text.
        self.half = text[-1:] if "\ud800" <= text[-1:] <= "\udbff" else ""
        text = valid_text(text.removesuffix(self.half))
        self.text += text
        return text

    def _add_call(self, part: Any) -> None:
        index = part.get("index") or 0
        if not isinstance(index, int):
            raise TypeError("the index of a call is no number")
        if index not in self.calls and len(self.calls) == MAX_CALLS:
            return
        call = self.calls.setdefault(index, ["", "", ""])
        call[0] = call[0] or valid_text(part.get("id") or "")
        function = part.get("function") or {}
        # Some services repeat the name in every chunk.
        call[1] = call[1] or valid_text(function.get("name") or "")
        # What is longer than a call may be is refused whole, so that the rest need not be kept.
        if len(call[2]) <= MAX_ARGUMENT_CHARS:
            call[2] += function.get("arguments") or ""

    def whole(self) -> Reply:
        """Return the reply, all chunks in."""
        calls = tuple(
            ToolCall(identity or f"call_{index}", name, valid_text(arguments))
            for index, (identity, name, arguments) in sorted(self.calls.items())
        )
        filtered = "its content filter stopped the answer" if self.finish == "content_filter" else None
        refusal = valid_text(self.refusal) or filtered
        return Reply(self.text, calls, self.finish == "length", refusal, self.tokens, self.completion_tokens)


def _tokens_of_usage(usage: Mapping[str, Any]) -> tuple[int, int]:
    """Return all tokens and those of the completion; what a service counts in sum alone is the model's thinking."""
    counts = [usage.get(name) for name in ("prompt_tokens", "completion_tokens", "total_tokens")]
    prompt, written, total = (n if type(n) is int and 0 <= n <= MAX_TOKENS else 0 for n in counts)
    total = max(total, prompt + written)
    return total, total - prompt if prompt else written


def valid_text(text: str) -> str:
    """Return the text with what no file, database or terminal takes (lone surrogates, NUL) as U+FFFD."""
    if text.isascii() and "\0" not in text:
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\0", "\ufffd")


def _sendable(value: Any) -> Any:
    """Return the messages with valid text only: a question or a page may hold what cannot be encoded."""
    if isinstance(value, str):
        return valid_text(value)
    if isinstance(value, Mapping):
        return {name: _sendable(each) for name, each in value.items()}
    return [_sendable(item) for item in value] if isinstance(value, list | tuple) else value


def _not_a_completion() -> tuple[type[Exception], ...]:
    """Return what reading another answer than a completion raises, or one that is no HTTP.

    The latter are errors of the client for many replies, which the SDK does not know.
    """
    aiohttp = sys.modules.get("aiohttp")
    odd = (AttributeError, TypeError, LookupError, RecursionError, ValueError)
    return (*odd, aiohttp.ClientError) if aiohttp else odd


def _advice(model: str) -> dict[Failure, str]:
    """Return what to do about a failure, where a language model differs from the general case."""
    return {
        "quota": "the account's quota is spent; raise it, or use --no-llm",
        "context": "the question with its passages is too long for the model; lower AGENT_CONTEXT_TOKENS",
        "timeout": "no answer in time; ask again, or raise AGENT_TIMEOUT",
        "model": f"there is no model {model!r} for this key; check OPENAI_MODEL and OPENAI_BASE_URL",
        "permission": "the key may not use this model; check its permissions",
        "rate": "the rate limit holds, even after waiting; ask again later, or use --no-llm",
    }
