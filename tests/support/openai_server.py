"""A loopback server that speaks OpenAI's wire format, with scripted faults; the real SDK talks to it.

    with OpenAIServer() as server:
        server.script.append(error(429, "slow down", headers={"retry-after-ms": "1"}))
        client = OpenAI(base_url=server.base_url, api_key="any")

A request takes the next entry of `script`; without one its endpoint answers. Another endpoint is another function
in ENDPOINTS.
"""

from __future__ import annotations

import base64
import hashlib
import json
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ingestion.tokens import count_tokens

DIMENSIONS = {"text-embedding-3-small": 1536, "text-embedding-3-large": 3072}
OTHER_DIMENSIONS = 8


@dataclass(frozen=True, slots=True)
class Request:
    """What came in; header names in lower case."""

    path: str
    headers: Mapping[str, str]
    body: Any


@dataclass(frozen=True, slots=True)
class Reply:
    """What goes out: JSON, bytes as they are, or pieces of bytes one by one, whose end closes the connection.

    A content-length of its own cuts the connection short.
    """

    body: Any
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


Answer = Callable[[Request], Reply]


def embeddings(request: Request) -> Reply:
    """POST /v1/embeddings: equal texts get equal vectors, which are not of unit length; 400 beyond the bounds."""
    model, inputs = request.body["model"], request.body["input"]
    counts = count_tokens(inputs)
    if len(inputs) > 2048 or max(counts) > 8191 or sum(counts) > 300_000 or not all(map(str.strip, inputs)):
        return error(400, "the input is empty, or too large", code="invalid_request_error")
    dimensions = request.body.get("dimensions") or DIMENSIONS.get(model, OTHER_DIMENSIONS)
    encoded = request.body.get("encoding_format") == "base64"
    vectors = (vector_of(text, dimensions) for text in inputs)
    data = [
        {"object": "embedding", "index": index, "embedding": in_base64(each) if encoded else each.tolist()}
        for index, each in enumerate(vectors)
    ]
    usage = {"prompt_tokens": sum(counts), "total_tokens": sum(counts)}
    return Reply({"object": "list", "data": data, "model": model, "usage": usage})


def models(request: Request) -> Reply:
    """GET /v1/models."""
    return Reply(
        {"object": "list", "data": [{"id": each, "object": "model"} for each in (*DIMENSIONS, "gpt-4o-mini")]}
    )


ENDPOINTS: Mapping[str, Answer] = {"/v1/embeddings": embeddings, "/v1/models": models}


def vector_of(text: str, dimensions: int) -> NDArray[np.float32]:
    """The vector that `embeddings` answers with."""
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
    return np.random.default_rng(seed).standard_normal(dimensions).astype("<f4")


def in_base64(vector: NDArray[np.float32]) -> str:
    """The wire form of a vector."""
    return base64.b64encode(vector.tobytes()).decode()


def error(status: int, message: str, *, code: str | None = None, headers: Mapping[str, str] | None = None) -> Reply:
    """An error in the published form."""
    detail = {"message": message, "type": code or "error", "param": None, "code": code}
    return Reply({"error": detail}, status, headers or {})


def out_of_order(request: Request) -> Reply:
    """The right vectors, the last one first."""
    reply = embeddings(request)
    return replace(reply, body=reply.body | {"data": reply.body["data"][::-1]})


def edited(edit: Callable[[list[dict[str, Any]]], Any]) -> Answer:
    """An answer with other data than the right one."""

    def answer(request: Request) -> Reply:
        body = embeddings(request).body
        return Reply(body | {"data": edit(body["data"])})

    return answer


def dropped(request: Request) -> Reply:
    """A connection that ends in the middle of the body."""
    whole = json.dumps(embeddings(request).body).encode()
    return Reply(whole[: len(whole) // 2], headers={"content-length": str(len(whole))})


class OpenAIServer:
    """Serves until left; keeps every request it got.

    `most_at_once` is how many it worked on at the same time.
    """

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.most_at_once = 0
        self._at_once = 0
        self._lock = threading.Lock()
        self.script: deque[Reply | Answer] = deque()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())

    @property
    def host(self) -> str:
        """Address and port."""
        return f"127.0.0.1:{self._http.server_port}"

    @property
    def base_url(self) -> str:
        """What goes into OPENAI_BASE_URL."""
        return f"http://{self.host}/v1"

    def __enter__(self) -> OpenAIServer:
        threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._http.shutdown()
        self._http.server_close()

    def answer(self, request: Request) -> Reply:
        """The scripted reply, or the endpoint's."""
        endpoint = ENDPOINTS.get(request.path, lambda request: error(404, f"no such path: {request.path}"))
        with self._lock:
            self.requests.append(request)
            step = self.script.popleft() if self.script else endpoint
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            reply = step if isinstance(step, Reply) else step(request)
        finally:
            with self._lock:
                self._at_once -= 1
        return reply

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        answer = self.answer

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self._reply(None)

            def do_POST(self) -> None:
                text = self.rfile.read(int(self.headers["content-length"]))
                self._reply(json.loads(text))

            def _reply(self, asked: Any) -> None:
                headers = {name.lower(): value for name, value in self.headers.items()}
                reply = answer(Request(self.path, headers, asked))
                if isinstance(reply.body, Iterator):
                    self._send_pieces(reply)
                    return
                body = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
                self.send_response(reply.status)
                sent = {"content-type": "application/json", "content-length": str(len(body)), **reply.headers}
                for name, value in sent.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def _send_pieces(self, reply: Reply) -> None:
                self.send_response(reply.status)
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                with suppress(BrokenPipeError, ConnectionResetError):
                    for piece in reply.body:
                        self.wfile.write(piece)
                        self.wfile.flush()

            def log_message(self, format: str, *args: object) -> None:
                """Tests read `requests` instead."""

        return Handler
