"""Identify the client of a request; behind trusted proxies, from their headers.

Anybody can send `X-Forwarded-*`; only headers of a proxy in `api.trusted_proxies` count.
"""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

SITE_BITS = 64
"""One home or server has a whole IPv6 network of this size, so it counts as one client."""


def client_of(address: str) -> str:
    """Return the key under which an address is counted: the address, for IPv6 its network."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address[:64]
    if isinstance(parsed, IPv6Address):
        return str(parsed.ipv4_mapped or ip_network((parsed, SITE_BITS), strict=False).network_address)
    return str(parsed)


class ProxyHeaders:
    """ASGI middleware that takes client, scheme and path prefix from the headers of trusted proxies."""

    def __init__(self, app: ASGIApp, *, trusted: Sequence[str]) -> None:
        self._app = app
        self._networks: list[IPv4Network | IPv6Network] = [ip_network(network, strict=False) for network in trusted]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one connection."""
        if scope["type"] == "http" and self._is_trusted((scope.get("client") or ("", 0))[0]):
            headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
            self._apply(scope, headers)
        await self._app(scope, receive, send)

    def _apply(self, scope: Scope, headers: dict[bytes, str]) -> None:
        if forwarded := headers.get(b"x-forwarded-for"):
            scope["client"] = (self._first_untrusted(forwarded), 0)
        if (scheme := headers.get(b"x-forwarded-proto", "").strip().lower()) in ("http", "https"):
            scope["scheme"] = scheme
        prefix = headers.get(b"x-forwarded-prefix", "").strip().rstrip("/")
        if prefix.startswith("/") and not scope.get("root_path"):
            set_prefix(scope, prefix)

    def _first_untrusted(self, forwarded: str) -> str:
        """Return the last address that is not a trusted proxy: anything before it may be forged."""
        addresses = [part.strip() for part in forwarded.split(",")]
        return next((address for address in reversed(addresses) if not self._is_trusted(address)), addresses[0])

    def _is_trusted(self, address: str) -> bool:
        try:
            parsed = ip_address(address)
        except ValueError:
            return False
        return any(parsed in network for network in self._networks)


class PathPrefix:
    """ASGI middleware for a server under a path: requests work with the prefix and without it."""

    def __init__(self, app: ASGIApp, *, prefix: str) -> None:
        self._app = app
        self._prefix = prefix

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one connection."""
        if scope["type"] == "http":
            set_prefix(scope, self._prefix)
        await self._app(scope, receive, send)


def set_prefix(scope: Scope, prefix: str) -> None:
    """Set the root path of a request; some proxies strip the prefix of a path, others keep it."""
    scope["root_path"] = prefix
    if scope["path"] != prefix and not scope["path"].startswith(prefix + "/"):
        scope["path"] = prefix + scope["path"]
