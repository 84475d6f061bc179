"""Connections to one service by Python's own HTTP, kept open between requests, with bounds on what comes back."""

from __future__ import annotations

import base64
import io
import os
import select
import ssl
import sys
import time
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection, IncompleteRead
from socket import socket
from typing import Any, cast
from urllib.parse import SplitResult, quote, unquote, urlsplit

from ingestion.bounded_http import ReplyCounter
from ingestion.errors import ConfigurationError
from ingestion.openai_client.access import OPENAI_URL, Failure, ServiceAccess

_BLOCK = 1 << 16

_UNPACKED = {"gzip": 31, "x-gzip": 31, "deflate": 15}
"""How zlib is told of the format, by content encoding: nothing packed is asked for, some send it all the same."""

_ORGANISATION = {"OPENAI_ORG_ID": "openai-organization", "OPENAI_PROJECT_ID": "openai-project"}
"""Who pays, where a key belongs to several: as OpenAI's SDK reads it from the environment."""


class NoReply(Exception):
    """No whole reply came, or one over the bounds."""

    def __init__(self, failure: Failure, said: str) -> None:
        super().__init__(said)
        self.failure = failure


@dataclass(frozen=True, slots=True)
class Reply:
    """One whole reply; header names in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Connections:
    """Those of one service; threads may share them, each request has one for itself."""

    def __init__(self, access: ServiceAccess) -> None:
        self._access = access
        self._parts = urlsplit(access.base_url or OPENAI_URL)
        self._idle: list[HTTPConnection] = []

    def post(self, path: str, body: bytes) -> Reply:
        """Send one request and return the reply; redirects are not followed. Raises NoReply."""
        access = self._access
        too_late = TimeoutError("the whole reply takes too long")
        too_large = NoReply("size", "the reply is too large")
        counter = ReplyCounter(access.largest_reply, time.monotonic() + access.total_seconds, too_large, too_late)
        connection = self._idle_one() or self._connected()
        try:
            reply = self._exchange(connection, path, body, counter)
        except BaseException:
            connection.close()
            raise
        if connection.sock and reply.status >= 200:
            self._idle.append(connection)
        else:
            connection.close()
        return reply

    def __del__(self) -> None:
        """Close what is idle: an embedder has no end of its own."""
        for connection in self._idle:
            connection.close()

    def _exchange(self, connection: HTTPConnection, path: str, body: bytes, counter: ReplyCounter) -> Reply:
        def bounded(sock: socket, *args: Any, **options: Any) -> HTTPResponse:
            reader = cast("socket", _BoundedSocket(sock, self._access.timeout, counter))
            return HTTPResponse(reader, *args, **options)

        connection.response_class = bounded  # type: ignore[assignment]
        blocks = (body[start : start + _BLOCK] for start in range(0, len(body), _BLOCK))
        headers = self._headers | {"content-length": str(len(body))}
        try:
            assert connection.sock
            connection.sock.settimeout(self._access.timeout)
            connection.request("POST", self._target(path), blocks, headers)
            with connection.getresponse() as response:
                told = {name.lower(): value for name, value in response.getheaders()}
                return Reply(response.status, told, b"".join(_pieces(response, told, counter)))
        except TimeoutError as error:
            raise NoReply("timeout", str(error)) from error
        except (OSError, HTTPException, ValueError, zlib.error) as error:
            raise NoReply("connection", str(error)) from error

    def _idle_one(self) -> HTTPConnection | None:
        """Return a connection that is still open: one that can be read says that the service closed it."""
        while self._idle:
            try:
                connection = self._idle.pop()
            except IndexError:  # another thread was faster
                return None
            try:
                if connection.sock and not select.select([connection.sock], [], [], 0)[0]:
                    return connection
            except (OSError, ValueError):
                """Closed, or beyond what `select` can look at."""
            connection.close()
        return None

    def _connected(self) -> HTTPConnection:
        connection = self._new()
        try:
            connection.connect()
        except (OSError, HTTPException, ValueError) as error:
            connection.close()
            raise NoReply("connection", str(error)) from error
        return connection

    def _new(self) -> HTTPConnection:
        parts, proxy, timeout = self._parts, self._proxy, self._access.timeout
        is_secure = parts.scheme == "https"
        to = proxy or parts
        port = to.port or (443 if to is parts and is_secure else 80)
        host = to.hostname or ""
        if not is_secure:
            return HTTPConnection(host, port, timeout=timeout)
        connection = HTTPSConnection(host, port, timeout=timeout, context=self._tls)
        if proxy:
            connection.set_tunnel(parts.hostname or "", parts.port or 443, _proxy_headers(proxy))
        return connection

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        """Trust whom the system trusts, or the authorities that the environment names."""
        if os.environ.get("SSL_CERT_FILE") or os.environ.get("SSL_CERT_DIR"):
            return ssl.create_default_context()
        import truststore

        return truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)

    @cached_property
    def _proxy(self) -> SplitResult | None:
        """Return the parts of the proxy's URL that the environment, or the system, names for this service."""
        if sys.platform not in ("darwin", "win32") and not any(
            name.lower().endswith("_proxy") for name in os.environ
        ):
            return None
        # Imported late: few have a proxy, and the module reads much.
        from urllib.request import getproxies, proxy_bypass

        known = getproxies()
        url = known.get(self._parts.scheme) or known.get("all")
        if not url or proxy_bypass(self._parts.hostname or ""):
            return None
        proxy = urlsplit(url if "://" in url else f"http://{url}")
        if proxy.scheme != "http":
            raise ConfigurationError(
                f"the proxy for {self._access.host} is of the kind {proxy.scheme}:, only http: is known; change "
                "HTTP_PROXY, HTTPS_PROXY or ALL_PROXY, or name the service in NO_PROXY"
            )
        return proxy

    @cached_property
    def _headers(self) -> dict[str, str]:
        access, parts = self._access, self._parts
        headers = {"content-type": "application/json", "accept": "application/json", "accept-encoding": "identity"}
        headers["user-agent"] = "bookwise"
        if access.api_version:
            headers["api-key"] = access.key
        else:
            headers["authorization"] = _basic(parts) if parts.username else f"Bearer {access.key}"
            headers |= {
                name: os.environ[variable] for variable, name in _ORGANISATION.items() if variable in os.environ
            }
        if self._proxy and parts.scheme == "http":
            headers |= _proxy_headers(self._proxy)
        return headers

    def _target(self, path: str) -> str:
        """Return what follows the host; a proxy for plain HTTP is told the host too."""
        parts = self._parts
        target = quote(parts.path.rstrip("/"), safe="/%:@!$&'()*+,;=~") + path
        if parts.query:
            target += f"{'&' if '?' in path else '?'}{parts.query}"
        is_forwarded = self._proxy and parts.scheme == "http"
        return f"http://{self._access.host}{target}" if is_forwarded else target


def _pieces(response: HTTPResponse, headers: Mapping[str, str], counter: ReplyCounter) -> Iterator[bytes]:
    """Yield a body in pieces, unpacked; raises where it is over the bounds, or ends before its length."""
    window = _UNPACKED.get(headers.get("content-encoding", "identity").lower())
    unpacker = zlib.decompressobj(window) if window else None
    while piece := response.read(_BLOCK):
        if unpacker is None:
            yield counter.take(piece)
        while unpacker and piece:
            yield counter.take(unpacker.decompress(piece, _BLOCK))
            piece = unpacker.unconsumed_tail
    if unpacker:
        yield counter.take(unpacker.flush())
    if response.length:
        raise IncompleteRead(b"", response.length)


class _BoundedSocket:
    """What a reply is read from: no read goes on beyond the deadline, be it of the head."""

    def __init__(self, sock: socket, timeout: float, counter: ReplyCounter) -> None:
        self._reader = _BoundedReader(sock, timeout, counter)

    def makefile(self, mode: str) -> io.BufferedReader:
        """Return the stream of what comes in, as a socket does."""
        return io.BufferedReader(self._reader, _BLOCK)


class _BoundedReader(io.RawIOBase):
    def __init__(self, sock: socket, timeout: float, counter: ReplyCounter) -> None:
        self._sock = sock
        # A socket that is closed meanwhile, as it is before the body of a last reply is read, stays open for this.
        self._unbounded = sock.makefile("rb", buffering=0)
        self._timeout = timeout
        self._counter = counter

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        self._unbounded.close()
        super().close()

    def readinto(self, buffer: Any) -> int:
        left = self._counter.deadline - time.monotonic()
        if left <= 0:
            raise self._counter.too_late
        self._sock.settimeout(min(self._timeout, left))
        return self._unbounded.readinto(buffer) or 0


def _basic(parts: SplitResult) -> str:
    """Return the credentials in a URL as a header has them."""
    pair = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}"
    return f"Basic {base64.b64encode(pair.encode()).decode()}"


def _proxy_headers(proxy: SplitResult) -> dict[str, str]:
    return {"proxy-authorization": _basic(proxy)} if proxy.username else {}
