"""Limit the size and total time of HTTP replies, heads included: responses are untrusted.

An HTTP library bounds each pause of a reply, so that a byte per second keeps it listening for ever, and unpacks
whatever it is sent.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ingestion.errors import BookwiseError, ConfigurationError

if TYPE_CHECKING:
    import httpx

MAX_REPLY_BYTES = 1 << 27
"""How large a reply may be once unpacked: 2,048 vectors of 3,072 numbers are 34 MB, written as digits 80 MB."""

TOTAL_TIMEOUTS = 3.0
"""How long a whole reply may take, in timeouts of one read."""


PACKINGS = ("identity", "gzip", "deflate")
"""Content encodings that are read: packed twice, a few bytes could unpack to anything at once."""


_CERTIFICATES = ("SSL_CERT_FILE", "SSL_CERT_DIR")
_PROXIES = ("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "NO_PROXY")


@contextmanager
def usable_environment(host: str) -> Iterator[None]:
    """Raise ConfigurationError, naming the variable, if the environment allows no client for `host`.

    Every client of HTTP is made within: the libraries read certificates and proxies from it, and raise whatever a
    wrong one leads to.
    """
    try:
        yield
    except BookwiseError:
        raise
    except Exception as error:
        if unusable := _unusable(host, error):
            raise unusable from error
        raise


def _unusable(host: str, error: Exception) -> ConfigurationError | None:
    """Return the error that names the variable to blame, None if none is set."""
    set_now = {name.upper(): value for name, value in os.environ.items() if value or name in _CERTIFICATES}
    names = _CERTIFICATES if isinstance(error, OSError) else _PROXIES
    variable = next((name for name in names if name in set_now), None)
    if variable is None:
        return None
    said = getattr(error, "strerror", None) or str(error)
    place = "" if names is _PROXIES else f" ({set_now[variable]!r})"
    unusable = ConfigurationError(f"{host} cannot be asked: {variable}{place} is not usable: {said}")
    unusable.hint = (
        "name an http:// or https:// proxy, or put the host into NO_PROXY"
        if names is _PROXIES
        else "name a file or folder of certificates in PEM form, or unset it"
    )
    return unusable


class ReplyRefused(Exception):
    """A reply over the bounds; another try would bring the same."""


@dataclass(slots=True)
class ReplyCounter:
    """The remaining limits of a reply, and the errors to raise beyond them."""

    left: int
    deadline: float
    too_large: Exception
    too_late: Exception

    def take(self, piece: bytes) -> bytes:
        """Return the piece; raises if it is too large or too late."""
        self.left -= len(piece)
        if self.left < 0:
            raise self.too_large
        if time.monotonic() > self.deadline:
            raise self.too_late
        return piece


class _Waiting(threading.local):
    """Until when this thread waits for the reply that it asked for last."""

    deadline = float("inf")


_waiting = _Waiting()


def set_deadline(seconds: float) -> float:
    """Let reads of this thread from a client of `limit_heads` end within `seconds`; returns when that is."""
    _waiting.deadline = time.monotonic() + seconds
    return _waiting.deadline


def limit_heads(client: Any) -> None:
    """Let a client of httpx or httpx2 read nothing beyond the deadline of its thread, be it the head of a reply.

    Raises RuntimeError where the library keeps its connections elsewhere: its replies could not be bounded.
    """
    for transport in filter(None, (client._transport, *client._mounts.values())):
        pool: Any = getattr(transport, "_pool", None)
        backend = getattr(pool, "_network_backend", None)
        if backend is None:
            library = type(transport).__module__.partition(".")[0]
            raise RuntimeError(
                f"the installed {library} is too new: its replies could not be bounded; install the version "
                "that requirements.lock names"
            )
        pool._network_backend = _TimedBackend(backend)


class _TimedBackend:
    """Opens connections whose reads keep to the deadline."""

    def __init__(self, backend: Any) -> None:
        self._backend = backend

    def connect_tcp(self, *args: Any, **options: Any) -> Any:
        return _TimedStream(self._backend.connect_tcp(*args, **options))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._backend, name)


class _TimedStream:
    """A connection, also one that TLS was put upon."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def read(self, max_bytes: int, timeout: float | None = None) -> Any:
        left = _waiting.deadline - time.monotonic()
        if left <= 0:
            library = sys.modules[type(self._stream).__module__.partition(".")[0]]
            raise library.ReadTimeout("the whole reply takes too long")
        return self._stream.read(max_bytes, left if timeout is None else min(timeout, left))

    def start_tls(self, *args: Any, **options: Any) -> Any:
        return _TimedStream(self._stream.start_tls(*args, **options))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def bound_replies(client: httpx.Client) -> None:
    """Limit every reply to a client of httpx; beyond the limits it raises ReplyRefused or a timeout.

    No reply comes packed: it could unpack to anything.
    """
    import httpx

    class Pieces(httpx.SyncByteStream):
        def __init__(self, stream: Any, counter: ReplyCounter) -> None:
            self._stream = stream
            self._counter = counter

        def __iter__(self) -> Iterator[bytes]:
            return map(self._counter.take, self._stream)

        def close(self) -> None:
            self._stream.close()

    def ask(request: httpx.Request) -> None:
        request.headers["accept-encoding"] = "identity"
        seconds: float = request.extensions["timeout"]["read"]
        request.extensions["deadline"] = set_deadline(seconds * TOTAL_TIMEOUTS)

    def receive(response: httpx.Response) -> None:
        if response.headers.get("content-encoding", "identity") != "identity":
            raise ReplyRefused("a packed reply, which was not asked for")
        too_late = httpx.ReadTimeout("the whole reply takes too long", request=response.request)
        deadline = response.request.extensions["deadline"]
        too_large = ReplyRefused(f"a reply of more than {MAX_REPLY_BYTES >> 20} MB")
        response.stream = Pieces(response.stream, ReplyCounter(MAX_REPLY_BYTES, deadline, too_large, too_late))

    client.event_hooks = {"request": [ask], "response": [receive]}
    limit_heads(client)
