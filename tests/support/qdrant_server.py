"""A loopback server that speaks the part of Qdrant's REST interface that the adapter uses.

It is not Qdrant. The data and what is done to it are in `tests.support.qdrant_collections`; here requests come
in and are kept, and faults can be ordered. Given Qdrant's OpenAPI description, every request and answer is checked
against it.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Literal

from pydantic import TypeAdapter, ValidationError

from tests.support.openapi import OpenApi
from tests.support.paths import SHARED
from tests.support.qdrant_collections import Body, Collections, Refused

KEY = "s3cret-key"


@dataclass
class Fault:
    """What happens to the next requests whose method and path match, so many times.

    `drop` closes the connection before anything is done, `lose` after, `slow` after, once the server is
    `released`; `swallow` says done and does nothing; a number is answered as the status, and `ok` lets the request
    through.
    """

    path: str
    kind: Literal["ok", "drop", "lose", "slow", "swallow", "wait_timeout"] | int
    times: int = 1
    retry_after: str | None = None


@dataclass
class QdrantServer(Collections):
    """The state behind the socket.

    `requests` are (method, path, body), `sizes` the bytes of their bodies, `violations` what broke the description.
    Bodies of more than `most_bytes` are refused.
    """

    version: str = "1.19.0"
    api_key: str | None = KEY
    openapi: OpenApi | None = None
    faults: list[Fault] = field(default_factory=list)
    requests: list[tuple[str, str, Body]] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    violations: list[str] = field(default_factory=list)
    most_bytes: int = 32 << 20
    url: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.released = threading.Event()

    def paths(self, method: str, ending: str) -> list[Body]:
        """The bodies of the requests of this kind, in order."""
        return [body for verb, path, body in self.requests if verb == method and path.endswith(ending)]

    def fault(self, method: str, path: str) -> Fault | None:
        """The fault ordered for this request, counted down."""
        for fault in self.faults:
            if fault.times and re.search(fault.path, f"{method} {path}"):
                fault.times -= 1
                return fault
        return None


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    state: QdrantServer

    def log_message(self, *args: Any) -> None:
        pass

    def _handle(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        body = json.loads(raw) if raw else None
        path = self.path.partition("?")[0]
        self.state.requests.append((self.command, path, body))
        self.state.sizes.append(len(raw))
        if len(raw) > self.state.most_bytes:
            return self._send(400, {"status": {"error": "Payload error: JSON payload is larger than allowed"}})
        fault = self.state.fault(self.command, path)
        if fault and isinstance(fault.kind, int):
            headers = {"Retry-After": fault.retry_after} if fault.retry_after else {}
            return self._send(fault.kind, {"status": {"error": "ordered by the test"}}, headers)
        if fault and fault.kind == "drop":
            return self._hang_up()
        if fault and fault.kind == "swallow":
            done = {"operation_id": 0, "status": "completed"}
            return self._send(200, {"result": done, "status": "ok", "time": 0.0})
        status, answer = self._answer(path, body)
        if fault and fault.kind == "slow":
            self.state.released.wait(5)
        if fault and fault.kind in ("lose", "slow"):
            return self._hang_up()
        if fault and fault.kind == "wait_timeout":
            answer["result"]["status"] = "wait_timeout"
        return self._send(status, answer)

    def _answer(self, path: str, body: Body) -> tuple[int, dict[str, Any]]:
        state = self.state
        if state.api_key and self.headers.get("api-key") != state.api_key:
            return 401, {"status": {"error": "Must provide an API key or an Authorization bearer token"}}
        if path == "/":
            return 200, {"title": "loopback test server", "version": state.version}
        if state.openapi:
            state.violations += state.openapi.check_request(self.command, path, body)
        try:
            result = state.answer(self.command, path, body)
        except Refused as refused:
            return refused.status, {"status": {"error": str(refused)}}
        except (ValidationError, ValueError) as error:
            return 400, {"status": {"error": str(error)}}
        answer = {
            "result": TypeAdapter(object).dump_python(result, mode="json", exclude_none=True),
            "status": "ok",
            "time": 0.0,
        }
        if state.openapi:
            state.violations += state.openapi.check_answer(self.command, path, answer)
        return 200, answer

    def _send(self, status: int, answer: Any, headers: dict[str, str] | None = None) -> None:
        raw = json.dumps(answer).encode()
        self.send_response(status)
        for name, value in {"content-type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def _hang_up(self) -> None:
        self.close_connection = True

    do_GET = do_PUT = do_POST = do_PATCH = do_DELETE = _handle


@contextmanager
def running(server: QdrantServer) -> Iterator[QdrantServer]:
    """The server on a free loopback port, in a thread."""
    handler = type("Handler", (_Handler,), {"state": server})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as http:
        server.url = f"http://127.0.0.1:{http.server_address[1]}"
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            http.shutdown()
            thread.join()


def description(version: str) -> Path:
    """Where Qdrant's OpenAPI description of a version lies, outside this repository."""
    return SHARED / "qdrant-openapi" / f"{version}.json"
