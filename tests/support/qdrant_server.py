"""A loopback server that speaks the part of Qdrant's REST interface that the adapter uses (the "contract server").

It is not Qdrant: it answers as a real 1.18.3 did to 187 recorded requests, and it can be a cluster whose nodes go
away. The data and what is done to it are in `tests.support.qdrant_collections`, keys in
`tests.support.qdrant_access`; here requests come in and are kept, and faults can be ordered. Given Qdrant's OpenAPI
description, every request and answer is checked against it.

    python -m tests.support.qdrant_server --port 6333 [--strict] [--nodes 2] [--api-key KEY]
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Literal
from urllib.parse import parse_qs

from pydantic import TypeAdapter, ValidationError

from tests.support.openapi import OpenApi
from tests.support.paths import SHARED
from tests.support.qdrant_access import access_of
from tests.support.qdrant_collections import Collections
from tests.support.qdrant_rules import Body, Refused, read_json
from tests.support.waits import LONGEST

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


class QdrantServer(Collections):
    """The state behind the sockets, one for each node.

    `requests` are (method, path, body), `sizes` the bytes of their bodies, `violations` what broke the description.
    Bodies of more than `most_bytes` are refused.
    """

    def __init__(
        self,
        *,
        strict: bool = True,
        nodes: int = 1,
        version: str = "1.19.0",
        api_key: str | None = KEY,
        read_only_key: str | None = None,
        openapi: OpenApi | None = None,
        most_bytes: int = 32 << 20,
    ) -> None:
        super().__init__(strict=strict, nodes=nodes)
        self.version = version
        self.api_key, self.read_only_key = api_key, read_only_key
        self.openapi = openapi
        self.most_bytes = most_bytes
        self.faults: list[Fault] = []
        self.requests: list[tuple[str, str, Body]] = []
        self.sizes: list[int] = []
        self.violations: list[str] = []
        self.urls: list[str] = []
        self.released = threading.Event()

    @property
    def url(self) -> str:
        """The first node's address."""
        return self.urls[0]

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
    disable_nagle_algorithm = True
    state: QdrantServer
    node: int

    def log_message(self, *args: Any) -> None:
        pass

    def _handle(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        if self.node in self.state.away:
            return self._hang_up()
        path = self.path.partition("?")[0]
        try:
            body = read_json(raw) if raw else None
            self.state.requests.append((self.command, path, body))
            self.state.sizes.append(len(raw))
            if len(raw) > self.state.most_bytes:
                raise Refused(400, "Payload error: JSON payload is larger than allowed")
            fault = self.state.fault(self.command, path)
            kind = fault.kind if fault else "ok"
            if kind in ("drop", "swallow") or isinstance(kind, int):
                return self._fail(kind, fault.retry_after if fault else None)
            answer = self._answer(path, body)
        except Refused as refused:
            return self._refuse(refused)
        if kind == "slow":
            self.state.released.wait(LONGEST)
        if kind in ("lose", "slow"):
            return self._hang_up()
        if kind == "wait_timeout":
            answer["result"]["status"] = "wait_timeout"
        return self._send(200, answer)

    def _fail(self, kind: str | int, retry_after: str | None) -> None:
        """Answer without doing what was asked."""
        if isinstance(kind, int):
            headers = {"Retry-After": retry_after} if retry_after else {}
            return self._send(kind, {"status": {"error": "ordered by the test"}}, headers)
        if kind == "drop":
            return self._hang_up()
        done = {"operation_id": 0, "status": "completed"}
        return self._send(200, {"result": done, "status": "ok", "time": 0.0})

    def _answer(self, path: str, body: Body) -> dict[str, Any]:
        state = self.state
        if path == "/":
            return {"title": "contract server", "version": state.version}
        given = self.headers.get("api-key") or (self.headers.get("authorization") or "").removeprefix("Bearer ")
        access = access_of(given, state.api_key, state.read_only_key)
        access.check(self.command, path)
        if state.openapi:
            state.violations += state.openapi.check_request(self.command, path, body)
        ordering: Any = parse_qs(self.path.partition("?")[2]).get("ordering", ["weak"])[0]
        try:
            result = state.answer(self.command, path, body, node=self.node, ordering=ordering)
        except ValidationError as error:
            raise Refused(400, f"Format error in JSON body: {error}") from error
        except ValueError as error:
            raise Refused(400, str(error)) from error
        result = access.visible(path, TypeAdapter(object).dump_python(result, mode="json", warnings=False))
        answer = {"result": without_nulls(result), "status": "ok", "time": 0.0}
        if state.openapi:
            state.violations += state.openapi.check_answer(self.command, path, answer)
        return answer

    def _refuse(self, refused: Refused) -> None:
        if refused.plain:
            return self._send_bytes(refused.status, str(refused).encode(), {"content-type": "text/plain"})
        return self._send(refused.status, {"status": {"error": str(refused)}})

    def _send(self, status: int, answer: Any, headers: dict[str, str] | None = None) -> None:
        self._send_bytes(status, json.dumps(answer).encode(), {"content-type": "application/json", **(headers or {})})

    def _send_bytes(self, status: int, raw: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def _hang_up(self) -> None:
        self.close_connection = True

    do_GET = do_PUT = do_POST = do_PATCH = do_DELETE = _handle


def without_nulls(node: Any) -> Any:
    """Return an answer without its empty fields, but for the end of the pages and what is the asker's own."""
    if isinstance(node, list):
        return [without_nulls(item) for item in node]
    if not isinstance(node, dict):
        return node
    return {
        key: value if key == "payload" or (key == "params" and "type" in (value or {})) else without_nulls(value)
        for key, value in node.items()
        if value is not None or key == "next_page_offset"
    }


@contextmanager
def running(server: QdrantServer, port: int = 0) -> Iterator[QdrantServer]:
    """Serve each node on a loopback port of its own, from `port` on or on free ones, in threads."""
    with ExitStack() as stack:
        for node in range(server.nodes):
            handler = type("Handler", (_Handler,), {"state": server, "node": node})
            http = stack.enter_context(ThreadingHTTPServer(("127.0.0.1", port and port + node), handler))
            server.urls.append(f"http://127.0.0.1:{http.server_address[1]}")
            thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
            thread.start()
            stack.callback(thread.join)
            stack.callback(http.shutdown)
        yield server


def description(version: str) -> Path:
    """Where Qdrant's OpenAPI description of a version lies, outside this repository."""
    return SHARED / "qdrant-openapi" / f"{version}.json"


def main() -> None:
    """Serve until the process is stopped."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--port", type=int, default=6333, help="port of the first node; the others follow it")
    parser.add_argument("--strict", action="store_true", help="new collections are strict, as on Qdrant Cloud")
    parser.add_argument("--nodes", type=int, default=1, help="nodes of the cluster")
    parser.add_argument("--api-key", default=None, help="the key that is asked for; without it none is")
    parser.add_argument("--read-only-key", default=None, help="a key that may read")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    server = QdrantServer(
        strict=arguments.strict,
        nodes=arguments.nodes,
        api_key=arguments.api_key,
        read_only_key=arguments.read_only_key,
    )
    with running(server, arguments.port):
        sys.stdout.write(" ".join(server.urls) + "\n")
        sys.stdout.flush()
        while True:
            time.sleep(3600)


if __name__ == "__main__":
    main()
