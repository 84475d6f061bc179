"""The language model: chat completions of OpenAI, and of every service that speaks that API, as a stream."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from ingestion.errors import ChatModelError

if TYPE_CHECKING:
    import httpx2
    import openai

Message = dict[str, Any]
"""A message in the form of the API."""

ToolChoice = Literal["auto", "required", "none"]

MAX_RETRIES = 2
"""How often the SDK tries again before an answer has begun; it waits as long as the service asks."""

NOT_A_COMPLETION = "the answer is no chat completion; check OPENAI_BASE_URL"


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call that the model asks for; `arguments` is whatever it wrote, which need not be JSON."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Reply:
    """One whole reply. `refusal` is what the model says instead of an answer, `tokens` what prompt and reply cost."""

    text: str
    tool_calls: tuple[ToolCall, ...]
    is_cut_off: bool
    refusal: str | None
    tokens: int


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
        # A key of the environment must not go to another service: without this the SDK would send it.
        self._key = api_key or "not-needed"
        self._base_url = base_url
        self._temperature = temperature
        self._max_answer_tokens = max_answer_tokens
        self._timeout = timeout
        self._many = many

    async def reply(
        self, messages: Sequence[Message], *, tools: Sequence[Mapping[str, Any]], tool_choice: ToolChoice
    ) -> AsyncGenerator[str | Reply]:
        """The pieces of the reply's text as they come, then the Reply; closing the iterator ends the request.

        Raises ChatModelError where the service fails for good, or breaks off in mid-answer.
        """
        import openai

        limit = "max_tokens" if self._base_url else "max_completion_tokens"
        asked = {
            "model": self.name,
            "messages": messages,
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
        except openai.OpenAIError as exc:
            # A service may quote the key in its answer.
            raise self._error(_reason(exc, self.name)) from (None if self._key in str(exc) else exc)
        except (AttributeError, TypeError, LookupError, json.JSONDecodeError) as exc:
            raise self._error(NOT_A_COMPLETION) from exc
        except _not_http() as exc:
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
        import openai

        client = openai.DefaultAioHttpClient if self._many else openai.DefaultAsyncHttpxClient
        return openai.AsyncOpenAI(
            api_key=self._key,
            base_url=self._base_url,
            timeout=self._timeout,
            max_retries=MAX_RETRIES,
            http_client=client(event_hooks={"response": [_stop_on_spent_quota]}),
        )

    def _error(self, reason: str) -> ChatModelError:
        host = self._client.base_url.netloc.decode()  # never the user and password a URL may hold
        return ChatModelError(f"language model {self.name} at {host}: {reason}".replace(self._key, "***"))


@dataclass(slots=True)
class _Assembly:
    """A reply while its chunks come in."""

    text: str = ""
    refusal: str = ""
    finish: str | None = None
    tokens: int = 0
    calls: dict[int, list[str]] = field(default_factory=dict)

    def add(self, chunk: Any) -> str:
        """Take in one chunk, as parsed; returns its text."""
        if usage := chunk.get("usage"):
            self.tokens = usage.get("total_tokens") or 0
        if not chunk.get("choices"):
            return ""
        choice = chunk["choices"][0]
        delta = choice.get("delta") or {}
        self.finish = choice.get("finish_reason") or self.finish
        self.refusal += delta.get("refusal") or ""
        for part in delta.get("tool_calls") or ():
            call = self.calls.setdefault(part.get("index") or 0, ["", "", ""])
            call[0] = call[0] or part.get("id") or ""
            function = part.get("function") or {}
            # Some services repeat the name in every chunk.
            call[1] = call[1] or function.get("name") or ""
            call[2] += function.get("arguments") or ""
        text: str = delta.get("content") or ""
        self.text += text
        return text

    def whole(self) -> Reply:
        """The reply, all chunks in."""
        calls = tuple(
            ToolCall(identity or f"call_{index}", name, arguments)
            for index, (identity, name, arguments) in sorted(self.calls.items())
        )
        filtered = "its content filter stopped the answer" if self.finish == "content_filter" else None
        return Reply(self.text, calls, self.finish == "length", self.refusal or filtered, self.tokens)


async def _stop_on_spent_quota(response: httpx2.Response) -> None:
    """Tell the SDK, which retries every 429, that waiting brings no quota back."""
    if response.status_code == 429 and b"insufficient_quota" in await response.aread():
        response.headers["x-should-retry"] = "false"


def _not_http() -> tuple[type[Exception], ...]:
    """What the client for many replies raises where a service does not speak HTTP; the SDK does not know it."""
    aiohttp = sys.modules.get("aiohttp")
    return (aiohttp.ClientError,) if aiohttp else ()


def _reason(exc: openai.OpenAIError, model: str) -> str:
    """What failed and what to do, in one line."""
    import openai

    # By the name: the client for many replies says ConnectTimeout of a connection that is refused or breaks too.
    is_late = isinstance(exc, openai.APITimeoutError) and type(exc.__cause__).__name__ != "ConnectTimeout"
    code = exc.code if isinstance(exc, openai.APIError) else None
    if code == "insufficient_quota":
        return "the account's quota is spent; raise it, or use --no-llm"
    if code == "context_length_exceeded":
        return "the question with its passages is too long for the model; lower AGENT_CONTEXT_TOKENS"
    if is_late:
        return "no answer in time; ask again, or raise AGENT_TIMEOUT"
    if code == "model_not_found" or isinstance(exc, openai.NotFoundError):
        return f"there is no model {model!r} for this key; check OPENAI_MODEL and OPENAI_BASE_URL"
    reasons = (
        (openai.AuthenticationError, "the key is not accepted; check OPENAI_API_KEY"),
        (openai.PermissionDeniedError, "the key may not use this model; check its permissions"),
        (openai.RateLimitError, "the rate limit holds, also after waiting; ask again later, or use --no-llm"),
        (openai.APIConnectionError, f"no connection ({exc.__cause__}); check the network and OPENAI_BASE_URL"),
    )
    said = " ".join(str(exc).split())[:300]
    return next((reason for kind, reason in reasons if isinstance(exc, kind)), said)
