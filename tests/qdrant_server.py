"""A loopback server that speaks the part of Qdrant's REST interface that the adapter uses.

It is not Qdrant. Bodies are parsed with the client's generated models, which refuse unknown fields; the data lives
in the client's local mode; filters on fields without an index are refused as strict mode does; and faults can be
ordered. Given Qdrant's OpenAPI description, every request and answer is checked against it.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Literal

from pydantic import TypeAdapter, ValidationError
from qdrant_client import QdrantClient
from qdrant_client import models as rest

from tests.openapi import OpenApi

Body = Any
KEY = "s3cret-key"


class Refused(Exception):
    """An answer other than 200."""

    def __init__(self, status: int, message: str) -> None:
        self.status = status
        super().__init__(message)


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
class QdrantServer:
    """The state behind the socket.

    `requests` are (method, path, body), `sizes` the bytes of their bodies, `violations` what broke the description,
    `made` how collections were made, `statuses` those that collections show next, then green. Bodies of more than
    `most_bytes` are refused.
    """

    version: str = "1.19.0"
    api_key: str | None = KEY
    openapi: OpenApi | None = None
    faults: list[Fault] = field(default_factory=list)
    requests: list[tuple[str, str, Body]] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    violations: list[str] = field(default_factory=list)
    indexed: dict[str, dict[str, str]] = field(default_factory=dict)
    made: dict[str, rest.CreateCollection] = field(default_factory=dict)
    statuses: list[str] = field(default_factory=list)
    most_bytes: int = 32 << 20
    url: str = ""

    def __post_init__(self) -> None:
        self.db = QdrantClient(":memory:")
        self.lock = threading.RLock()
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

    def answer(self, method: str, path: str, body: Body) -> Any:
        """The result of a request; raises Refused."""
        for verb, pattern, handle in ROUTES:
            match = re.fullmatch(pattern, path)
            if verb == method and match:
                with self.lock:
                    return handle(self, *match.groups(), body)
        raise Refused(404, f"no route {method} {path}")

    def require_indexes(self, collection: str, filtered: Any) -> None:
        """Strict mode: every filtered field needs a payload index."""
        aliases = {each.alias_name: each.collection_name for each in self.db.get_aliases().aliases}
        known = self.indexed.get(aliases.get(collection, collection), {})
        for key in _keys(filtered):
            if key not in known:
                raise Refused(400, f'Bad request: Index required but not found for "{key}"')


def _keys(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        if isinstance(node.get("key"), str):
            yield node["key"]
        for value in node.values():
            yield from _keys(value)
    elif isinstance(node, list):
        for value in node:
            yield from _keys(value)


def _parse(model: Any, body: Body) -> Any:
    return TypeAdapter(model).validate_python(body)


def _create(server: QdrantServer, name: str, body: Body) -> Any:
    wanted = _parse(rest.CreateCollection, body)
    if server.db.collection_exists(name):
        raise Refused(409, f"Wrong input: Collection `{name}` already exists!")
    server.indexed[name] = {}
    server.made[name] = wanted
    return server.db.create_collection(
        name, vectors_config=wanted.vectors, sparse_vectors_config=wanted.sparse_vectors, metadata=wanted.metadata
    )


def _info(server: QdrantServer, name: str, body: Body) -> Any:
    if not server.db.collection_exists(name):
        raise Refused(404, f"Not found: Collection `{name}` doesn't exist!")
    info = server.db.get_collection(name)
    info.payload_schema = {
        key: rest.PayloadIndexInfo(data_type=kind, points=0) for key, kind in server.indexed[name].items()
    }
    if server.statuses:
        info.status = rest.CollectionStatus(server.statuses.pop(0))
    if made := server.made.get(name):
        info.config.params.shard_number = made.shard_number or 1
        info.config.params.replication_factor = made.replication_factor or 1
        info.config.params.on_disk_payload = made.on_disk_payload
        info.config.quantization_config = made.quantization_config
        if made.optimizers_config:
            info.config.optimizer_config.indexing_threshold = made.optimizers_config.indexing_threshold
    return info


def _update(server: QdrantServer, name: str, body: Body) -> Any:
    if name not in server.made:
        raise Refused(404, f"Not found: Collection `{name}` doesn't exist!")
    server.made[name].optimizers_config = _parse(rest.UpdateCollection, body).optimizers_config
    return True


def _index(server: QdrantServer, name: str, body: Body) -> Any:
    wanted = _parse(rest.CreateFieldIndex, body)
    server.indexed[name][wanted.field_name] = wanted.field_schema.type.value
    return rest.UpdateResult(operation_id=0, status=rest.UpdateStatus.COMPLETED)


def _upsert(server: QdrantServer, name: str, body: Body) -> Any:
    wanted = _parse(rest.PointInsertOperations, body)
    return server.db.upsert(name, wanted.points, update_filter=wanted.update_filter)


def _batch(server: QdrantServer, name: str, body: Body) -> Any:
    return server.db.batch_update_points(name, _parse(rest.UpdateOperations, body).operations)


def _delete(server: QdrantServer, name: str, body: Body) -> Any:
    return server.db.delete(name, _parse(rest.PointsSelector, body))


def _retrieve(server: QdrantServer, name: str, body: Body) -> Any:
    wanted = _parse(rest.PointRequest, body)
    return server.db.retrieve(
        name, wanted.ids, with_payload=wanted.with_payload, with_vectors=bool(wanted.with_vector)
    )


def _scroll(server: QdrantServer, name: str, body: Body) -> Any:
    server.require_indexes(name, body.get("filter"))
    wanted = _parse(rest.ScrollRequest, body)
    points, offset = server.db.scroll(
        name,
        scroll_filter=wanted.filter,
        limit=wanted.limit,
        offset=wanted.offset,
        with_payload=wanted.with_payload,
        with_vectors=bool(wanted.with_vector),
    )
    return {"points": points, "next_page_offset": offset}


def _count(server: QdrantServer, name: str, body: Body) -> Any:
    server.require_indexes(name, body.get("filter"))
    return server.db.count(name, _parse(rest.CountRequest, body).filter)


def _facet(server: QdrantServer, name: str, body: Body) -> Any:
    server.require_indexes(name, [{"key": body["key"]}, body.get("filter")])
    wanted = _parse(rest.FacetRequest, body)
    return server.db.facet(name, wanted.key, wanted.filter, limit=wanted.limit)


def _query(server: QdrantServer, name: str, body: Body) -> Any:
    server.require_indexes(name, [each.get("filter") for each in body["searches"]])
    return server.db.query_batch_points(name, _parse(rest.QueryRequestBatch, body).searches)


def _switch(server: QdrantServer, body: Body) -> Any:
    return server.db.update_collection_aliases(_parse(rest.ChangeAliasesOperation, body).actions)


ROUTES: list[tuple[str, str, Callable[..., Any]]] = [
    ("GET", "/collections", lambda server, body: server.db.get_collections()),
    ("GET", "/aliases", lambda server, body: server.db.get_aliases()),
    ("POST", "/collections/aliases", _switch),
    ("GET", "/collections/([^/]+)/exists", lambda server, name, body: {"exists": server.db.collection_exists(name)}),
    ("GET", "/collections/([^/]+)", _info),
    ("PUT", "/collections/([^/]+)", _create),
    ("PATCH", "/collections/([^/]+)", _update),
    ("DELETE", "/collections/([^/]+)", lambda server, name, body: server.db.delete_collection(name)),
    ("PUT", "/collections/([^/]+)/index", _index),
    ("PUT", "/collections/([^/]+)/points", _upsert),
    ("POST", "/collections/([^/]+)/points", _retrieve),
    ("POST", "/collections/([^/]+)/points/batch", _batch),
    ("POST", "/collections/([^/]+)/points/delete", _delete),
    ("POST", "/collections/([^/]+)/points/scroll", _scroll),
    ("POST", "/collections/([^/]+)/points/count", _count),
    ("POST", "/collections/([^/]+)/points/query/batch", _query),
    ("POST", "/collections/([^/]+)/facet", _facet),
]


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
    return Path(__file__).parents[2] / "shared" / "qdrant-openapi" / f"{version}.json"
