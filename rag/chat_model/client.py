"""The language model: chat completions of OpenAI, and of every service that speaks that API, as a stream."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from ingestion.errors import ChatModelError
from rag.chat_model.concessions import conceding, refused_part
from rag.chat_model.reply import FREE_CHARACTERS, Assembly, Reply
from rag.valid_text import storable

if TYPE_CHECKING:
    import openai

    from ingestion.openai_client.access import Failure
    from ingestion.openai_client.sdk import Service

log = logging.getLogger(__name__)

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

EMPTY = (
    "the service sent no answer; check its log. If the passages are too long for the model, lower "
    "AGENT_CONTEXT_TOKENS or AGENT_TOP_K"
)
NOT_A_COMPLETION = "the response is not a chat completion; check OPENAI_BASE_URL"


class ChatModel:
    """Streams replies. `base_url` names another service than OpenAI, which may need no key.

    `timeout` is in seconds, for the connection and for each pause in an answer. No connection is opened before the
    first call. `many` is for servers, and needs the extra `api`: a token costs half as much time, and all tries
    together may take `timeout`, since readers wait.
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
        self._conceded: set[str] = set()

    async def reply(
        self, messages: Sequence[Message], *, tools: Sequence[Mapping[str, Any]], tool_choice: ToolChoice
    ) -> AsyncGenerator[str | Reply]:
        """Yield the pieces of the reply's text as they come, then the Reply; closing the iterator ends the request.

        A service that refuses a part of the request is asked again without it, now and later; see `takes_tools`.
        Raises ChatModelError where it fails for good, or breaks off in mid-answer.
        """
        request = self._request(messages, tools, tool_choice)
        reply = Assembly()
        while not reply.finish:
            if tool_choice == "required" and not self.takes_tools:
                reply.finish = "stop"  # without tools it can only answer, which was not asked for
                break
            async with aclosing(self._stream(conceding(request, self._conceded), reply)) as texts:
                async for text in texts:
                    yield text
        yield reply.whole()

    @property
    def takes_tools(self) -> bool:
        """Return whether the service takes tools, as far as is known: False once it has refused them."""
        return "tools" not in self._conceded

    def _request(
        self, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]], tool_choice: ToolChoice
    ) -> dict[str, Any]:
        limit = "max_tokens" if self._base_url else "max_completion_tokens"
        asked = {
            "model": self.name,
            "messages": storable(messages),
            "temperature": self._temperature,
            "stream": True,
            "stream_options": {"include_usage": True},
            limit: self._max_answer_tokens,
        }
        return asked | {"tools": tools, "tool_choice": tool_choice} if tools else asked

    def _concede(self, said: str) -> bool:
        """Give up the part of the request that the service refuses; return whether there is one."""
        part = refused_part(said, self._conceded)
        if part:
            log.info("language model %s: the service takes no %s, so it is asked without", self.name, part)
            self._conceded.add(part)
        return part is not None

    async def _stream(self, request: dict[str, Any], reply: Assembly) -> AsyncGenerator[str]:
        """Yield the texts of one request; without a finish in the end where it is to be asked again."""
        import openai

        try:
            async with await self._opened(request) as stream:
                async for chunk in stream:
                    if text := reply.add(chunk):
                        yield text
                    self._check_length(reply)
        except TimeoutError as exc:
            raise self._error(_advice(self.name)["timeout"]) from exc
        except openai.OpenAIError as exc:
            if self._concede_before(reply, exc):
                return
            reason = self._service.explain(exc, _advice(self.name))
            raise self._error(reason) from self._service.cause(exc)
        except _not_a_completion() as exc:
            raise self._error(NOT_A_COMPLETION) from exc
        if reply.finish is None and not self._may_ask_again(request, reply):
            raise self._error("the answer stopped in the middle; ask again" if reply.has_begun else EMPTY)

    async def _opened(self, request: dict[str, Any]) -> openai.AsyncStream[object]:
        import openai

        # Plain JSON: to build the SDK's models costs more, a token, than everything else that is done with one.
        asking = self._client.post(
            "/chat/completions", body=request, cast_to=object, stream=True, stream_cls=openai.AsyncStream[object]
        )
        async with asyncio.timeout(self._timeout if self._many else None):
            return await asking

    def _check_length(self, reply: Assembly) -> None:
        if len(reply.text) > CHARACTERS_PER_TOKEN * self._max_answer_tokens + FREE_CHARACTERS:
            raise self._error("the response is far too long; check OPENAI_BASE_URL")

    def _concede_before(self, reply: Assembly, refusal: Exception) -> bool:
        """Give up what the service refuses, if nothing of its reply was shown yet."""
        from ingestion.openai_client.sdk import failure_of

        may_concede = not reply.text and failure_of(refusal) in ("other", "model")
        return may_concede and self._concede(self._service.mask(str(refusal)))

    def _may_ask_again(self, request: dict[str, Any], reply: Assembly) -> bool:
        """Return whether to ask again after a reply without an end: once if it is empty, then without the tools.

        llama-cpp-python sends such where it cannot stream a call.
        """
        reply.empty_streams += 1
        return not reply.has_begun and (reply.empty_streams == 1 or ("tools" in request and self._concede("tools")))

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
        "quota": "the account's quota is used up; raise it, or use --no-llm",
        "context": "the question with its passages is too long for the model; lower AGENT_CONTEXT_TOKENS",
        "timeout": "no response in time; ask again, raise AGENT_TIMEOUT, or lower AGENT_TOP_K to send less text",
        "model": f"there is no model {model!r} for this key; check OPENAI_MODEL and OPENAI_BASE_URL",
        "permission": "the key may not use this model; check its permissions",
        "rate": "still rate limited after waiting; ask again later, or use --no-llm",
    }
