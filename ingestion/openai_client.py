"""The one gate to OpenAI's SDK: opens its clients, bounds what comes back, names what failed, and masks the key.

Nothing that comes through it is trusted: a service, or whoever stands in its place, may send a reply that unpacks to
gigabytes, or a byte per second for ever. The SDK takes a second to import, so import this module where it is used.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import httpx2
import openai

from ingestion.bounded_http import MAX_REPLY_BYTES, TOTAL_TIMEOUTS, ReplyCounter, limit_heads, set_deadline
from ingestion.errors import ChatModelError, ConfigurationError

log = logging.getLogger(__name__)

Failure = Literal[
    "quota", "context", "model", "key", "permission", "rate", "timeout", "connection", "size", "redirect", "other"
]
"""What went wrong, as far as it decides what to do about it."""

OnHeaders = Callable[[Mapping[str, str]], None]

LONG_WAIT = 5.0
"""Seconds from which a wait that the service asks for is worth a warning."""

NO_KEY = "not-needed"
"""Stands for a key where a service needs none: the SDK would send it the environment's otherwise."""

_PLAIN = {"accept-encoding": "identity"}
"""Vectors and tokens hardly pack; a reply that comes packed all the same is unpacked in pieces."""

_ADVICE: Mapping[Failure, str] = {
    "quota": "the account's quota is spent; raise it and run again",
    "key": "the key is not accepted; check OPENAI_API_KEY",
    "rate": "the rate limit holds, even after waiting; run again later",
    "timeout": "no answer in time; run again later",
    "size": "the reply is larger than any right one; check OPENAI_BASE_URL",
    "redirect": "it redirects elsewhere, where no key is sent; set OPENAI_BASE_URL to the address that answers",
}


def _is_openai_key(key: str) -> bool:
    """Return whether it may be one of OpenAI's: `sk-` and 40 characters or more that a header can hold."""
    return key.startswith("sk-") and len(key) >= 40 and key.isascii() and key.isprintable()


class ReplyTooLarge(openai.OpenAIError):
    """A reply over the bound; the SDK raises its own errors at once, without another try."""


@dataclass(frozen=True, slots=True)
class Service:
    """A service that speaks OpenAI's API, and how to ask it.

    `timeout` is in seconds, for the connection and for each pause in a reply; a whole reply may take `total_timeout`,
    by default TOTAL_TIMEOUTS of them. With `api_version` it is Azure's older API. Raises ConfigurationError for a key
    that no header can carry or that is not OpenAI's, and where there is neither a key nor another service.
    """

    api_key: str | None = field(repr=False)
    base_url: str | None
    timeout: float
    max_retries: int
    api_version: str | None = None
    max_reply_bytes: int = MAX_REPLY_BYTES
    total_timeout: float | None = None

    def __post_init__(self) -> None:
        if self.api_key and not (self.api_key.isascii() and self.api_key.isprintable()):
            # The HTTP library refuses such a header, and quotes it.
            raise ConfigurationError("OPENAI_API_KEY holds characters that cannot be part of a key")
        if self.base_url:
            return
        if not self.api_key:
            raise ConfigurationError(
                "no key of the OpenAI service: set OPENAI_API_KEY, or OPENAI_BASE_URL for another service, or use "
                "the built-in model with BOOKWISE_EMBEDDER=local"
            )
        if not _is_openai_key(self.api_key):
            raise ConfigurationError(
                "OPENAI_API_KEY does not look like a key of OpenAI (sk-, 40 characters or more); for another service "
                "set OPENAI_BASE_URL"
            )

    def open(self, on_headers: OnHeaders | None = None) -> openai.OpenAI:
        """Return a client that threads may share; `on_headers` is given the headers of every reply."""
        options: Any = {
            "api_key": self._key,
            "timeout": self.timeout,
            "max_retries": self.max_retries,
            "http_client": _BoundedClient(self._bounds(), on_headers),
        }
        if self.api_version and self.base_url:
            return openai.AzureOpenAI(azure_endpoint=self.base_url, api_version=self.api_version, **options)
        return openai.OpenAI(base_url=self.base_url, **options)

    def open_async(self, *, many: bool = False) -> openai.AsyncOpenAI:
        """Return a client for one event loop; with `many` replies at once a token costs half as much time."""
        return openai.AsyncOpenAI(
            api_key=self._key,
            base_url=self.base_url,
            timeout=self.timeout,
            max_retries=self.max_retries,
            http_client=(_BoundedAioClient if many else _BoundedAsyncClient)(self._bounds()),
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
            raise ChatModelError("what the service answers is no list of models; check OPENAI_BASE_URL") from error

    def mask(self, text: str) -> str:
        """Return the text as one line of at most 300 characters, without the key."""
        return " ".join(text.replace(self._key, "***").split())[:300]

    def cause(self, error: Exception) -> Exception | None:
        """Return the error to raise from, or None where it quotes the key, as some services do."""
        return None if self._key in str(error) else error

    def explain(self, error: Exception, advice: Mapping[Failure, str]) -> str:
        """Return what failed and what to do, in one line; `advice` goes before the general one."""
        failure = failure_of(error)
        if said := advice.get(failure) or _ADVICE.get(failure):
            return said
        if failure == "connection":
            return self.mask(f"no connection ({error.__cause__ or error}); check the network and OPENAI_BASE_URL")
        return self.mask(str(error))

    @property
    def _key(self) -> str:
        return self.api_key or NO_KEY

    def _bounds(self) -> _Bounds:
        return _Bounds(self.max_reply_bytes, self.total_timeout or self.timeout * TOTAL_TIMEOUTS)


def host_of(client: openai.OpenAI | openai.AsyncOpenAI) -> str:
    """Return host and port of a client's service, never the user and password that a URL may hold."""
    return client.base_url.netloc.decode()


def failure_of(error: Exception) -> Failure:
    """Return what kind of failure an error of the SDK, or of the HTTP library below it, is."""
    code = error.code if isinstance(error, openai.APIError) else None
    coded: dict[str | None, Failure] = {
        "insufficient_quota": "quota",
        "context_length_exceeded": "context",
        "model_not_found": "model",
    }
    if code in coded:
        return coded[code]
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
    return next((failure for kind, failure in kinds if isinstance(error, kind)), "other")


@dataclass(frozen=True, slots=True)
class _Bounds:
    size: int
    seconds: float

    def begin(self) -> ReplyCounter:
        """Count the reply that this thread asks for now."""
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
    """Gives the SDK no reply that is over the bounds, an error's included."""

    def __init__(self, bounds: _Bounds, on_headers: OnHeaders | None) -> None:
        super().__init__(headers=_PLAIN, follow_redirects=False)
        limit_heads(self)
        self._bounds = bounds
        self._on_headers = on_headers

    def send(self, request: httpx2.Request, *, stream: bool = False, **options: Any) -> httpx2.Response:
        counter = self._bounds.begin()
        response = super().send(request, stream=True, **options)
        if self._on_headers:
            self._on_headers(response.headers)
        bounded = _with_body(response, _Pieces(response, counter))
        if not stream or not response.is_success:
            bounded.read()
            _tell_retries(bounded)
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
                bounded = _with_body(response, _AsyncPieces(response, counter))
                if not stream or not response.is_success:
                    await bounded.aread()
                    _tell_retries(bounded)
                return bounded
        except TimeoutError:
            raise counter.too_late from None


class _BoundedAioClient(_BoundedAsyncClient, openai.DefaultAioHttpClient):
    """The same over aiohttp."""


def _with_body(response: httpx2.Response, body: httpx2.SyncByteStream | httpx2.AsyncByteStream) -> httpx2.Response:
    """Return the response with an unpacked body in place of its own."""
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
    level = logging.WARNING if seconds >= LONG_WAIT else logging.DEBUG
    log.log(level, "%s answers %d and asks to wait for %.0f s", response.url.host, response.status_code, seconds)
