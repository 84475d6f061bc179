"""The only module that uses OpenAI's SDK: opens its clients, limits replies, and names failures.

Nothing that comes through it is trusted: a service, or whoever stands in its place, may send a reply that unpacks to
gigabytes, or a byte per second for ever. The SDK takes a second to import, so import this module where it is used.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import httpx2
import openai

from ingestion.bounded_http import PACKINGS, ReplyCounter, limit_heads, set_deadline, usable_environment
from ingestion.errors import ChatModelError
from ingestion.openai_client.access import FAILURES_BY_CODE, TOO_LONG, Failure, ServiceAccess, log_wait

_PLAIN = {"accept-encoding": "identity"}
"""Vectors and tokens hardly compress; a compressed reply is still decompressed in pieces."""


class ReplyTooLarge(openai.OpenAIError):
    """A reply over the limit; the SDK raises its own errors at once, without a retry."""


class Service(ServiceAccess):
    """A service reached through the SDK."""

    __slots__ = ()

    def open(self) -> openai.OpenAI:
        """Return a client that threads may share."""
        options: Any = {
            "api_key": self.key,
            "timeout": self.timeout,
            "max_retries": self.max_retries,
        }
        with usable_environment(self.host):
            options["http_client"] = _BoundedClient(self._bounds())
        if self.api_version and self.base_url:
            return openai.AzureOpenAI(azure_endpoint=self.base_url, api_version=self.api_version, **options)
        return openai.OpenAI(base_url=self.base_url, **options)

    def open_async(self, *, many: bool = False) -> openai.AsyncOpenAI:
        """Return a client for one event loop; with `many` replies at once a token costs half as much time."""
        with usable_environment(self.host):
            client = (_BoundedAioClient if many else _BoundedAsyncClient)(self._bounds())
        return openai.AsyncOpenAI(
            api_key=self.key,
            base_url=self.base_url,
            timeout=self.timeout,
            max_retries=self.max_retries,
            http_client=client,
        )

    def model_names(self) -> frozenset[str]:
        """Return the names of the service's models, none where it lists none; raises ChatModelError."""
        try:
            with self.open() as client:
                return frozenset(model.id for model in client.models.list().data or ())
        except openai.NotFoundError:
            return frozenset()
        except openai.OpenAIError as error:
            raise ChatModelError(f"the service does not answer: {self.explain(error, {})}") from self.cause(error)
        except (AttributeError, TypeError, ValueError, RecursionError) as error:
            raise ChatModelError("the service's response is not a list of models; check OPENAI_BASE_URL") from error

    def explain(self, error: Exception, advice: Mapping[Failure, str]) -> str:
        """Return what failed and what to do, in one line; `advice` goes before the general one."""
        return self.advise(failure_of(error), error, advice)

    def _bounds(self) -> _Bounds:
        return _Bounds(self.largest_reply, self.total_seconds)


def failure_of(error: Exception) -> Failure:
    """Return the kind of failure of an error from the SDK or its HTTP library."""
    code = error.code if isinstance(error, openai.APIError) else None
    if code in FAILURES_BY_CODE:
        return FAILURES_BY_CODE[code]
    # By the name: the client for many replies says ConnectTimeout of a connection that is refused or breaks too.
    if isinstance(error, openai.APITimeoutError) and type(error.__cause__).__name__ != "ConnectTimeout":
        return "timeout"
    if isinstance(error, openai.APIStatusError) and 300 <= error.status_code < 400:
        return "redirect"
    kinds: tuple[tuple[type[Exception], Failure], ...] = (
        (ReplyTooLarge, "size"),
        (openai.NotFoundError, "model"),
        (openai.AuthenticationError, "key"),
        (openai.PermissionDeniedError, "permission"),
        (openai.RateLimitError, "rate"),
        (openai.APIConnectionError, "connection"),
        (httpx2.TimeoutException, "timeout"),
        (httpx2.HTTPError, "connection"),
    )
    otherwise: Failure = "context" if TOO_LONG.search(str(error)) else "other"
    return next((failure for kind, failure in kinds if isinstance(error, kind)), otherwise)


@dataclass(frozen=True, slots=True)
class _Bounds:
    size: int
    seconds: float

    def begin(self) -> ReplyCounter:
        """Begin to count this thread's next reply."""
        too_late = httpx2.ReadTimeout("the whole reply takes too long")
        return ReplyCounter(self.size, set_deadline(self.seconds), ReplyTooLarge("the reply is too large"), too_late)


class _Pieces(httpx2.SyncByteStream):
    """A reply's body, unpacked, as long as it is within the bounds."""

    def __init__(self, response: httpx2.Response, counter: ReplyCounter) -> None:
        self._response = response
        self._counter = counter

    def __iter__(self) -> Iterator[bytes]:
        return map(self._counter.take, self._response.iter_bytes())

    def close(self) -> None:
        self._response.close()


class _AsyncPieces(httpx2.AsyncByteStream):
    """As _Pieces."""

    def __init__(self, response: httpx2.Response, counter: ReplyCounter) -> None:
        self._response = response
        self._counter = counter

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._response.aiter_bytes():
            yield self._counter.take(piece)

    async def aclose(self) -> None:
        await self._response.aclose()


class _BoundedClient(openai.DefaultHttpxClient):
    """Gives the SDK no reply over the limits, error replies included."""

    def __init__(self, bounds: _Bounds) -> None:
        super().__init__(headers=_PLAIN, follow_redirects=False)
        limit_heads(self)
        self._bounds = bounds

    def send(self, request: httpx2.Request, *, stream: bool = False, **options: Any) -> httpx2.Response:
        counter = self._bounds.begin()
        response = super().send(request, stream=True, **options)
        try:
            bounded = _with_body(response, _Pieces(response, counter))
            if not stream or not response.is_success:
                bounded.read()
                _tell_retries(bounded)
        except BaseException:
            response.close()
            raise
        return bounded


class _BoundedAsyncClient(openai.DefaultAsyncHttpxClient):
    """As _BoundedClient."""

    def __init__(self, bounds: _Bounds) -> None:
        super().__init__(headers=_PLAIN, follow_redirects=False)
        self._bounds = bounds

    async def send(self, request: httpx2.Request, *, stream: bool = False, **options: Any) -> httpx2.Response:
        counter = self._bounds.begin()
        try:
            async with asyncio.timeout(self._bounds.seconds):
                response = await super().send(request, stream=True, **options)
                try:
                    bounded = _with_body(response, _AsyncPieces(response, counter))
                    if not stream or not response.is_success:
                        await bounded.aread()
                        _tell_retries(bounded)
                except BaseException:
                    await response.aclose()
                    raise
                return bounded
        except TimeoutError:
            raise counter.too_late from None


class _BoundedAioClient(_BoundedAsyncClient, openai.DefaultAioHttpClient):
    """The same over aiohttp."""


def _with_body(response: httpx2.Response, body: httpx2.SyncByteStream | httpx2.AsyncByteStream) -> httpx2.Response:
    """Return the response with an unpacked body in place of its own; raises ReplyTooLarge if it is packed twice."""
    if response.headers.get("content-encoding", "identity").lower() not in PACKINGS:
        raise ReplyTooLarge("the reply is packed in a way that was not asked for")
    of_the_body = ("content-encoding", "content-length", "transfer-encoding")
    return httpx2.Response(
        response.status_code,
        headers=[header for header in response.headers.multi_items() if header[0] not in of_the_body],
        stream=body,
        request=response.request,
        extensions=response.extensions,
        history=response.history,
    )


def _tell_retries(response: httpx2.Response) -> None:
    """Tell the SDK, which retries every 429, that waiting brings no quota back; and the log that it will wait."""
    if response.status_code == 429 and b"insufficient_quota" in response.content:
        response.headers["x-should-retry"] = "false"
        return
    try:
        seconds = float(response.headers.get("retry-after", "0"))
    except ValueError:
        return
    log_wait(response.url.host, response.status_code, seconds)
