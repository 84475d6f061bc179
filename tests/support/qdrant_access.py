"""Who may do what on the contract server: a key, a read-only key, and tokens as Qdrant's `jwt_rbac` reads them."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
from dataclasses import dataclass
from typing import Any, Literal

from tests.support.qdrant_rules import Refused

_READS = (r"/collections/[^/]+/points(/scroll|/count|/query(/batch)?)?", r"/collections/[^/]+/facet")
"""What is asked by POST and changes nothing."""


@dataclass(frozen=True)
class Access:
    """What a key may do: everything, reading everything, or what is named for each collection (`r`, `rw`)."""

    everywhere: Literal["m", "r"] | None = None
    collections: tuple[tuple[str, str], ...] = ()

    def check(self, method: str, path: str) -> None:
        """Raise Refused unless the request may be made."""
        writes = method != "GET" and not (method == "POST" and any(re.fullmatch(each, path) for each in _READS))
        if self.everywhere:
            if writes and self.everywhere == "r":
                raise Refused(403, "Forbidden: Global manage access is required")
            return
        if path in ("/collections", "/aliases"):
            return
        name = path.split("/")[2] if path.count("/") > 1 else ""
        makes = method in ("PUT", "DELETE", "PATCH") and path.count("/") == 2
        if not name or name == "aliases" or makes:
            raise Refused(403, "Forbidden: Global access is required")
        mode = dict(self.collections).get(name)
        if mode is None:
            raise Refused(403, f"Forbidden: Access to collection {name} is required")
        if writes and mode != "rw":
            raise Refused(403, f"Forbidden: Write access to collection {name} is required")

    def visible(self, path: str, result: Any) -> Any:
        """Return the list of collections or aliases with what this key may see of it."""
        if self.everywhere or path not in ("/collections", "/aliases"):
            return result
        names = dict(self.collections)
        kind = path[1:]
        return {kind: [each for each in result[kind] if all(value in names for value in each.values())]}


def access_of(given: str | None, key: str | None, read_only: str | None) -> Access:
    """Return what a key or token may do; raises Refused for none and for a wrong one."""
    if key is None:
        return Access("m")
    if not given:
        raise Refused(401, "Must provide an API key or an Authorization bearer token", plain=True)
    if given == key:
        return Access("m")
    if read_only is not None and given == read_only:
        return Access("r")
    claims = _claims(given, key)
    if claims is None:
        raise Refused(401, "Invalid API key or JWT", plain=True)
    access = claims.get("access", "m")
    if isinstance(access, str):
        return Access("m" if access == "m" else "r")
    return Access(collections=tuple((each["collection"], each["access"]) for each in access))


def token(key: str, claims: Any) -> str:
    """Return a JSON web token that the server's key signs (HS256)."""
    head = _encoded(json.dumps({"alg": "HS256", "typ": "JWT"}).encode())
    body = _encoded(json.dumps(claims).encode())
    return f"{head}.{body}.{_signature(f'{head}.{body}', key)}"


def _claims(given: str, key: str) -> Any:
    signed, _, signature = given.rpartition(".")
    if not hmac.compare_digest(_signature(signed, key), signature):
        return None
    body = signed.partition(".")[2]
    return json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))


def _signature(signed: str, key: str) -> str:
    return _encoded(hmac.digest(key.encode(), signed.encode(), hashlib.sha256))


def _encoded(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()
