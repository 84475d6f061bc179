"""Calls to a Qdrant server: connecting, retrying what may succeed later, and the next address where one is gone."""

from __future__ import annotations

import logging
import re
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from ingestion.bounded_http import MAX_REPLY_BYTES, bound_replies, usable_environment
from ingestion.errors import ConfigurationError, RequestFailed, VectorStoreError
from ingestion.settings.qdrant import QdrantSettings, addresses
from ingestion.vector_stores.server.failures import (
    is_lost_connection,
    pause_before_next,
    reason,
    status_of,
)

if TYPE_CHECKING:
    from qdrant_client import QdrantClient

logger = logging.getLogger(__name__)

T = TypeVar("T")

OLDEST_SERVER = (1, 17)
"""The first one that knows every field we send: `enable_hnsw` of payload indexes came with it."""

ATTEMPTS = 6
ATTEMPTS_TO_CONNECT = 3
LONG_PAUSE = 5.0
"""Seconds from which a pause is worth a warning: a run would seem to hang."""

CONNECT_SECONDS = 5.0
"""How long one of several addresses may take to accept a connection before the next one is tried."""


@dataclass(frozen=True, slots=True)
class Node:
    """A client, and the host that it talks to, which messages name; never the key."""

    client: QdrantClient
    host: str


class Server:
    """A server, or a cluster at several addresses: requests go to one node as long as it answers."""

    def __init__(self, nodes: Sequence[Node], *, sleep: Callable[[float], None] = time.sleep) -> None:
        self.sleep = sleep
        self._nodes = tuple(nodes)
        self._current = 0
        self._has_answered = False

    @property
    def client(self) -> QdrantClient:
        """The client of the node that is used now."""
        return self._nodes[self._current].client

    @property
    def host(self) -> str:
        """The host of the node that is used now."""
        return self._nodes[self._current].host

    def call(self, what: str, request: Callable[[QdrantClient], T]) -> T:
        """Return the request's answer, tried a few times, fewer where the server has not answered anything yet.

        Lost connections, server errors and rate limits are tried again: at once at the other addresses, then after a
        pause that doubles and is spread at random, or after as long as the server asks. Requests must therefore bear
        repetition. Raises RequestFailed, a VectorStoreError with `what` failed, where and why.
        """
        tried, attempts = 0, ATTEMPTS if self._has_answered else ATTEMPTS_TO_CONNECT
        untried = len(self._nodes) - 1
        while True:
            used = self._current
            try:
                answer = request(self._nodes[used].client)
                self._has_answered = True
                return answer
            except Exception as exc:
                if untried and is_lost_connection(exc):
                    untried -= 1
                    self._leave(used, what, exc)
                    continue
                tried += 1
                untried = len(self._nodes) - 1
                pause = pause_before_next(exc, tried)
                if pause is None or tried == attempts:
                    message = f"Qdrant at {self._nodes[used].host}: {what} failed: {reason(exc)}"
                    raise RequestFailed(message, status_of(exc)) from exc
                if is_lost_connection(exc):
                    self._leave(used, what, exc)
                level = logging.WARNING if pause >= LONG_PAUSE else logging.INFO
                logger.log(level, "%s failed (%s), trying again in %.1f s", what, reason(exc), pause)
                self.sleep(pause)

    def find(self, what: str, request: Callable[[QdrantClient], T]) -> T | None:
        """Return the request's answer as `call` does, None where the server does not know the collection."""
        try:
            return self.call(what, request)
        except RequestFailed as error:
            if error.status == 404:
                return None
            raise

    def make(self, what: str, request: Callable[[QdrantClient], object]) -> None:
        """Send a request that creates something, which an attempt whose answer was lost may have done."""
        try:
            self.call(what, request)
        except RequestFailed as error:
            if error.status != 409:
                raise

    def version(self) -> str:
        """Return the server's version; raises VectorStoreError where it is older than OLDEST_SERVER."""
        version = self.call("reading the version", lambda client: client.info().version)
        number = re.match(r"(\d+)\.(\d+)", version)
        if number and (int(number[1]), int(number[2])) < OLDEST_SERVER:
            oldest = ".".join(map(str, OLDEST_SERVER))
            raise VectorStoreError(f"Qdrant at {self.host} is version {version}; {oldest} or newer is needed")
        return version

    def _leave(self, used: int, what: str, exc: Exception) -> None:
        """Use the next node from now on, unless another thread has already moved on."""
        if len(self._nodes) > 1 and self._current == used:
            self._current = (used + 1) % len(self._nodes)
            logger.warning(
                "Qdrant at %s: %s failed (%s); using %s", self._nodes[used].host, what, reason(exc), self.host
            )


def connect(
    url: str,
    api_key: str | None = None,
    settings: QdrantSettings | None = None,
    *,
    sleep: Callable[[float], None] = time.sleep,
) -> Server:
    """Return a connection to the server at `url`, or to the cluster whose addresses it lists; nothing is asked yet.

    `https` in an address is TLS, a path in it is a prefix. Raises ConfigurationError for an address that cannot be
    used.
    """
    settings = settings or QdrantSettings()
    listed = addresses(url)
    nodes = [_node(address, api_key, settings, patient=len(listed) == 1) for address in listed]
    return Server(nodes, sleep=sleep)


def _node(url: str, api_key: str | None, settings: QdrantSettings, *, patient: bool) -> Node:
    from qdrant_client import QdrantClient

    try:
        parts = urlsplit(url if "//" in url else f"//{url}")
        host = f"{parts.hostname}:{parts.port or 6333}"
        with warnings.catch_warnings(), usable_environment(f"Qdrant at {host}"):
            # Logged below, and not for a loopback address.
            warnings.filterwarnings("ignore", message="Api key is used with an insecure connection")
            client = QdrantClient(
                url=url,
                api_key=api_key,
                **asdict(settings.client),
                check_compatibility=False,
                **_transport(settings, patient=patient),
            )
    except ValueError as exc:
        raise ConfigurationError(f"QDRANT_URL cannot be used: {exc}") from exc
    bound_replies(client.http.client._client)
    if api_key and parts.scheme == "http" and parts.hostname not in ("localhost", "127.0.0.1", "::1"):
        logger.warning("the key for Qdrant at %s travels unencrypted; use https", host)
    return Node(client, host)


def _transport(settings: QdrantSettings, *, patient: bool) -> dict[str, Any]:
    """Return what the client is told of certificates, and of how long a connection may take."""
    options: dict[str, Any] = {"grpc_options": {"grpc.max_receive_message_length": MAX_REPLY_BYTES}}
    if settings.ca_file:
        import ssl

        try:
            authority = settings.ca_file.read_bytes()
            options["verify"] = ssl.create_default_context(cadata=authority.decode())
        except (OSError, ValueError) as exc:
            raise ConfigurationError(f"qdrant.ca_file {settings.ca_file} cannot be used: {exc}") from exc
        options["grpc_options"]["root_certificates"] = authority
    if not patient:
        options["transport"] = _quick_transport(options.get("verify", True))
    return options


def _quick_transport(verify: Any) -> Any:
    import httpx

    class QuickConnect(httpx.HTTPTransport):
        """Gives an address up early that does not accept a connection: there is another one."""

        def handle_request(self, request: httpx.Request) -> httpx.Response:
            request.extensions["timeout"] = {**request.extensions.get("timeout", {}), "connect": CONNECT_SECONDS}
            return super().handle_request(request)

    return QuickConnect(verify=verify)
